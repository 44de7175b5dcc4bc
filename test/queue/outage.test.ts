import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUploadQueue } from '../../src/queue/upload-queue.js';
import { DEFAULT_RETRY } from '../../src/queue/retry-delay.js';
import type { QueueOptions, UploadQueue } from '../../src/queue/types.js';
import { BlobError } from '../../src/protocol/errors.js';
import type { FileRecord } from '../../src/protocol/types.js';
// Loads the engine before the tests, some of which stop the clock.
import '../../src/queue/upload-engine.js';

vi.spyOn(console, 'warn').mockImplementation(() => {});
const files = (count: number) => Array.from({ length: count }, (_, at) => new File(['bytes'], `${at}.txt`));
const statuses = (queue: UploadQueue) => queue.items.map(({ state }) => state.status);

/** Time goes by, and what is no timer gets its turn. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at <= ms; at += 500) {
    await vi.advanceTimersByTimeAsync(Math.min(500, ms - at));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

/** A service that is away until `back`, and counts who knocks. */
function away(error: () => unknown) {
  const service = { knocks: 0, isBack: false };
  const answer = async <T>(what: T): Promise<T> => {
    service.knocks++;
    if (!service.isBack) throw error();
    return what;
  };
  return { service, answer };
}

describe('an outage while the browser says it is online', () => {
  let queue: UploadQueue;
  const start = (options: Partial<QueueOptions>) => (queue = createUploadQueue({ guard: false, ...options }));
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    queue.destroy();
    vi.useRealTimers();
  });

  const network = () => new BlobError('NETWORK_ERROR', 'No answer came.');
  const unavailable = () => new BlobError('UNEXPECTED_ANSWER', 'away', { status: 503 });

  it.each([network, unavailable])('of minutes is waited out: %#', async (error) => {
    const { service, answer } = away(error);
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(files(500));
    await pass(300_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 0 });
    // The first ones ask for all.
    expect(service.knocks).toBeLessThan(600);
    service.isBack = true;
    await pass(60_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 500 });
  });

  it('is given up when patience is at its end, and begins anew when asked to', async () => {
    const { service, answer } = away(network);
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(files(1));
    await pass(DEFAULT_RETRY.patience + 60_000);
    expect(statuses(queue)).toEqual(['failed']);
    service.isBack = true;
    queue.retry();
    await pass(1000);
    expect(statuses(queue)).toEqual(['done']);
  });

  it('is not shortened by a line that comes and goes: nobody waits while the browser is offline', async () => {
    const page = new EventTarget();
    const line = { onLine: true };
    vi.stubGlobal('navigator', line);
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    const { service, answer } = away(network);
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(files(1));
    for (let turn = 0; turn < 200; turn++) {
      await pass(0);
      line.onLine = !line.onLine;
      page.dispatchEvent(new Event(line.onLine ? 'online' : 'offline'));
    }
    expect(statuses(queue)).not.toContain('failed');
    service.isBack = true;
    await pass(60_000);
    expect(statuses(queue)).toEqual(['done']);
    vi.unstubAllGlobals();
  });

  it('does not add up with those before, where more of the file got through meanwhile', async () => {
    let there = 0;
    start({
      transport: {
        async send(_file, { resumed }) {
          resumed(there++);
          throw network();
        },
      },
    });
    queue.add([new File(['x'.repeat(1000)], 'long.bin')]);
    await pass(DEFAULT_RETRY.patience * 1.5);
    expect(statuses(queue)).not.toContain('failed');
  });

  it('ends for a file that waits as soon as the person says so', async () => {
    const { service, answer } = away(network);
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    const [item] = queue.add(files(1));
    await pass(60_000);
    expect(item!.state.status).toBe('waiting');
    service.isBack = true;
    queue.retry(item!.id);
    await pass(0);
    expect(item!.state.status).toBe('done');
  });

  it('that is a limiter’s fails no file, stated or not, and is not run into by all of them', async () => {
    const { service, answer } = away(() => new BlobError('RATE_LIMIT_EXCEEDED', 'slow down'));
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(files(500));
    await pass(120_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 0 });
    expect(service.knocks).toBeLessThan(120);
    service.isBack = true;
    await pass(60_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 500 });
  });

  it('that lasts as long as a service takes to come back to itself spends no more than its tries', async () => {
    const { service, answer } = away(() => new BlobError('INTERNAL_SERVER_ERROR', 'oh'));
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    start({ transport: { send: (item) => answer({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(files(6));
    await pass(50_000);
    service.isBack = true;
    await pass(60_000);
    expect(statuses(queue)).toEqual(Array(6).fill('done'));
    random.mockRestore();
  });

  it.each([
    ['network', () => new TypeError('Failed to fetch')],
    ['429', () => new BlobError('RATE_LIMIT_EXCEEDED', 'slow down')],
    ['500', () => new BlobError('INTERNAL_SERVER_ERROR', 'oh')],
  ])('of the token route fails no file, and is not run into by all of them: %s', async (_name, error) => {
    const { service, answer } = away(error);
    start({ tokenProvider: () => answer('svcup_x') });
    queue.add(files(2000));
    await pass(120_000);
    expect(queue.totals).toMatchObject({ failed: 0, queued: 2000 - queue.totals.active });
    expect(statuses(queue)[0]).toBe('waiting');
    expect(service.knocks).toBeGreaterThan(5);
    expect(service.knocks).toBeLessThan(60);
  });

  it('of the token route is told of every file once patience is at its end, or a longer one is asked for', async () => {
    const { answer } = away(() => new TypeError('Failed to fetch'));
    start({ tokenProvider: () => answer('svcup_x') });
    queue.add(files(50));
    await pass(DEFAULT_RETRY.patience + 60_000);
    expect(queue.totals).toMatchObject({ failed: 50 });
    queue.destroy();
    const tomorrow = away(() => new BlobError('RATE_LIMIT_EXCEEDED', 'no', { details: { retry_after: 86_400 } }));
    start({ tokenProvider: () => tomorrow.answer('svcup_x') });
    queue.add(files(50));
    await pass(100);
    expect(queue.totals).toMatchObject({ failed: 50 });
    expect(tomorrow.service.knocks).toBe(1);
  });
});
