import type { Store } from '../store.js';
import type { ObjectProperties } from '../types.js';
import type { BodyPieces } from '../wire.js';
import { confirm, protect, storedTag, withChecksums } from './protect.js';
import type { BodyHashes } from './protect.js';

export interface PutObject {
  bucket: string;
  key: string;
  body: Uint8Array | BodyPieces;
  hashes: BodyHashes;
  properties: ObjectProperties;
  /** Refuse to replace what is there. */
  onlyNew?: boolean;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/** Source: AWS API reference, PutObject. @returns the ETag, without quotes. */
export async function putObject(store: Store, put: PutObject): Promise<string> {
  const headers = propertyHeaders(put.properties);
  if (put.onlyNew) headers['if-none-match'] = '*';
  const payload = protect(store, headers, put.hashes);
  const answer = await withChecksums(store, () =>
    store.send({
      method: 'PUT',
      bucket: put.bucket,
      key: put.key,
      headers,
      body: put.body,
      payload,
      signal: put.signal,
      ...(put.onSent && { onSent: put.onSent }),
    }),
  );
  const etag = storedTag(answer);
  confirm(store, answer, put.hashes);
  return etag;
}

export function propertyHeaders(properties: ObjectProperties): Record<string, string> {
  const headers: Record<string, string> = {};
  if (properties.contentType !== undefined) headers['content-type'] = properties.contentType;
  if (properties.cacheControl !== undefined) headers['cache-control'] = properties.cacheControl;
  if (properties.contentDisposition !== undefined) headers['content-disposition'] = properties.contentDisposition;
  if (properties.contentEncoding !== undefined) headers['content-encoding'] = properties.contentEncoding;
  if (properties.storageClass !== undefined) headers['x-amz-storage-class'] = properties.storageClass;
  for (const name in properties.metadata) headers[`x-amz-meta-${name.toLowerCase()}`] = properties.metadata[name]!;
  return headers;
}
