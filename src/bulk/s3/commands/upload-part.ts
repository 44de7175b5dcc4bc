import { queryString } from '../object-keys.js';
import type { Store, StoreRequest } from '../object-store.js';
import type { BodyPieces, HttpResponse } from '../../http/http-client.js';
import { confirmChecksum, addChecksumHeaders, storedEtag, withChecksums } from './body-checksums.js';
import type { BodyHashes } from './body-checksums.js';

export interface UploadPart {
  bucket: string;
  key: string;
  uploadId: string;
  /** 1..10000 */
  number: number;
  body: Uint8Array | BodyPieces;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/** Source: AWS API reference, UploadPart. @returns the part's ETag, without quotes. */
export async function uploadPart(store: Store, part: UploadPart & { hashes: BodyHashes }): Promise<string> {
  const headers: Record<string, string> = {};
  const payloadHash = addChecksumHeaders(store, headers, part.hashes);
  const response = await withChecksums(store, () => sendPartBody(store, part, { headers, body: part.body, payloadHash }));
  const etag = storedEtag(response);
  confirmChecksum(store, response, part.hashes);
  return etag;
}

/** @param body how it goes, with what is signed in its place */
export function sendPartBody(
  store: Store,
  { bucket, key, number, uploadId, signal, onSent }: UploadPart,
  body: Required<Pick<StoreRequest, 'headers' | 'body' | 'payloadHash'>>,
): Promise<HttpResponse> {
  const query = queryString({ partNumber: number, uploadId });
  return store.send({ method: 'PUT', bucket, key, query, ...body, signal, ...(onSent && { onSent }) });
}
