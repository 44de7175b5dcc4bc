import type { StoredFile } from '../../storage/blob-storage.js';
import { invalidArgument } from '../errors.js';
import { uriEncode } from '../sigv4/canonical-request.js';
import type { XmlNode } from '../xml/write-xml.js';
import { quoteEtag } from './object-headers.js';
import type { S3Request } from './request.js';

const MAX_KEYS = 1000;

/** Reads a page size such as `max-keys`. Values above 1,000 count as 1,000. @throws S3ServiceError `InvalidArgument` */
export function maxKeys(request: S3Request, name: string): number {
  const text = request.query.get(name);
  if (text === undefined || text === '') return MAX_KEYS;
  if (!/^-?\d{1,10}$/.test(text) || Number(text) > 2_147_483_647)
    throw invalidArgument(name, text, `Provided ${name} not an integer or within integer range`);
  if (Number(text) < 0) throw invalidArgument(name, text, `Argument ${name} must be an integer between 0 and 2147483647`);
  return Math.min(Number(text), MAX_KEYS);
}

/** Reads `encoding-type`. Clients request `url` because XML cannot contain every character of a key. */
export function keyEncoding(request: S3Request): { type: string | undefined; encode(key: string): string } {
  const type = request.query.get('encoding-type');
  if (type === undefined || type === '') return { type: undefined, encode: (key) => key };
  if (type !== 'url') throw invalidArgument('encoding-type', type, 'Invalid Encoding Method specified in Request');
  return { type, encode: (key) => key.split('/').map(uriEncode).join('/') };
}

export const ownerXml = (accountId: string): XmlNode => ({ ID: accountId, DisplayName: accountId });

/** Builds the entry of an object in a listing. */
export const objectXml = (file: StoredFile, encode: (key: string) => string): XmlNode => ({
  Key: encode(file.key),
  LastModified: new Date(file.updatedAt).toISOString(),
  ETag: quoteEtag(file.etag),
  ...checksumEntry(file),
  Size: file.size,
  StorageClass: 'STANDARD',
});

const checksumEntry = (file: StoredFile): XmlNode => {
  const names = Object.keys(file.checksums).map((name) => name.toUpperCase());
  return names.length === 0 ? {} : { ChecksumAlgorithm: names, ChecksumType: file.checksumType ?? 'FULL_OBJECT' };
};
