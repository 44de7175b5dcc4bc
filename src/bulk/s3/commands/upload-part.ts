import { queryString } from '../object-keys.js';
import type { Store, StoreRequest } from '../object-store.js';
import type { BodyPieces, HttpResponse } from '../../http/http-client.js';
import { confirmChecksum, addChecksumHeaders, storedEtag, withChecksums } from './body-checksums.js';
import type { BodyHashes } from './body-checksums.js';

/** Request to upload one part. */
export interface UploadPart {
  bucket: string;
  key: string;
  uploadId: string;
  /** Part number, 1 to 10000. */
  number: number;
  body: Uint8Array | BodyPieces;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/**
 * Uploads one part.
 * @returns the ETag of the part, without quotes
 * @throws S3Error `ChecksumMismatch`
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html
 */
export async function uploadPart(store: Store, part: UploadPart & { hashes: BodyHashes }): Promise<string> {
  const headers: Record<string, string> = {};
  const payloadHash = addChecksumHeaders(store, headers, part.hashes);
  const response = await withChecksums(store, () => sendPartBody(store, part, { headers, body: part.body, payloadHash }));
  const etag = storedEtag(response);
  confirmChecksum(store, response, part.hashes);
  return etag;
}

/** Sends the body of a part. @param body the body, its headers and the payload hash to sign */
export function sendPartBody(
  store: Store,
  { bucket, key, number, uploadId, signal, onSent }: UploadPart,
  body: Required<Pick<StoreRequest, 'headers' | 'body' | 'payloadHash'>>,
): Promise<HttpResponse> {
  const query = queryString({ partNumber: number, uploadId });
  return store.send({ method: 'PUT', bucket, key, query, ...body, signal, ...(onSent && { onSent }) });
}
