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

/** Source: AWS API reference, HeadObject. @returns undefined when there is no such object. */
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
    const facts = parseObjectHead(headers);
    // Without it an object would look empty: what compresses on the way takes it off.
    if (headers['content-length'] === undefined && headers['content-range'] === undefined)
      throw new S3Error('UnexpectedAnswer', `The store does not tell how long ${head.key} is.`, { status });
    return facts;
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return undefined;
    throw error;
  }
}

export function parseObjectHead(headers: Record<string, string>): ObjectHead {
  const properties = propertiesFromHeaders(headers);
  // A page in between is answered so, and may be so but once.
  const etag = etagOf(headers['etag'], 200);
  const whole = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  const length = Number(headers['content-length'] ?? 0);
  return {
    size: whole === undefined ? length : Number(whole),
    partSize: whole === undefined ? undefined : length,
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

/** @returns undefined when nothing does */
export function contentDigestOf({ checksum, etag, encrypted }: ObjectHead): ContentDigest | undefined {
  if (checksum !== undefined) return { kind: 'checksum', ...checksum };
  // With KMS an ETag is no hash of the bytes.
  return isMd5(etag) && !encrypted ? { kind: 'md5', value: etag } : undefined;
}

/** Composite ones are of the parts' checksums: they say nothing of bytes that came in other pieces. */
function checksumFrom(headers: Record<string, string>): Checksum | undefined {
  if (headers['x-amz-checksum-type'] === 'COMPOSITE') return undefined;
  for (const name of CHECKSUMS) {
    const value = headers[checksumHeader(name)];
    if (value !== undefined && !value.includes('-')) return { name, value };
  }
  return undefined;
}
