import { once } from 'node:events';
import type { StorageContext } from '../context.js';

/** ms. */
const PING_TIMEOUT = 5000;

/** @throws when database or store cannot be reached, or does not answer in time. */
export async function ping({ metadata, bytes }: StorageContext): Promise<void> {
  const signal = AbortSignal.timeout(PING_TIMEOUT);
  const late = once(signal, 'abort').then(() => signal.throwIfAborted());
  await Promise.race([Promise.all([metadata.ping(), bytes.ping(signal)]), late]);
}
