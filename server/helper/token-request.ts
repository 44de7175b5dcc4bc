import { BlobError, validationError } from '../../src/protocol/errors.js';
import type { ChosenFile } from '../../src/protocol/types.js';

/** What a page asks a token route: JSON `{files: [{name, size, type, path?}], reason?}`. */
export interface TokenRequestBody {
  files: ChosenFile[];
  /** Why a token is needed: `start`, `expiring`, `exhausted`, `invalid` or `retry`; '' when the page does not say. */
  reason: string;
}

const MAX_FILES = 1000;

/** Reads at most so many bytes, whatever Content-Length says. */
async function readBody(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new BlobError('VALIDATION_ERROR', `body: must be at most ${maxBytes} bytes`, {
        status: 413,
        path: 'body',
        details: { max: maxBytes },
      });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function validateChosenFile(value: unknown, field: string): ChosenFile {
  if (typeof value !== 'object' || value === null) throw validationError(field, 'must be an object with name, size and type');
  const { name, size, type = '', path } = value as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') throw validationError(`${field}.name`, 'must be a non-empty string');
  if (!Number.isSafeInteger(size) || (size as number) < 0)
    throw validationError(`${field}.size`, 'must be a whole number of bytes');
  if (typeof type !== 'string') throw validationError(`${field}.type`, 'must be a string');
  if (path !== undefined && typeof path !== 'string') throw validationError(`${field}.path`, 'must be a string');
  return { name, size: size as number, type, ...(path !== undefined && { path }) };
}

/** @throws BlobError `VALIDATION_ERROR` naming the field; status 415 for another content type, 413 for a body too long. */
export async function readTokenRequest(request: Request, maxBytes: number): Promise<TokenRequestBody> {
  // Demanding JSON makes a browser ask first (a preflight) before another site's page can send this with a person's cookies.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new BlobError('VALIDATION_ERROR', 'content-type: must be application/json', { status: 415, path: 'content-type' });
  const text = await readBody(request, maxBytes).catch((cause: unknown) => {
    // Whoever asked is gone: no failure of the backend's own.
    throw cause instanceof BlobError ? cause : new BlobError('VALIDATION_ERROR', 'body: broke off', { path: 'body', cause });
  });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw validationError('body', 'must be JSON');
  }
  if (typeof body !== 'object' || body === null) throw validationError('body', 'must be an object');
  const { files, reason = '' } = body as Record<string, unknown>;
  if (!Array.isArray(files) || files.length === 0) throw validationError('files', 'must list the files to upload');
  if (files.length > MAX_FILES) throw validationError('files', `must list at most ${MAX_FILES} files`, { max: MAX_FILES });
  if (typeof reason !== 'string' || reason.length > 40) throw validationError('reason', 'must be a short string');
  return { files: files.map((file, index) => validateChosenFile(file, `files[${index}]`)), reason };
}
