import { queryString } from '../names.js';
import type { Store } from '../store.js';
import type { BodyPieces } from '../wire.js';
import { confirm, protect, storedTag, withChecksums } from './protect.js';
import type { BodyHashes } from './protect.js';

export interface UploadPart {
  bucket: string;
  key: string;
  uploadId: string;
  /** 1..10000 */
  number: number;
  body: Uint8Array | BodyPieces;
  hashes: BodyHashes;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/** Source: AWS API reference, UploadPart. @returns the part's ETag, without quotes. */
export async function uploadPart(store: Store, part: UploadPart): Promise<string> {
  const headers: Record<string, string> = {};
  const payload = protect(store, headers, part.hashes);
  const answer = await withChecksums(store, () =>
    store.send({
      method: 'PUT',
      bucket: part.bucket,
      key: part.key,
      query: queryString({ partNumber: part.number, uploadId: part.uploadId }),
      headers,
      body: part.body,
      payload,
      signal: part.signal,
      ...(part.onSent && { onSent: part.onSent }),
    }),
  );
  const etag = storedTag(answer);
  confirm(store, answer, part.hashes);
  return etag;
}
