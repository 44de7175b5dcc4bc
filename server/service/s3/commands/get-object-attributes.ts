import type { StoredFile } from '../../storage/blob-storage.js';
import { invalidArgument } from '../errors.js';
import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';
import { checkReadConditions } from '../messages/conditions.js';
import { checksumXml } from '../messages/checksum-xml.js';
import type { S3Request } from '../messages/request.js';
import type { XmlNode } from '../xml/write-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

const ATTRIBUTES = new Set(['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']);
const MAX_PARTS_SHOWN = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html */
export const getObjectAttributes: Command = {
  name: 'GetObjectAttributes',
  method: 'GET',
  target: 'object',
  requiredQuery: ['attributes'],
  access: 'read',
  async run(context) {
    const { request } = context;
    const attributes = requestedAttributes(request);
    const file = await requireObject(context);
    checkReadConditions(request, { etag: file.etag, modifiedAt: file.updatedAt });
    const has = (name: string) => attributes.includes(name);
    const body = xmlDocument('GetObjectAttributesResponse', {
      ETag: has('ETag') ? file.etag : undefined,
      Checksum: has('Checksum') ? checksumOf(file) : undefined,
      ObjectParts: has('ObjectParts') ? partsXml(file, request) : undefined,
      StorageClass: has('StorageClass') ? 'STANDARD' : undefined,
      ObjectSize: has('ObjectSize') ? file.size : undefined,
    });
    return { status: 200, headers: { 'last-modified': new Date(file.updatedAt).toUTCString() }, body };
  },
};

function requestedAttributes(request: S3Request): string[] {
  const names = (request.headers.get('x-amz-object-attributes') ?? '').split(',').map((name) => name.trim());
  const unknown = names.find((name) => !ATTRIBUTES.has(name));
  if (unknown !== undefined) throw invalidArgument('x-amz-object-attributes', unknown, 'Invalid attribute name specified.');
  return names;
}

function checksumOf(file: StoredFile): XmlNode | undefined {
  if (Object.keys(file.checksums).length === 0) return undefined;
  return { ...checksumXml(file.checksums), ChecksumType: file.checksumType ?? 'FULL_OBJECT' };
}

/** @returns undefined for an object that was not uploaded in parts. */
function partsXml(file: StoredFile, request: S3Request): XmlNode | undefined {
  if (!file.parts) return undefined;
  const number = (name: string, fallback: number) => {
    const text = request.headers.get(name);
    if (text !== undefined && !/^\d{1,6}$/.test(text)) throw invalidArgument(name, text, `${name} must be an integer.`);
    return text === undefined ? fallback : Number(text);
  };
  const max = Math.min(number('x-amz-max-parts', MAX_PARTS_SHOWN), MAX_PARTS_SHOWN);
  const after = number('x-amz-part-number-marker', 0);
  const following = file.parts.filter((part) => part.number > after);
  const shown = following.slice(0, max);
  return {
    PartsCount: file.parts.length,
    PartNumberMarker: after,
    NextPartNumberMarker: shown.at(-1)?.number ?? after,
    MaxParts: max,
    IsTruncated: following.length > shown.length,
    Part: shown.map((part) => ({ PartNumber: part.number, Size: part.size, ...checksumXml(part.checksums) })),
  };
}
