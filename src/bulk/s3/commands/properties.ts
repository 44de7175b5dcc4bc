import { S3Error } from '../../errors.js';
import type { ObjectProperties } from '../../types.js';

type PropertyName = Exclude<keyof ObjectProperties, 'metadata'>;

/** Header of each property in requests that create an object. */
const HEADER_OF: Record<PropertyName, string> = {
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

/** Properties that responses do not contain or that belong to the target. A copy does not take them from the source. */
const NOT_COPIED = new Set<string>(['acl', 'sse', 'sseKmsKeyId', 'tags'] satisfies PropertyName[]);
const COPIED = (Object.entries(HEADER_OF) as [PropertyName, string][]).filter(([name]) => !NOT_COPIED.has(name));

const METADATA_PREFIX = 'x-amz-meta-';
/** Valid header names. @see RFC 9110, section 5.6.2 */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const PRINTABLE_ASCII = /^[\t\x20-\x7e]*$/;

/**
 * Returns a value that can be sent as a header. A line break would begin another header. Clients and stores encode other characters
 * than ASCII as UTF-8 or as Latin-1, so the signature might not match.
 * @throws S3Error `InvalidOption`
 */
export function requireHeaderValue(name: string, value: string): string {
  if (PRINTABLE_ASCII.test(value)) return value;
  throw new S3Error(
    'InvalidOption',
    `${name} must be printable ASCII, because it is sent as a header; got ${JSON.stringify(value)}.`,
  );
}

/** Checks that all properties can be sent as headers. @throws S3Error `InvalidOption` */
export function validateProperties({ metadata = {}, ...named }: ObjectProperties = {}): void {
  for (const name in metadata)
    if (!HEADER_NAME.test(name))
      throw new S3Error(
        'InvalidOption',
        `${JSON.stringify(name)} is not a valid name of metadata. Use letters, digits and hyphens.`,
      );
  for (const [name, value] of Object.entries({ ...named, ...metadata })) if (value !== undefined) requireHeaderValue(name, value);
}

/** Returns the headers that set properties in a request. */
export function propertyHeaders(properties: ObjectProperties): Record<string, string> {
  const { metadata } = properties;
  const headers: Record<string, string> = {};
  for (const name in properties) {
    const value = name === 'metadata' ? undefined : properties[name as PropertyName];
    if (value !== undefined) headers[HEADER_OF[name as PropertyName]] = value;
  }
  for (const name in metadata) headers[METADATA_PREFIX + name.toLowerCase()] = metadata[name]!;
  return headers;
}

/** Parses the properties of an object from response headers. Names of metadata are in lower case. */
export function propertiesFromHeaders(
  headers: Record<string, string>,
): ObjectProperties & Pick<Required<ObjectProperties>, 'metadata'> {
  const metadata = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(METADATA_PREFIX))
      .map(([name, value]) => [name.slice(METADATA_PREFIX.length), value]),
  );
  const properties: ReturnType<typeof propertiesFromHeaders> = { metadata };
  for (const [name, header] of COPIED) if (headers[header] !== undefined) properties[name] = headers[header];
  return properties;
}
