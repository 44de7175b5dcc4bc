import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedClock } from '../../server/service/drivers/metadata/shared-clock.js';

const HOUR = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A database an hour ahead. Each response takes the next of these times, ms, all of it before the clock is read, and later ones the last. */
function database(...delays: number[]): () => Promise<number> {
  return async () => {
    vi.advanceTimersByTime((delays.length > 1 ? delays.shift() : delays[0])!);
    return Date.now() + HOUR;
  };
}

it('continues the time of the database', async () => {
  const clock = new SharedClock(database(0));
  expect(await clock.measure(Date.now)).toBe(-HOUR);
  vi.advanceTimersByTime(250);
  expect(clock.now()).toBe(Date.now() + HOUR);
});

it('is not wrong because the first response waited for a connection', async () => {
  const clock = new SharedClock(database(200, 2));
  await clock.measure(Date.now);
  expect(clock.now() - Date.now() - HOUR).toBe(1);
});

it('keeps its time if all responses are too slow to be accurate', async () => {
  const delays = [0, 0, 0, 0, 8000];
  const clock = new SharedClock(database(...delays));
  await clock.measure(Date.now);
  await expect(clock.measure(Date.now)).rejects.toMatchObject({
    message: 'The database took 8000 ms to return its time.',
  });
  expect(clock.now()).toBe(Date.now() + HOUR);
});
