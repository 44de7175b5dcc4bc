import { assertHeaderSize } from './object-headers.js';
import { parseMediaType } from '../../../../src/protocol/media-type.js';
import type { FileProperties } from '../../storage/blob-storage.js';
import { aclHeader } from '../access/acl.js';
import { S3ServiceError, invalidArgument } from '../errors.js';
import { storedContentEncoding } from '../body/payload.js';
import { decodeHeader } from './request.js';
import type { S3Request } from './request.js';
import { tagsFromHeader } from './tags.js';

const META = 'x-amz-meta-';
/** Bytes of all names and values together. */
const MAX_METADATA = 2048;
/** Characters. */
const MAX_CONTENT_TYPE = 255;
const DEFAULT_TYPE = 'binary/octet-stream';

export function userMetadata(request: S3Request): Record<string, string> {
  const entries = request.headers
    .names()
    .filter((name) => name.startsWith(META))
    .map((name) => [name.slice(META.length), decodeHeader(request.headers.values(name).join(',')).trim()] as const);
  // Form fields may have any name. A name that is not valid in a header would make the object unreadable.
  const unusable = entries.find(([name]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  if (unusable) throw invalidArgument(META + unusable[0], unusable[1], 'The name of user metadata must be a valid header name.');
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  if (bytes > MAX_METADATA)
    throw new S3ServiceError('MetadataTooLarge', undefined, {
      fields: { Size: String(bytes), MaxSizeAllowed: String(MAX_METADATA) },
    });
  return Object.fromEntries(entries);
}

/** Reads the properties of a new object from the headers. Rules of the folder set the visibility and cache control that a request omits. */
export function objectProperties(request: S3Request): FileProperties & { tags: Record<string, string> } {
  const text = (name: string) => {
    const value = request.headers.get(name);
    if (value !== undefined) assertHeaderSize(name, value);
    return value === undefined ? undefined : decodeHeader(value);
  };
  text('content-encoding');
  const encoding = storedContentEncoding(request);
  const language = text('content-language');
  const expires = text('expires');
  const cacheControl = text('cache-control');
  return {
    contentType: validateContentType(text('content-type') || DEFAULT_TYPE),
    headers: {
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      ...(language !== undefined && { 'content-language': language }),
      ...(expires !== undefined && { expires }),
    },
    ...(request.headers.get('x-amz-acl') !== undefined && { visibility: requestedVisibility(request) }),
    ...(cacheControl !== undefined && { cacheControl }),
    contentDisposition: text('content-disposition') ?? null,
    metadata: userMetadata(request),
    tags: tagsFromHeader(text('x-amz-tagging') ?? ''),
  };
}

/** Clients send single words (`text`) and lists (`image/jpeg, image/png`) as content types. They are stored like on AWS and served as bytes. */
const isWordOrMediaType = (text: string): boolean => /^[\w.+-]+$/.test(text) || parseMediaType(text) !== undefined;

function validateContentType(stated: string): string {
  const isStorable = stated.length <= MAX_CONTENT_TYPE && stated.split(/, ?/).every(isWordOrMediaType);
  if (!isStorable && !parseMediaType(stated))
    throw invalidArgument('Content-Type', stated.slice(0, 255), 'Content-Type must be a media type such as image/png.');
  return stated;
}

/** Reads the visibility: `x-amz-acl: public-read` makes a file public. Other values make it private. */
export const requestedVisibility = (request: S3Request): 'public' | 'private' =>
  aclHeader(request) === 'public-read' ? 'public' : 'private';
