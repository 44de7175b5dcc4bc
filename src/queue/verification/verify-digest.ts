import { BlobError } from '../../protocol/errors.js';
import { hashWorker } from './hash-worker-client.js';
import { hashFile } from './hash-file.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../scheduler/retry-decision.js';

/** Up to this many bytes the browser's own digest is fed at once; it works beside the page's thread. */
const WHOLE = 4 * 1024 * 1024;

const hex = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The SHA-256 of a file in lower-case hex. @throws DOMException when it cannot be read; the signal's reason */
export async function computeSha256(file: Blob, signal: AbortSignal): Promise<string> {
  // Outside secure contexts there is no Web Crypto.
  if (file.size <= WHOLE && globalThis.crypto.subtle) return hex(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return (await hashWorker.hash(file, signal)) ?? hashFile(file, signal);
}

/** Hashes files beside their upload, each once. @returns what holds the outcomes, in the same order, against the hashes */
export function hashDuringUpload(
  group: readonly QueueItem[],
  signal: AbortSignal,
): (outcomes: readonly Outcome[]) => Promise<Outcome[]> {
  const digests = group.map(async (item) => (item.sha256 ??= await computeSha256(item.slice(), signal)));
  // Who fails is heard when the upload is through, or not at all.
  for (const digest of digests) digest.catch(() => {});
  return (outcomes) => Promise.all(outcomes.map((outcome, index) => verified(outcome, digests[index]!)));
}

/** What the service stored, held against what the file is. */
async function verified(outcome: Outcome, digest: Promise<string>): Promise<Outcome> {
  if (outcome instanceof BlobError) return outcome;
  const sha256 = await digest;
  if (outcome.sha256 === sha256) return outcome;
  return new BlobError('CHECKSUM_MISMATCH', 'Other bytes were stored than the file has.', {
    details: { expected: sha256, actual: outcome.sha256 },
  });
}
