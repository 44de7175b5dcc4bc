import type { Store } from '../object-store.js';
import type { ObjectProperties } from '../../types.js';
import type { BodyPieces } from '../../http/http-client.js';
import { propertyHeaders } from './properties.js';
import { confirmChecksum, addChecksumHeaders, storedEtag, withChecksums } from './body-checksums.js';
import type { BodyHashes } from './body-checksums.js';

/** Request to create an object. */
export interface PutObject {
  bucket: string;
  key: string;
  body: Uint8Array | BodyPieces;
  hashes: BodyHashes;
  properties: ObjectProperties;
  /** Never replaces an object. @default false */
  onlyNew?: boolean;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/**
 * Creates an object.
 * @returns its ETag, without quotes
 * @throws S3Error `ChecksumMismatch`, or `PreconditionFailed` if `onlyNew` is set and an object exists
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export async function putObject(store: Store, put: PutObject): Promise<string> {
  const headers = propertyHeaders(put.properties);
  if (put.onlyNew) headers['if-none-match'] = '*';
  const payloadHash = addChecksumHeaders(store, headers, put.hashes);
  const response = await withChecksums(store, () =>
    store.send({
      method: 'PUT',
      bucket: put.bucket,
      key: put.key,
      headers,
      body: put.body,
      payloadHash,
      signal: put.signal,
      ...(put.onSent && { onSent: put.onSent }),
    }),
  );
  const etag = storedEtag(response);
  confirmChecksum(store, response, put.hashes);
  return etag;
}
