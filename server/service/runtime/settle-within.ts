import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the work has ended or failed, and when the time is over at the latest. */
export async function settleWithin(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: ended.signal }).catch(() => {});
  await Promise.race([work.catch(() => {}), late]);
  ended.abort();
}
