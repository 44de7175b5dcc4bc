import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the work has ended or failed, but not longer than the given time. Never rejects. */
export async function settleWithin(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: ended.signal }).catch(() => {});
  await Promise.race([work.catch(() => {}), timeout]);
  ended.abort();
}
