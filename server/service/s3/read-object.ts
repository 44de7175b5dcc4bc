import { refusePrivate } from './access/anonymous.js';
import { headerText } from './messages/request.js';
import type { OpenedFile, StoredFile } from '../storage/blobs.js';
import { privateCacheControl } from '../http/cache-control.js';
import { S3Error, invalidArgument } from './errors.js';
import type { ObjectCall } from './service.js';
import { checkReadConditions } from './messages/conditions.js';
import { SAFE_DELIVERY, checksumHeaders, objectHeaders, responseOverrides, wantsChecksums } from './messages/object-headers.js';
import { parseRange } from './messages/ranges.js';
import type { S3Request } from './messages/request.js';
import { MAX_PARTS } from './messages/sizes.js';

export interface ReadPlan {
  opened: OpenedFile;
  status: 200 | 206;
  headers: Record<string, string>;
  /** Undefined: all of it. */
  range: { start: number; end: number } | undefined;
}

export const noSuchKey = (key: string) => new S3Error('NoSuchKey', undefined, { fields: { Key: key } });

/** What GetObject and HeadObject share: conditions, ranges, parts, overrides, headers. */
export async function planRead({ service, request, grant, storage, key }: ObjectCall): Promise<ReadPlan> {
  const opened = await service.blobs.open(storage, key);
  if (!opened) throw noSuchKey(key);
  const { file } = opened;
  refusePrivate(grant, file);
  checkReadConditions(request, { etag: file.etag, modifiedAt: file.updatedAt });
  const part = partRange(request, opened);
  const range = part
    ? part.range
    : isCurrent(request, file.etag)
      ? parseRange(request.headers.get('range'), file.size)
      : undefined;
  const headers: Record<string, string> = {
    ...objectHeaders(file),
    ...responseOverrides(request),
    ...SAFE_DELIVERY,
    ...cachingOf(request, file),
    ...(part && { 'x-amz-mp-parts-count': String(part.count) }),
    'content-length': String(range ? range.end - range.start + 1 : file.size),
  };
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  if (wantsChecksums(request) && request.headers.get('range') === undefined)
    Object.assign(
      headers,
      part ? checksumHeaders({ checksums: part.checksums, checksumType: file.checksumType }) : checksumHeaders(file),
    );
  return { opened, status: range ? 206 : 200, headers, range };
}

/**
 * What a private object adds for the sake of shared caches. A presigned address is all they would need to hand it on. A request that is
 * signed in its headers is a program's, which gets the stored value to the letter, and a cache may give the answer to nobody else.
 */
function cachingOf(request: S3Request, file: StoredFile): Record<string, string> {
  if (file.visibility === 'public') return {};
  if (request.headers.get('authorization') !== undefined) return { vary: 'Authorization' };
  return { 'cache-control': privateCacheControl(request.query.get('response-cache-control') ?? file.cacheControl) };
}

/** `If-Range`: the range counts only for the object the client knows. */
function isCurrent(request: S3Request, etag: string): boolean {
  const header = request.headers.get('if-range');
  return header === undefined || headerText(header).replaceAll('"', '') === etag;
}

/** The bytes of one part, when `partNumber` asks for it. An object put whole is its own part 1. */
function partRange(request: S3Request, { file }: OpenedFile) {
  const text = request.query.get('partNumber');
  if (text === undefined) return undefined;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS)
    throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`);
  if (request.headers.get('range') !== undefined)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  const parts = file.parts ?? [{ number: 1, size: file.size, checksums: file.checksums }];
  const at = number - 1;
  const part = parts[at];
  if (!part)
    throw new S3Error('InvalidPart', 'The requested partnumber is not satisfiable', {
      fields: { PartNumberRequested: text, ActualPartCount: String(parts.length) },
    });
  const start = parts.slice(0, at).reduce((sum, one) => sum + one.size, 0);
  const range = part.size === 0 ? undefined : { start, end: start + part.size - 1 };
  return { range, count: parts.length, checksums: part.checksums };
}
