import { rejectPrivateObject } from '../access/anonymous.js';
import { decodeHeader } from '../messages/request.js';
import type { OpenedFile, StoredFile } from '../../storage/blob-storage.js';
import { privateCacheControl } from '../../http/cache-control.js';
import { S3ServiceError, invalidArgument } from '../errors.js';
import type { ObjectContext } from '../command.js';
import { checkReadConditions } from '../messages/conditions.js';
import { SAFE_DELIVERY, checksumHeaders, objectHeaders, responseOverrides, wantsChecksums } from '../messages/object-headers.js';
import { parseRange } from '../messages/ranges.js';
import type { S3Request } from '../messages/request.js';
import { noSuchKey } from './require-target.js';
import { MAX_PARTS } from '../messages/limits.js';

export interface PreparedRead {
  opened: OpenedFile;
  status: 200 | 206;
  headers: Record<string, string>;
  /** undefined for the whole object. */
  range: { start: number; end: number } | undefined;
}

/** Opens an object for GetObject and HeadObject: checks conditions, finds the range or part, and builds the headers. @throws S3ServiceError */
export async function prepareRead({ service, request, grant, storage, key }: ObjectContext): Promise<PreparedRead> {
  const opened = await service.blobs.open(storage, key);
  if (!opened) throw noSuchKey(key);
  const { file } = opened;
  rejectPrivateObject(grant, file);
  checkReadConditions(request, { etag: file.etag, modifiedAt: file.updatedAt });
  const part = partRange(request, opened);
  const requestedRange = matchesIfRange(request, file.etag) ? request.headers.get('range') : undefined;
  const range = part ? part.range : parseRange(requestedRange, file.size);
  const headers: Record<string, string> = {
    ...objectHeaders(file),
    ...responseOverrides(request),
    ...SAFE_DELIVERY,
    ...privateCacheHeaders(request, file),
    ...(part && { 'x-amz-mp-parts-count': String(part.count) }),
    'content-length': String(range ? range.end - range.start + 1 : file.size),
  };
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  // Checksums cover the whole object or part, so they are omitted for a range.
  if (wantsChecksums(request) && request.headers.get('range') === undefined)
    Object.assign(headers, checksumHeaders(part ? { ...file, checksums: part.checksums } : file));
  return { opened, status: range ? 206 : 200, headers, range };
}

/**
 * Keeps private objects out of shared caches. A presigned URL is a complete cache key, so its response must be private. A request with an
 * Authorization header gets the stored value, and `Vary` keeps caches from serving it to others.
 */
function privateCacheHeaders(request: S3Request, file: StoredFile): Record<string, string> {
  if (file.visibility === 'public') return {};
  if (request.headers.get('authorization') !== undefined) return { vary: 'Authorization' };
  return { 'cache-control': privateCacheControl(request.query.get('response-cache-control') ?? file.cacheControl) };
}

/** Returns whether `If-Range` names the current version. Otherwise the range is ignored. */
function matchesIfRange(request: S3Request, etag: string): boolean {
  const header = request.headers.get('if-range');
  return header === undefined || decodeHeader(header).replaceAll('"', '') === etag;
}

/** Finds the bytes of the part `partNumber`. An object that was not uploaded in parts is part 1. */
function partRange(request: S3Request, { file }: OpenedFile) {
  const text = request.query.get('partNumber');
  if (text === undefined) return undefined;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS)
    throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`);
  if (request.headers.get('range') !== undefined)
    throw new S3ServiceError('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  const parts = file.parts ?? [{ number: 1, size: file.size, checksums: file.checksums }];
  const index = number - 1;
  const part = parts[index];
  if (!part)
    throw new S3ServiceError('InvalidPart', 'The requested partnumber is not satisfiable', {
      fields: { PartNumberRequested: text, ActualPartCount: String(parts.length) },
    });
  const start = parts.slice(0, index).reduce((sum, { size }) => sum + size, 0);
  const range = part.size === 0 ? undefined : { start, end: start + part.size - 1 };
  return { range, count: parts.length, checksums: part.checksums };
}
