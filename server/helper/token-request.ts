import { BlobError, validationError } from '../../src/protocol/errors.js';
import { PREVIEW } from '../../src/protocol/limits.js';
import type { PreviewSize } from '../../src/protocol/limits.js';
import type { ChosenFile } from '../../src/protocol/types.js';

/** The JSON body of a page's request to a token route. */
export interface TokenRequestBody {
  /** 1 to 1000 files; none if the reason is `preview`, and possibly none if it is `limits`. */
  files: ChosenFile[];
  /** Reason of the request: `start`, `expiring`, `exhausted`, `invalid`, `retry`, `limits` or `preview`; '' if the page does not state it. */
  reason: string;
  /** 1 to 50 ids of stored files if the reason is `preview`, otherwise none. */
  ids: string[];
  /** Size of the previews. `row` unless the page states another one. */
  size: PreviewSize;
}

const MAX_FILES = 1000;

/** Reason of a page that asks for the limits before a file is chosen. It gets no token. */
export const LIMITS_REASON = 'limits';

/** Reason of a page that asks for links to previews of stored files. It gets no token. */
export const PREVIEW_REASON = 'preview';

/** Ids have no other characters, so an id cannot change the path of a request to the service. */
const FILE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Longest reason, in UTF-16 units. */
const MAX_REASON_LENGTH = 40;

/**
 * Reads and validates the body of a page's request.
 * @param maxBytes longest body
 * @throws BlobError `VALIDATION_ERROR` that names the field; status 415 for another content type, 413 for a longer body
 */
export async function readTokenRequest(request: Request, maxBytes: number): Promise<TokenRequestBody> {
  // For JSON, browsers send a preflight. So pages of other sites cannot send this request with a person's cookies.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw validationError('content-type', 'must be application/json', { status: 415 });
  const body = await readJson(request, maxBytes);
  if (typeof body !== 'object' || body === null) throw validationError('body', 'must be a JSON object');
  const { files, reason = '', ids, size } = body as Record<string, unknown>;
  if (reason === PREVIEW_REASON) return { files: [], reason, ids: validateIds(ids), size: validateSize(size) };
  if (!Array.isArray(files) || (files.length === 0 && reason !== LIMITS_REASON))
    throw validationError('files', 'must list the files to upload');
  if (files.length > MAX_FILES)
    throw validationError('files', `must list at most ${MAX_FILES} files; got ${files.length}`, { details: { max: MAX_FILES } });
  if (typeof reason !== 'string' || reason.length > MAX_REASON_LENGTH)
    throw validationError('reason', `must be a string of at most ${MAX_REASON_LENGTH} characters`);
  return { files: files.map((file, index) => validateChosenFile(file, `files[${index}]`)), reason, ids: [], size: 'row' };
}

function validateIds(ids: unknown): string[] {
  const max = PREVIEW.maxIds;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > max)
    throw validationError('ids', `must list 1 to ${max} ids of files`, { details: { max } });
  const invalid = ids.findIndex((id: unknown) => typeof id !== 'string' || !FILE_ID.test(id));
  if (invalid !== -1) throw validationError(`ids[${invalid}]`, 'must be the id of a file');
  return [...new Set(ids as string[])];
}

function validateSize(size: unknown = 'row'): PreviewSize {
  const names = Object.keys(PREVIEW.sizes) as PreviewSize[];
  const found = names.find((name) => name === size);
  if (found === undefined) throw validationError('size', `must be one of ${names.join(', ')}`);
  return found;
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readBody(request, maxBytes).catch((cause: unknown) => {
    // The client disconnected. This is not a failure of the backend, so it is not reported.
    throw cause instanceof BlobError ? cause : validationError('body', 'ended early', { cause });
  });
  try {
    return JSON.parse(text);
  } catch {
    throw validationError('body', 'must be JSON');
  }
}

/** Reads at most `maxBytes`, because `Content-Length` may be wrong or missing. */
async function readBody(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw validationError('body', `must have at most ${maxBytes} bytes`, { status: 413, details: { max: maxBytes } });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function validateChosenFile(value: unknown, field: string): ChosenFile {
  if (typeof value !== 'object' || value === null) throw validationError(field, 'must be an object with name, size and type');
  const { name, size, type = '', path, url } = value as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') throw validationError(`${field}.name`, 'must be a non-empty string');
  if (!Number.isSafeInteger(size) || (size as number) < 0)
    throw validationError(`${field}.size`, 'must be an integer of at least 0 (bytes)');
  if (typeof type !== 'string') throw validationError(`${field}.type`, 'must be a string');
  if (path !== undefined && typeof path !== 'string') throw validationError(`${field}.path`, 'must be a string');
  if (url !== undefined && typeof url !== 'string') throw validationError(`${field}.url`, 'must be a string');
  return { name, size: size as number, type, ...(path !== undefined && { path }), ...(url !== undefined && { url }) };
}
