import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../src/protocol/errors.js';
import { formatDisposition, parseDispositionName } from '../../../src/protocol/disposition.js';
import { formatDigest } from '../../../src/protocol/digest.js';
import { baseName } from '../../../src/protocol/paths.js';
import type { ByteRange, OpenedFile, StoredFile } from '../blobs.js';
import { isModified, preconditionFailed, rangeApplies } from './conditional.js';
import { parseRange } from './range.js';

/** What a browser may show by itself; everything else is saved. SVG and HTML can run script and are not among them. */
const INLINE =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|apng)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=("[\x20-\x7e]*"|[\w!#$&^.+-]+))*$/;

/** Answers a GET or HEAD with a file's bytes: conditional, by range, and so that no browser runs them. */
export async function serveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedFile,
  signal: AbortSignal,
  options: { ranges?: boolean; conditional?: boolean } = {},
): Promise<FastifyReply> {
  const { file } = opened;
  const { ranges = true, conditional = true } = options;
  reply
    .header('ETag', `"${file.etag}"`)
    .header('Last-Modified', new Date(file.updatedAt).toUTCString())
    .header('Cache-Control', cacheControlOf(file))
    .header('Accept-Ranges', ranges ? 'bytes' : 'none')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'")
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Content-Disposition', dispositionOf(file));
  if (preconditionFailed(request.headers, file))
    throw new BlobError('PRECONDITION_FAILED', 'The file is not the one the request expects.');
  if (conditional && !isModified(request.headers, file)) return reply.code(304).send();

  const header = ranges && rangeApplies(request.headers, file) ? request.headers.range : undefined;
  const range = parseRange(header || undefined, file.size);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.size}`);
    throw new BlobError('INVALID_RANGE', 'The range lies outside the file.', { details: { size: file.size } });
  }
  const whole: ByteRange = { start: 0, end: file.size - 1 };
  const { start, end } = range ?? whole;
  if (range) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${file.size}`);
  reply
    .header('Content-Type', MEDIA_TYPE.test(file.contentType) ? file.contentType : 'application/octet-stream')
    .header('Content-Length', String(end - start + 1))
    .header('Repr-Digest', formatDigest(file.sha256));
  const encoding = file.headers['content-encoding'];
  if (encoding !== undefined && /^[\w, -]+$/.test(encoding)) reply.header('Content-Encoding', encoding);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(await opened.read({ start, end }, signal));
}

/** What is private stays out of shared caches, whatever its owner said of caching. */
function cacheControlOf({ cacheControl, visibility }: StoredFile): string {
  if (visibility === 'public') return cacheControl ?? 'public, max-age=0, must-revalidate';
  return cacheControl && /\b(private|no-store|no-cache)\b/i.test(cacheControl) ? cacheControl : 'private, no-cache';
}

function dispositionOf(file: StoredFile): string {
  const wished = file.contentDisposition ?? 'inline';
  const name = parseDispositionName(wished) ?? baseName(file.key);
  const type = /^[^;\s]+/.exec(file.contentType)?.[0].toLowerCase() ?? '';
  return formatDisposition(/^inline/i.test(wished) && INLINE.test(type) ? 'inline' : 'attachment', name);
}
