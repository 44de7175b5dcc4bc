import { expect } from 'chai';
import type { QueueEventMap, UploadItem, UploadQueue } from '../../../src/queue/types.js';
import { Bench, completed, someFiles, until } from './bench.js';

/** Calls back once, at the first event of a kind that fits. */
function atFirst<K extends keyof QueueEventMap>(
  queue: UploadQueue,
  type: K,
  act: (event: QueueEventMap[K]) => void,
  fits: (event: QueueEventMap[K]) => boolean = () => true,
): void {
  const stop = queue.on(type, (event) => {
    if (!fits(event)) return;
    stop();
    act(event);
  });
}

/** States that files got after they were taken off the list. */
function changesOfRemoved(queue: UploadQueue): string[] {
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

describe('a listener that changes the list', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  const broken = () => bench.rule({ method: 'POST', path: '^/v1/files', fault: { respond: { status: 500 } }, times: 1 });

  it('takes a file off the list when it is to be tried again', async () => {
    await broken();
    const queue = bench.queue({ batchUpTo: 0 });
    const seen = changesOfRemoved(queue);
    const removed = new Promise<void>((resolve) =>
      atFirst(queue, 'retry', ({ item }) => {
        queue.cancel(item.id);
        resolve();
      }),
    );
    queue.add(someFiles(1, 1000));
    await removed;
    expect(seen).to.deep.equal([]);
    const next = completed(queue);
    queue.add(someFiles(1, 2000));
    expect((await next).successful).to.have.length(1);
    expect(counts(queue)).to.deep.equal({ ...NONE, files: 1, done: 1, sent: 2000, bytes: 2000 });
  });

  it('pauses when a file is to be tried again', async () => {
    await broken();
    const queue = bench.queue({ batchUpTo: 0 });
    const paused = new Promise<void>((resolve) =>
      atFirst(queue, 'retry', () => {
        queue.pause();
        resolve();
      }),
    );
    const files = someFiles(1, 1000);
    queue.add(files);
    await paused;
    await Promise.resolve();
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['paused']);
    const done = completed(queue);
    queue.resume();
    expect((await done).successful).to.have.length(1);
    await bench.expectStoredOnce(files);
  });

  for (const [what, act] of [
    ['clears the list', (queue: UploadQueue) => queue.clear()],
    ['takes the other files off', (queue: UploadQueue) => queue.cancel()],
    ['pauses', (queue: UploadQueue) => queue.pause()],
  ] as const)
    it(`${what} when the first of a batch is stored`, async () => {
      const queue = bench.queue({ concurrency: 1 });
      const seen = changesOfRemoved(queue);
      atFirst(
        queue,
        'change',
        () => act(queue),
        ({ item }) => item.state.status === 'done',
      );
      const first = completed(queue);
      queue.add(someFiles(3, 1000));
      if (what === 'pauses') await until(queue, () => queue.paused);
      else await first;
      queue.resume();
      const { queued, active } = counts(queue);
      if (queued + active > 0) await completed(queue);
      const { length } = queue.items;
      expect(seen).to.deep.equal([]);
      expect(counts(queue)).to.deep.equal({ ...NONE, files: length, done: length, sent: length * 1000, bytes: length * 1000 });
    });

  it('asks for each file again as soon as no token comes', async () => {
    let asked = 0;
    const queue = bench.queue({
      concurrency: 1,
      tokenProvider: (request) => {
        asked += 1;
        if (asked < 3) throw new Error('not now');
        return bench.mint({ max_uses: request.files.length });
      },
    });
    let told = 0;
    queue.on('change', ({ item }) => {
      // A listener that is told in an endless loop ends it here.
      if (item.state.status === 'failed' && (told += 1) < 1000) queue.retry(item.id);
    });
    const files = someFiles(4, 1000);
    queue.add(files);
    await until(queue, () => queue.totals.done === 4);
    expect(told).to.be.below(20);
    await bench.expectStoredOnce(files);
  });

  it('finds no token at the files that are stored', async () => {
    const queue = bench.queue();
    const found: boolean[] = [];
    queue.on('change', ({ item }) => {
      if (item.state.status === 'done') found.push((item as UploadItem & { token?: unknown }).token !== undefined);
    });
    const done = completed(queue);
    queue.add(someFiles(2, 1000));
    await done;
    expect(found).to.deep.equal([false, false]);
  });
});
