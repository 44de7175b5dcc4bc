import { expect } from 'chai';
import type { QueueEventMap, UploadItem, UploadQueue } from '../../../src/queue/types.js';
import { FaultyService, waitForCompletion, createFiles, until } from './faulty-service.js';

/** Calls a function once, at the first event that matches. */
function onFirst<K extends keyof QueueEventMap>(
  queue: UploadQueue,
  type: K,
  act: (event: QueueEventMap[K]) => void,
  matches: (event: QueueEventMap[K]) => boolean = () => true,
): void {
  const stop = queue.on(type, (event) => {
    if (!matches(event)) return;
    stop();
    act(event);
  });
}

/** Collects the states that files get after they are removed from the list. */
function watchRemoved(queue: UploadQueue): string[] {
  const seen: string[] = [];
  queue.on('change', ({ item }) => {
    if (queue.get(item.id) === undefined) seen.push(item.state.status);
  });
  return seen;
}

const counts = ({ totals: { files, queued, active, done, failed, sent, bytes } }: UploadQueue) => ({
  files,
  queued,
  active,
  done,
  failed,
  sent,
  bytes,
});
const NONE = { files: 0, queued: 0, active: 0, done: 0, failed: 0, sent: 0, bytes: 0 };

describe('a listener of the queue', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(() => service.close());

  const failFirstRequest = () =>
    service.rule({ method: 'POST', path: '^/v1/files', fault: { respond: { status: 500 } }, times: 1 });

  it('can remove a file that waits for a retry', async () => {
    await failFirstRequest();
    const queue = service.queue({ batchUpTo: 0 });
    const seen = watchRemoved(queue);
    const removed = new Promise<void>((resolve) =>
      onFirst(queue, 'retry', ({ item }) => {
        queue.cancel(item.id);
        resolve();
      }),
    );
    queue.add(createFiles(1, 1000));
    await removed;
    expect(seen).to.deep.equal([]);
    const next = waitForCompletion(queue);
    queue.add(createFiles(1, 2000));
    expect((await next).successful).to.have.length(1);
    expect(counts(queue)).to.deep.equal({ ...NONE, files: 1, done: 1, sent: 2000, bytes: 2000 });
  });

  it('can pause the queue when a file waits for a retry', async () => {
    await failFirstRequest();
    const queue = service.queue({ batchUpTo: 0 });
    const paused = new Promise<void>((resolve) =>
      onFirst(queue, 'retry', () => {
        queue.pause();
        resolve();
      }),
    );
    const files = createFiles(1, 1000);
    queue.add(files);
    await paused;
    await Promise.resolve();
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['paused']);
    const done = waitForCompletion(queue);
    queue.resume();
    expect((await done).successful).to.have.length(1);
    await service.expectStoredOnce(files);
  });

  for (const [what, act] of [
    ['clear the list', (queue: UploadQueue) => queue.clear()],
    ['remove the other files', (queue: UploadQueue) => queue.cancel()],
    ['pause', (queue: UploadQueue) => queue.pause()],
  ] as const)
    it(`can ${what} when the first file of a batch is stored`, async () => {
      const queue = service.queue({ concurrency: 1 });
      const seen = watchRemoved(queue);
      onFirst(
        queue,
        'change',
        () => act(queue),
        ({ item }) => item.state.status === 'done',
      );
      const first = waitForCompletion(queue);
      queue.add(createFiles(3, 1000));
      if (what === 'pause') await until(queue, () => queue.paused);
      else await first;
      queue.resume();
      const { queued, active } = counts(queue);
      if (queued + active > 0) await waitForCompletion(queue);
      const { length } = queue.items;
      expect(seen).to.deep.equal([]);
      expect(counts(queue)).to.deep.equal({ ...NONE, files: length, done: length, sent: length * 1000, bytes: length * 1000 });
    });

  it('can retry each file as soon as the request for a token fails', async () => {
    let requests = 0;
    const queue = service.queue({
      concurrency: 1,
      tokenProvider: (request) => {
        requests += 1;
        if (requests < 3) throw new Error('not now');
        return service.mint({ max_uses: request.files.length });
      },
    });
    let failures = 0;
    queue.on('change', ({ item }) => {
      // Ends an endless loop.
      if (item.state.status === 'failed' && (failures += 1) < 1000) queue.retry(item.id);
    });
    const files = createFiles(4, 1000);
    queue.add(files);
    await until(queue, () => queue.totals.done === 4);
    expect(failures).to.be.below(20);
    await service.expectStoredOnce(files);
  });

  it('sees no token in stored files', async () => {
    const queue = service.queue();
    const hasToken: boolean[] = [];
    queue.on('change', ({ item }) => {
      if (item.state.status === 'done') hasToken.push((item as UploadItem & { token?: unknown }).token !== undefined);
    });
    const done = waitForCompletion(queue);
    queue.add(createFiles(2, 1000));
    await done;
    expect(hasToken).to.deep.equal([false, false]);
  });
});
