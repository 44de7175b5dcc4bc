import type { StoredFile } from '../../storage/blobs.js';
import { invalidArgument } from '../errors.js';
import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';
import { checkReadConditions } from '../messages/conditions.js';
import { checksumXml } from '../messages/checksum-xml.js';
import type { S3Request } from '../messages/request.js';
import type { XmlNode } from '../xml/write.js';
import { xmlDocument } from '../xml/write.js';

const KNOWN = new Set(['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']);
const MAX_PARTS_SHOWN = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html */
export const getObjectAttributes: Command = {
  name: 'GetObjectAttributes',
  method: 'GET',
  on: 'object',
  query: ['attributes'],
  access: 'read',
  async run({ service, request, storage, key }) {
    const wanted = (request.headers.get('x-amz-object-attributes') ?? '').split(',').map((one) => one.trim());
    const wrong = wanted.find((one) => !KNOWN.has(one));
    if (wrong !== undefined) throw invalidArgument('x-amz-object-attributes', wrong, 'Invalid attribute name specified.');
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    checkReadConditions(request, { etag: file.etag, modifiedAt: file.updatedAt });
    const has = (name: string) => wanted.includes(name);
    const body = xmlDocument('GetObjectAttributesResponse', {
      ETag: has('ETag') ? file.etag : undefined,
      Checksum: has('Checksum') ? wholeChecksum(file) : undefined,
      ObjectParts: has('ObjectParts') ? partsXml(file, request) : undefined,
      StorageClass: has('StorageClass') ? 'STANDARD' : undefined,
      ObjectSize: has('ObjectSize') ? file.size : undefined,
    });
    return { status: 200, headers: { 'last-modified': new Date(file.updatedAt).toUTCString() }, body };
  },
};

function wholeChecksum(file: StoredFile): XmlNode | undefined {
  if (Object.keys(file.checksums).length === 0) return undefined;
  return { ...checksumXml(file.checksums), ChecksumType: file.checksumType ?? 'FULL_OBJECT' };
}

/** Only of objects that were uploaded in parts. */
function partsXml(file: StoredFile, request: S3Request): XmlNode | undefined {
  if (!file.parts) return undefined;
  const number = (name: string, fallback: number) => {
    const text = request.headers.get(name);
    if (text !== undefined && !/^\d{1,6}$/.test(text)) throw invalidArgument(name, text, `${name} must be an integer.`);
    return text === undefined ? fallback : Number(text);
  };
  const max = Math.min(number('x-amz-max-parts', MAX_PARTS_SHOWN), MAX_PARTS_SHOWN);
  const after = number('x-amz-part-number-marker', 0);
  const left = file.parts.filter((part) => part.number > after);
  const shown = left.slice(0, max);
  return {
    PartsCount: file.parts.length,
    PartNumberMarker: after,
    NextPartNumberMarker: shown.at(-1)?.number ?? after,
    MaxParts: max,
    IsTruncated: left.length > shown.length,
    Part: shown.map((part) => ({ PartNumber: part.number, Size: part.size, ...checksumXml(part.checksums) })),
  };
}
