import { assertHeaderSize } from './object-headers.js';
import { parseMediaType } from '../../../../src/protocol/media-type.js';
import type { FileProperties } from '../../storage/blobs.js';
import { statedAcl } from '../access/acl.js';
import { S3Error, invalidArgument } from '../errors.js';
import { storedEncoding } from './payload.js';
import { headerText } from './request.js';
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
    .map((name) => [name.slice(META.length), headerText(request.headers.values(name).join(',')).trim()] as const);
  // A form's fields can have any name. One that is no header would make the object unreadable.
  const unusable = entries.find(([name]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  if (unusable) throw invalidArgument(META + unusable[0], unusable[1], 'The name of user metadata must be usable in a header.');
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  if (bytes > MAX_METADATA)
    throw new S3Error('MetadataTooLarge', undefined, { fields: { Size: String(bytes), MaxSizeAllowed: String(MAX_METADATA) } });
  return Object.fromEntries(entries);
}

/** What a request says an object shall be besides its bytes. What it leaves open (visibility, cache) is for the rules of the folder to say. */
export function objectProperties(request: S3Request): FileProperties & { tags: Record<string, string> } {
  const text = (name: string) => {
    const value = request.headers.get(name);
    if (value !== undefined) assertHeaderSize(name, value);
    return value === undefined ? undefined : headerText(value);
  };
  text('content-encoding');
  const encoding = storedEncoding(request);
  const language = text('content-language');
  const expires = text('expires');
  const cacheControl = text('cache-control');
  return {
    contentType: mediaType(text('content-type') || DEFAULT_TYPE),
    headers: {
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      ...(language !== undefined && { 'content-language': language }),
      ...(expires !== undefined && { expires }),
    },
    ...(request.headers.get('x-amz-acl') !== undefined && { visibility: statedVisibility(request) }),
    ...(cacheControl !== undefined && { cacheControl }),
    contentDisposition: text('content-disposition') ?? null,
    metadata: userMetadata(request),
    tags: tagsFromHeader(text('x-amz-tagging') ?? ''),
  };
}

/** AWS stores any text. Clients send bare words (`text`) and lists (`image/jpeg, image/png`); their objects are served as bytes. */
const isWordOrMediaType = (text: string): boolean => /^[\w.+-]+$/.test(text) || parseMediaType(text) !== undefined;

function mediaType(stated: string): string {
  const isStorable = stated.length <= MAX_CONTENT_TYPE && stated.split(/, ?/).every(isWordOrMediaType);
  if (!isStorable && !parseMediaType(stated))
    throw invalidArgument('Content-Type', stated.slice(0, 255), 'Content-Type must be a media type such as image/png.');
  return stated;
}

/** The one access rule both worlds have: `x-amz-acl: public-read` is a public file, all else a private one. */
export const statedVisibility = (request: S3Request): 'public' | 'private' =>
  statedAcl(request) === 'public-read' ? 'public' : 'private';
