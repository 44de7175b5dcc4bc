import { once } from 'node:events';
import type { BlobsContext } from '../context.js';

/** ms. */
const PATIENCE = 5000;

/** @throws when database or store cannot be reached, or does not answer in time. */
export async function ping({ metadata, bytes }: BlobsContext): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE);
  const late = once(signal, 'abort').then(() => signal.throwIfAborted());
  await Promise.race([Promise.all([metadata.ping(), bytes.ping(signal)]), late]);
}
