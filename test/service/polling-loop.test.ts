import { afterEach, describe, expect, it, vi } from 'vitest';
import { PollingLoop } from '../../server/service/runtime/polling-loop.js';
import type { PollingLoopOptions } from '../../server/service/runtime/polling-loop.js';

const NEVER = 2 ** 31 - 1;

let loop: PollingLoop;
afterEach(() => loop.stop());

/** Starts a loop whose interval does not end within a test, unless `options` have another. */
function startLoop(round: PollingLoopOptions['round'], options: Partial<PollingLoopOptions> = {}): void {
  loop = new PollingLoop({ interval: NEVER, round, onFailure: () => {}, ...options });
  loop.start();
}

/** Returns a promise, and a function that resolves it. */
function createDeferred(): { promise: Promise<void>; resolve(): void } {
  let resolvePromise = (): void => {};
  const promise = new Promise<void>((resolve) => (resolvePromise = resolve));
  return { promise, resolve: () => resolvePromise() };
}

/** Resolves when the loop waits for its interval or has begun another round. */
const endMicrotasks = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('a polling loop', () => {
  it('works at its start, then at its interval', async () => {
    const round = vi.fn(async () => {});
    startLoop(round, { interval: 5 });
    await expect.poll(() => round.mock.calls.length).toBeGreaterThan(2);
  });

  it('uses the time that a round returns instead of the interval', async () => {
    const round = vi.fn(async () => (round.mock.calls.length < 5 ? 0 : NEVER));
    startLoop(round);
    await expect.poll(() => round.mock.calls.length).toBe(5);
  });

  it('works again when it is woken between rounds', async () => {
    const round = vi.fn(async () => {});
    startLoop(round);
    await expect.poll(() => round.mock.calls.length).toBe(1);
    await endMicrotasks();
    loop.wake();
    await expect.poll(() => round.mock.calls.length).toBe(2);
  });

  it('works once more when it is woken several times during a round', async () => {
    const deferred = createDeferred();
    const round = vi.fn(() => deferred.promise);
    startLoop(round);
    loop.wake();
    loop.wake();
    expect(round).toHaveBeenCalledTimes(1);
    deferred.resolve();
    await expect.poll(() => round.mock.calls.length).toBe(2);
    await endMicrotasks();
    expect(round).toHaveBeenCalledTimes(2);
  });

  it('continues after a failure, and reports only the first of several in a row', async () => {
    const failures: string[] = [];
    const round = vi.fn(async () => {
      const turn = round.mock.calls.length;
      if (turn > 5) return NEVER;
      if (turn !== 3) throw new Error(`round ${turn}`);
      return undefined;
    });
    startLoop(round, { interval: 0, onFailure: (cause) => failures.push((cause as Error).message) });
    await expect.poll(() => round.mock.calls.length).toBe(6);
    expect(failures).toEqual(['round 1', 'round 4']);
  });

  it('stops after the round that runs, whose signal it aborts', async () => {
    const steps: string[] = [];
    startLoop(
      async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        steps.push('aborted');
        throw new Error('interrupted');
      },
      { onFailure: () => steps.push('reported') },
    );
    await loop.stop();
    steps.push('stopped');
    expect(steps).toEqual(['aborted', 'stopped']);
  });

  it('starts no round after it was stopped', async () => {
    const round = vi.fn(async () => {});
    loop = new PollingLoop({ interval: 0, round, onFailure: () => {} });
    await loop.stop();
    loop.start();
    await loop.stop();
    expect(round).not.toHaveBeenCalled();
  });
});
