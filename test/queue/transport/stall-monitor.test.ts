import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Watchdog } from '../../../src/queue/transport/stall-monitor.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('rings again as long as nothing moves, each time later, soon again after something did, and never once it is stopped', () => {
  const rung: number[] = [];
  const from = performance.now();
  const watchdog = new Watchdog(100, () => rung.push(performance.now() - from));
  vi.advanceTimersByTime(1000);
  expect(rung).toEqual([100, 300, 700]);
  watchdog.note(100);
  vi.advanceTimersByTime(150);
  // The timer itself is not touched by a note: it looks back when it rings.
  vi.advanceTimersByTime(350);
  expect(rung).toHaveLength(4);
  watchdog.stop();
  vi.advanceTimersByTime(10_000);
  expect(rung).toHaveLength(4);
});

it('is stopped by what it calls', () => {
  let rung = 0;
  const watchdog: Watchdog = new Watchdog(100, () => {
    rung += 1;
    watchdog.stop();
  });
  vi.advanceTimersByTime(10_000);
  expect(rung).toBe(1);
});
