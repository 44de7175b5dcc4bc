import { describe, expect, it } from 'vitest';
import { FairConcurrencyLimit } from '../../server/service/images/fair-concurrency-limit.js';
import type { FairConcurrencyLimits } from '../../server/service/images/fair-concurrency-limit.js';

/** A limit whose jobs end when the test says so. */
function controlled(limits: Partial<FairConcurrencyLimits> = {}) {
  const busy = () => new Error('busy');
  const limit = new FairConcurrencyLimit({
    maxRunning: 2,
    maxRunningPerAccount: 2,
    maxWaiting: 100,
    maxPerAccount: 100,
    busy,
    ...limits,
  });
  const running: { name: string; end: () => void }[] = [];
  const names = () => running.map(({ name }) => name);
  const add = (name: string, signal?: AbortSignal) => {
    const job = () =>
      new Promise<string>((resolve) => {
        running.push({ name, end: () => resolve(name) });
      });
    return limit.run(name[0]!, job, signal).catch(({ message }: Error) => message);
  };
  const end = async (name: string) => {
    running.splice(names().indexOf(name), 1)[0]!.end();
    await new Promise(setImmediate);
  };
  return { add, end, names };
}

describe('a fair limit of jobs', () => {
  it('lets accounts take turns', async () => {
    const { add, end, names } = controlled({ maxRunning: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void add(name);
    const order: string[] = [];
    while (names().length > 0) {
      order.push(...names());
      await end(names()[0]!);
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives one account all places, until another waits', async () => {
    const { add, end, names } = controlled();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name);
    expect(names()).toEqual(['a1', 'a2']);
    void add('b1');
    void add('b2');
    await end('a1');
    expect(names()).toEqual(['a2', 'b1']);
    await end('b1');
    // The other account has a place already.
    expect(names()).toEqual(['a2', 'b2']);
    await end('b2');
    expect(names()).toEqual(['a2', 'a3']);
  });

  it('keeps a place free that one account may not have', async () => {
    const { add, end, names } = controlled({ maxRunning: 3 });
    for (const name of ['a1', 'a2', 'a3']) void add(name);
    expect(names()).toEqual(['a1', 'a2']);
    void add('b1');
    expect(names()).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(names()).toEqual(['a2', 'b1', 'a3']);
  });

  it('refuses jobs beyond the limits of an account and of all', async () => {
    const { add } = controlled({ maxRunning: 1, maxPerAccount: 2, maxWaiting: 2 });
    for (const name of ['a1', 'a2', 'b1']) void add(name);
    expect(await add('a3')).toBe('busy');
    expect(await add('c1')).toBe('busy');
  });

  it('forgets a job whose caller leaves while it waits', async () => {
    const { add, end, names } = controlled({ maxRunning: 1, maxWaiting: 1 });
    void add('a1');
    const leave = new AbortController();
    const left = add('b1', leave.signal);
    leave.abort(new Error('left'));
    expect(await left).toBe('left');
    expect(await add('b2', leave.signal)).toBe('left');
    void add('c1');
    await end('a1');
    expect(names()).toEqual(['c1']);
  });
});
