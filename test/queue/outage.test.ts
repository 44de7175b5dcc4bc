import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUploadQueue } from '../../src/queue/upload-queue.js';
import { DEFAULT_RETRY } from '../../src/queue/retry-policy.js';
import type { QueueOptions, UploadQueue } from '../../src/queue/types.js';
import { BlobError } from '../../src/protocol/errors.js';
import type { FileRecord } from '../../src/protocol/types.js';
// Loads the engine before the tests, some of which stop the clock.
import '../../src/queue/upload-engine.js';

vi.spyOn(console, 'warn').mockImplementation(() => {});
const createFiles = (count: number) => Array.from({ length: count }, (_, index) => new File(['bytes'], `${index}.txt`));
const statuses = (queue: UploadQueue) => queue.items.map(({ state }) => state.status);

/** Advances the clock, and lets promises and tasks between the timers run. */
async function advance(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 500) {
    await vi.advanceTimersByTimeAsync(Math.min(500, ms - passed));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

/** Simulates a service that fails every request until `isBack`, and counts the requests. */
function failUntilBack(error: () => unknown) {
  const service = { requests: 0, isBack: false };
  const respond = async <T>(response: T): Promise<T> => {
    service.requests++;
    if (!service.isBack) throw error();
    return response;
  };
  return { service, respond };
}

describe('an outage while the browser reports a connection', () => {
  let queue: UploadQueue;
  const start = (options: Partial<QueueOptions>) => (queue = createUploadQueue({ preventsLeaving: false, ...options }));
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    queue.destroy();
    vi.useRealTimers();
  });

  const network = () => new BlobError('NETWORK_ERROR', 'No response came.');
  const unavailable = () => new BlobError('UNEXPECTED_ANSWER', 'away', { status: 503 });

  it.each([network, unavailable])('of minutes fails no file: %#', async (error) => {
    const { service, respond } = failUntilBack(error);
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(createFiles(500));
    await advance(300_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 0 });
    // Only the first files are retried. The others wait for them.
    expect(service.requests).toBeLessThan(600);
    service.isBack = true;
    await advance(60_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 500 });
  });

  it('fails files after the patience, which can be retried', async () => {
    const { service, respond } = failUntilBack(network);
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(createFiles(1));
    await advance(DEFAULT_RETRY.maxWaitMs + 60_000);
    expect(statuses(queue)).toEqual(['failed']);
    service.isBack = true;
    queue.retry();
    await advance(1000);
    expect(statuses(queue)).toEqual(['done']);
  });

  it('fails no file if the connection comes and goes, because time offline does not count', async () => {
    const page = new EventTarget();
    const connection = { onLine: true };
    vi.stubGlobal('navigator', connection);
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
    const { service, respond } = failUntilBack(network);
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(createFiles(1));
    for (let turn = 0; turn < 200; turn++) {
      await advance(0);
      connection.onLine = !connection.onLine;
      page.dispatchEvent(new Event(connection.onLine ? 'online' : 'offline'));
    }
    expect(statuses(queue)).not.toContain('failed');
    service.isBack = true;
    await advance(60_000);
    expect(statuses(queue)).toEqual(['done']);
    vi.unstubAllGlobals();
  });

  it('does not add up with earlier ones if more of the file was stored meanwhile', async () => {
    let stored = 0;
    start({
      transport: {
        async send(_file, { resumed }) {
          resumed(stored++);
          throw network();
        },
      },
    });
    queue.add([new File(['x'.repeat(1000)], 'long.bin')]);
    await advance(DEFAULT_RETRY.maxWaitMs * 1.5);
    expect(statuses(queue)).not.toContain('failed');
  });

  it('ends for a waiting file when the person retries it', async () => {
    const { service, respond } = failUntilBack(network);
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    const [item] = queue.add(createFiles(1));
    await advance(60_000);
    expect(item!.state.status).toBe('waiting');
    service.isBack = true;
    queue.retry(item!.id);
    await advance(0);
    expect(item!.state.status).toBe('done');
  });

  it('caused by a rate limit without a stated pause fails no file, and only a few files are retried', async () => {
    const { service, respond } = failUntilBack(() => new BlobError('RATE_LIMIT_EXCEEDED', 'slow down'));
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(createFiles(500));
    await advance(120_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 0 });
    expect(service.requests).toBeLessThan(120);
    service.isBack = true;
    await advance(60_000);
    expect(queue.totals).toMatchObject({ failed: 0, done: 500 });
  });

  it('of 50 seconds with status 500 takes no more than the allowed attempts', async () => {
    const { service, respond } = failUntilBack(() => new BlobError('INTERNAL_SERVER_ERROR', 'oh'));
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    start({ transport: { send: (item) => respond({ id: item.name, path: item.name } as FileRecord) } });
    queue.add(createFiles(6));
    await advance(50_000);
    service.isBack = true;
    await advance(60_000);
    expect(statuses(queue)).toEqual(Array(6).fill('done'));
    random.mockRestore();
  });

  it.each([
    ['network', () => new TypeError('Failed to fetch')],
    ['429', () => new BlobError('RATE_LIMIT_EXCEEDED', 'slow down')],
    ['500', () => new BlobError('INTERNAL_SERVER_ERROR', 'oh')],
  ])('of the token route fails no file, and the route is called a few times only: %s', async (_name, error) => {
    const { service, respond } = failUntilBack(error);
    start({ tokenProvider: () => respond('svcup_x') });
    queue.add(createFiles(2000));
    await advance(120_000);
    expect(queue.totals).toMatchObject({ failed: 0, queued: 2000 - queue.totals.active });
    // Random delays decide which files wait and which are queued again.
    expect(statuses(queue)).toContain('waiting');
    expect(service.requests).toBeGreaterThan(5);
    expect(service.requests).toBeLessThan(60);
  });

  it('of the token route fails all files after the patience, or at once if a longer pause is requested', async () => {
    const { respond } = failUntilBack(() => new TypeError('Failed to fetch'));
    start({ tokenProvider: () => respond('svcup_x') });
    queue.add(createFiles(50));
    await advance(DEFAULT_RETRY.maxWaitMs + 60_000);
    expect(queue.totals).toMatchObject({ failed: 50 });
    queue.destroy();
    const tomorrow = failUntilBack(() => new BlobError('RATE_LIMIT_EXCEEDED', 'no', { details: { retry_after: 86_400 } }));
    start({ tokenProvider: () => tomorrow.respond('svcup_x') });
    queue.add(createFiles(50));
    await advance(100);
    expect(queue.totals).toMatchObject({ failed: 50 });
    expect(tomorrow.service.requests).toBe(1);
  });
});
