import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InactivityTimer } from '../../../src/queue/transport/inactivity-timer.js';

describe('the inactivity timer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Starts a timer of 100 ms and records when it calls back. */
  function startTimer() {
    const startedAt = performance.now();
    const calls: number[] = [];
    const timer = new InactivityTimer(100, () => calls.push(performance.now() - startedAt));
    return { timer, calls };
  }

  it('calls back after each doubled time without activity', () => {
    const { timer, calls } = startTimer();
    vi.advanceTimersByTime(1000);
    expect(calls).toEqual([100, 300, 700]);
    timer.stop();
  });

  it('starts again with the given limit after activity', () => {
    const { timer, calls } = startTimer();
    vi.advanceTimersByTime(1000);
    timer.reset(100);
    vi.advanceTimersByTime(500);
    expect(calls).toHaveLength(4);
    timer.stop();
  });

  it('never calls back after it is stopped', () => {
    const { timer, calls } = startTimer();
    timer.stop();
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual([]);
  });

  it('can be stopped by its own callback', () => {
    let calls = 0;
    const timer: InactivityTimer = new InactivityTimer(100, () => {
      calls += 1;
      timer.stop();
    });
    vi.advanceTimersByTime(10_000);
    expect(calls).toBe(1);
  });
});
