import { once } from 'node:events';
import type { StorageContext } from '../context.js';

const PING_TIMEOUT_MS = 5000;

/** @throws if the database or the store cannot be reached within 5 seconds. */
export async function ping({ metadata, bytes }: StorageContext): Promise<void> {
  const signal = AbortSignal.timeout(PING_TIMEOUT_MS);
  const late = once(signal, 'abort').then(() => signal.throwIfAborted());
  await Promise.race([Promise.all([metadata.ping(), bytes.ping(signal)]), late]);
}
