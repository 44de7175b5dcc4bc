import { once } from 'node:events';
import type { StorageContext } from '../context.js';

const PING_TIMEOUT_MS = 5000;

/** @throws if the database or the store cannot be reached within 5 seconds. */
async function ping({ metadata, bytes }: StorageContext): Promise<void> {
  const signal = AbortSignal.timeout(PING_TIMEOUT_MS);
  const late = once(signal, 'abort').then(() => signal.throwIfAborted());
  await Promise.race([Promise.all([metadata.ping(), bytes.ping(signal)]), late]);
}

/** A result is reused for this long. */
const REUSE_MS = 1000;

/** Checks database and store at most once a second, however often it is asked. */
export class ReusedPing {
  #last: { validUntil: number; result: Promise<void> } | undefined;

  constructor(private readonly context: StorageContext) {}

  /** @throws if database or store cannot be reached within 5 seconds. */
  check(): Promise<void> {
    if (!this.#last || performance.now() > this.#last.validUntil) {
      const current = {
        validUntil: Infinity,
        result: ping(this.context).finally(() => (current.validUntil = performance.now() + REUSE_MS)),
      };
      this.#last = current;
    }
    return this.#last.result;
  }
}
