import { BlobError } from '../../protocol/errors.js';
import { hashWorker } from './hash-worker-client.js';
import { hashFile } from './hash-file.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../outcome.js';

/** Bytes up to which Web Crypto hashes a file in one piece, in a thread of the browser. */
const WEB_CRYPTO_MAX_BYTES = 4 * 1024 * 1024;

const hex = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Computes the SHA-256 of a file in lower-case hex. @throws DOMException if it cannot be read; the signal's reason */
export async function computeSha256(file: Blob, signal: AbortSignal): Promise<string> {
  // Web Crypto exists only in secure contexts.
  if (file.size <= WEB_CRYPTO_MAX_BYTES && globalThis.crypto.subtle)
    return hex(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return (await hashWorker.hash(file, signal)) ?? hashFile(file, signal);
}

/** Hashes files while they are sent. @returns a function that compares the outcomes, in the same order, with the hashes */
export function hashDuringUpload(
  group: readonly QueueItem[],
  signal: AbortSignal,
): (outcomes: readonly Outcome[]) => Promise<Outcome[]> {
  const digests = group.map(async (item) => (item.sha256 ??= await computeSha256(item.slice(), signal)));
  // A rejection counts only after the upload, when the digest is awaited.
  for (const digest of digests) digest.catch(() => {});
  return (outcomes) => Promise.all(outcomes.map((outcome, index) => verifyOutcome(outcome, digests[index]!)));
}

/** Compares the stored file with the digest of the chosen file. */
async function verifyOutcome(outcome: Outcome, digest: Promise<string>): Promise<Outcome> {
  if (outcome instanceof BlobError) return outcome;
  const sha256 = await digest;
  if (outcome.sha256 === sha256) return outcome;
  return new BlobError('CHECKSUM_MISMATCH', 'The stored file differs from the chosen file.', {
    details: { expected: sha256, actual: outcome.sha256 },
  });
}
