import { queryString } from '../names.js';
import type { Store, StoreRequest } from '../store.js';
import type { BodyPieces, WireAnswer } from '../wire.js';
import { confirm, protect, storedTag, withChecksums } from './protect.js';
import type { BodyHashes } from './protect.js';
import { sendTrailed, trailed } from './trailer.js';

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
  const payload = protect(store, headers, part.hashes);
  const answer = await withChecksums(store, () => send(store, part, { headers, body: part.body, payload }));
  const etag = storedTag(answer);
  confirm(store, answer, part.hashes);
  return etag;
}

/** The same of a body that is read once, where `mayTrail` says so. @param step bytes of every piece but the last */
export async function uploadPartTrailed(
  store: Store,
  part: UploadPart & { body: BodyPieces },
  step: number,
): Promise<{ etag: string; checksum: string }> {
  const { checksum, ...body } = trailed(store, part.body, step);
  const answer = await sendTrailed(store, checksum, () => send(store, part, body));
  return { etag: storedTag(answer), checksum: checksum() };
}

function send(
  store: Store,
  { bucket, key, number, uploadId, signal, onSent }: UploadPart,
  body: Required<Pick<StoreRequest, 'headers' | 'body' | 'payload'>>,
): Promise<WireAnswer> {
  const query = queryString({ partNumber: number, uploadId });
  return store.send({ method: 'PUT', bucket, key, query, ...body, signal, ...(onSent && { onSent }) });
}
