import { S3Error } from '../../errors.js';
import type { ObjectProperties } from '../../types.js';

type Named = Exclude<keyof ObjectProperties, 'metadata'>;

/** Under which header a property goes, on requests that make an object. */
const SENT: Record<Named, string> = {
  contentType: 'content-type',
  cacheControl: 'cache-control',
  contentDisposition: 'content-disposition',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  expires: 'expires',
  websiteRedirect: 'x-amz-website-redirect-location',
  storageClass: 'x-amz-storage-class',
  acl: 'x-amz-acl',
  sse: 'x-amz-server-side-encryption',
  sseKmsKeyId: 'x-amz-server-side-encryption-aws-kms-key-id',
  tags: 'x-amz-tagging',
};

/** Properties of the target rather than of the object, or that no response tells. A copy gets its own. */
const OF_PLACE = new Set<string>(['acl', 'sse', 'sseKmsKeyId', 'tags'] satisfies Named[]);
const OF_OBJECT = (Object.entries(SENT) as [Named, string][]).filter(([name]) => !OF_PLACE.has(name));

const META = 'x-amz-meta-';
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/**
 * A value that a header can hold. A line break would begin another header; what is no ASCII, clients and stores sign as UTF-8 or as Latin-1, and then
 * the key seems to be wrong. @throws S3Error `InvalidOption`
 */
export function requireHeaderValue(name: string, value: string): string {
  if (VALUE.test(value)) return value;
  throw new S3Error('InvalidOption', `${name} has to be printable ASCII, as headers are: ${JSON.stringify(value)}.`);
}

/** @throws S3Error `InvalidOption` */
export function validateProperties({ metadata = {}, ...named }: ObjectProperties = {}): void {
  for (const name in metadata)
    if (!NAME.test(name)) throw new S3Error('InvalidOption', `${JSON.stringify(name)} can be no name of metadata.`);
  for (const [name, value] of Object.entries({ ...named, ...metadata })) if (value !== undefined) requireHeaderValue(name, value);
}

export function propertyHeaders(properties: ObjectProperties): Record<string, string> {
  const { metadata } = properties;
  const headers: Record<string, string> = {};
  for (const name in properties) {
    const value = name === 'metadata' ? undefined : properties[name as Named];
    if (value !== undefined) headers[SENT[name as Named]] = value;
  }
  for (const name in metadata) headers[META + name.toLowerCase()] = metadata[name]!;
  return headers;
}

/** Reads an object's properties from response headers. Names of metadata are in lower case. */
export function propertiesFromHeaders(
  headers: Record<string, string>,
): ObjectProperties & Pick<Required<ObjectProperties>, 'metadata'> {
  const metadata = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(META))
      .map(([name, value]) => [name.slice(META.length), value]),
  );
  const properties: ReturnType<typeof propertiesFromHeaders> = { metadata };
  for (const [name, header] of OF_OBJECT) if (headers[header] !== undefined) properties[name] = headers[header];
  return properties;
}
