import { checksumHeader, CHECKSUMS } from '../checksums.js';
import type { Checksum, ChecksumName } from '../checksums.js';
import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import type { ObjectProperties } from '../../types.js';
import { propertiesFromHeaders } from './properties.js';
import { etagOf, isEncrypted, isMd5 } from './body-checksums.js';

/** Properties of one object. */
export interface ObjectHead {
  size: number;
  /** Bytes of the requested part. */
  partSize: number | undefined;
  etag: string;
  lastModifiedMs: number;
  properties: ObjectProperties;
  /** User metadata, names in lower case without `x-amz-meta-`. */
  metadata: Record<string, string>;
  /** Number of tags that the key may see. */
  tags: number;
  /** Checksum of the whole object, if the store keeps one. */
  checksum: Checksum | undefined;
  /** Number of parts by the form of the ETag; 1 for an upload in one request. */
  parts: number;
  encrypted: boolean;
}

/**
 * Requests the properties of an object, without retries.
 * @returns undefined if there is no object
 * @throws S3Error `UnexpectedAnswer` if the response has no length
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
 */
export async function headObjectOnce(
  store: Store,
  head: { bucket: string; key: string; partNumber?: number; signal: AbortSignal },
): Promise<ObjectHead | undefined> {
  try {
    const response = await store.send({
      method: 'HEAD',
      bucket: head.bucket,
      key: head.key,
      ...(head.partNumber !== undefined && { query: `partNumber=${head.partNumber}` }),
      headers: { 'x-amz-checksum-mode': 'ENABLED' },
      signal: head.signal,
    });
    const { headers, status } = response;
    const objectHead = parseObjectHead(headers);
    // A proxy that compresses removes the length. The object would look empty.
    if (headers['content-length'] === undefined && headers['content-range'] === undefined)
      throw new S3Error('UnexpectedAnswer', `The response for ${head.key} has no content-length.`, { status });
    return objectHead;
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return undefined;
    throw error;
  }
}

/** Parses the headers of a response to HEAD or GET. @throws S3Error `NotS3` if there is no ETag */
export function parseObjectHead(headers: Record<string, string>): ObjectHead {
  const properties = propertiesFromHeaders(headers);
  // Status 200 for the error: a login page of a network may respond once in place of the store.
  const etag = etagOf(headers['etag'], 200);
  const totalSize = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  const length = Number(headers['content-length'] ?? 0);
  return {
    size: totalSize === undefined ? length : Number(totalSize),
    partSize: totalSize === undefined ? undefined : length,
    etag,
    lastModifiedMs: Date.parse(headers['last-modified'] ?? '') || 0,
    properties,
    metadata: properties.metadata,
    tags: Number(headers['x-amz-tagging-count'] ?? 0),
    checksum: checksumFrom(headers),
    parts: Number(/-(\d+)$/.exec(etag)?.[1] ?? 1),
    encrypted: isEncrypted(headers),
  };
}

/** A digest that the store returns with an object. */
export type ContentDigest = { kind: 'checksum'; name: ChecksumName; value: string } | { kind: 'md5'; value: string };

/** Returns the digest of the bytes of an object. @returns undefined if the store keeps none */
export function contentDigestOf({ checksum, etag, encrypted }: ObjectHead): ContentDigest | undefined {
  if (checksum !== undefined) return { kind: 'checksum', ...checksum };
  // The ETag of an object encrypted with KMS is not a hash of its bytes.
  return isMd5(etag) && !encrypted ? { kind: 'md5', value: etag } : undefined;
}

/** Returns the checksum of the whole object. Composite checksums are left out: they depend on the parts. */
function checksumFrom(headers: Record<string, string>): Checksum | undefined {
  if (headers['x-amz-checksum-type'] === 'COMPOSITE') return undefined;
  for (const name of CHECKSUMS) {
    const value = headers[checksumHeader(name)];
    if (value !== undefined && !value.includes('-')) return { name, value };
  }
  return undefined;
}
