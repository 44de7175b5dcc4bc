import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../src/protocol/errors.js';
import { formatDisposition, parseDispositionName } from '../../../src/protocol/content-disposition.js';
import { formatDigest } from '../../../src/protocol/checksums/repr-digest.js';
import { DEFAULT_MEDIA_TYPE, parseMediaType, safeMediaType } from '../../../src/protocol/media-type.js';
import { baseName } from '../../../src/protocol/paths.js';
import type { ByteRange, OpenedFile, StoredFile } from '../storage/blob-storage.js';
import { isInlineType } from './inline-types.js';
import { privateCacheControl, publicCacheControl, UNSCANNED_CACHE_CONTROL } from './cache-control.js';
import { isModified, failsPrecondition, matchesIfRange } from './conditional-requests.js';
import { parseRange } from './range.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the file that a request reads. Statistics count the request for it. */
    servedAccount: string | undefined;
  }
}

export interface ServeOptions {
  /** Whether the response may be partial. @default true */
  ranges?: boolean;
  /** Whether the response may be 304. @default true */
  conditional?: boolean;
  /** Is called when bytes are about to be sent. A rejection becomes the response. */
  beforeBody?: () => Promise<void>;
}

/**
 * Responds to GET or HEAD with the bytes of a file. Handles conditions and ranges, and sets headers that keep browsers from running the file.
 * @throws `PRECONDITION_FAILED`, `INVALID_RANGE`.
 */
export async function serveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedFile,
  signal: AbortSignal,
  options: ServeOptions = {},
): Promise<FastifyReply> {
  const { file } = opened;
  request.servedAccount = file.accountId;
  const { ranges = true, conditional = true, beforeBody } = options;
  reply
    .header('ETag', `"${file.etag}"`)
    .header('Last-Modified', new Date(file.updatedAt).toUTCString())
    .header('Cache-Control', cacheControlOf(file))
    .header('Accept-Ranges', ranges ? 'bytes' : 'none')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'")
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Content-Disposition', dispositionOf(file));
  if (failsPrecondition(request.headers, file))
    throw new BlobError('PRECONDITION_FAILED', `The file has changed: its ETag is "${file.etag}".`);
  if (conditional && !isModified(request.headers, file)) return reply.code(304).send();

  const header = ranges && matchesIfRange(request.headers, file) ? request.headers.range : undefined;
  const range = parseRange(header || undefined, file.size);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.size}`);
    throw new BlobError('INVALID_RANGE', `The range must start within the file, which has ${file.size} bytes; got ${header}.`, {
      details: { size: file.size },
    });
  }
  const { start, end }: ByteRange = range ?? { start: 0, end: file.size - 1 };
  if (range) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${file.size}`);
  reply
    .header('Content-Type', safeMediaType(file.contentType))
    .header('Content-Length', String(end - start + 1))
    .header('Repr-Digest', formatDigest(file.sha256));
  const encoding = file.headers['content-encoding'];
  if (encoding !== undefined && /^[\w, -]+$/.test(encoding)) reply.header('Content-Encoding', encoding);
  if (request.method === 'HEAD') return reply.send();
  await beforeBody?.();
  return reply.send(await opened.read({ start, end }, signal));
}

function cacheControlOf({ cacheControl, visibility, scan }: StoredFile): string {
  if (scan === 'pending') return UNSCANNED_CACHE_CONTROL;
  return visibility === 'public' ? publicCacheControl(cacheControl) : privateCacheControl(cacheControl);
}

/** Maximum bytes of the header. The name of a REST file always fits. */
const MAX_DISPOSITION = 4000;

function dispositionOf(file: StoredFile): string {
  const stored = file.contentDisposition ?? 'inline';
  const name = parseDispositionName(stored) ?? baseName(file.key);
  const type = parseMediaType(file.contentType)?.essence ?? DEFAULT_MEDIA_TYPE;
  const disposition = /^inline/i.test(stored) && isInlineType(type) ? 'inline' : 'attachment';
  const header = formatDisposition(disposition, name);
  // A name stored over S3 or by an earlier version may be longer than proxies accept.
  return header.length <= MAX_DISPOSITION ? header : formatDisposition(disposition, baseName(file.key));
}
