// Every browser: engines implement XHR uploads differently.
import { expect } from 'chai';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { UploadQueue } from '../../../src/queue/types.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport, TransportFile, TransportContext } from '../../../src/protocol/transport.js';
import type { FileRecord } from '../../../src/protocol/types.js';

const recordOf = ({ name, size }: TransportFile) => ({ id: name, path: `there/${name}`, name, size, sha256: '' }) as FileRecord;
const files = (count: number) => Array.from({ length: count }, (_, at) => new File(['12345678'], `${at}.txt`));
const completed = (queue: UploadQueue) => new Promise((resolve) => queue.on('complete', resolve));

/** A way that does what the test says, file by file. */
class Way implements Transport {
  readonly sent: TransportFile[] = [];
  readonly abandoned: string[] = [];
  constructor(private readonly act: (file: TransportFile, passage: TransportContext, turn: number) => unknown) {}

  async send(file: TransportFile, passage: TransportContext): Promise<FileRecord> {
    this.sent.push(file);
    await this.act(file, passage, this.sent.length);
    return recordOf(file);
  }

  abandon({ name }: TransportFile): void {
    this.abandoned.push(name);
  }
}

const held = (_: TransportFile, { signal }: TransportContext) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a transport of the page', () => {
  let queue: UploadQueue;
  const begin = (transport: Transport) => {
    const tokenProvider = () => Promise.reject(new BlobError('TOKEN_SUPPLY_FAILED', 'No token may be asked for.'));
    const retry = { tries: 3, base: 1, cap: 2, patience: 1000 };
    return (queue = createUploadQueue({ transport, tokenProvider, retry, concurrency: 2, guard: false, stallAfter: 1 }));
  };
  afterEach(() => queue.destroy());

  it('carries every file by itself, without a token, at most so many at once', async () => {
    let most = 0;
    let now = 0;
    const way = new Way(async (_, { progress }) => {
      most = Math.max(most, ++now);
      progress(4);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
    });
    begin(way);
    const end = completed(queue);
    const [first] = queue.add(files(7));
    await end;
    expect(way.sent.map(({ name }) => name)).to.have.members(files(7).map(({ name }) => name));
    expect(most).to.equal(2);
    expect(first!.state).to.deep.equal({ status: 'done', file: recordOf({ ...first!, file: first!.file!, name: '0.txt' }) });
    expect(queue.totals).to.include({ done: 7, sent: 56 });
  });

  it('is asked again after what may pass, and not after a no', async () => {
    const way = new Way(({ name }, _, turn) => {
      if (name === '0.txt' && turn < 3) throw new BlobError('UNEXPECTED_ANSWER', 'SlowDown', { status: 503 });
      if (name === '1.txt') throw new BlobError('FILE_EXISTS', 'It is there.');
    });
    begin(way);
    const end = completed(queue);
    queue.add(files(2));
    await end;
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['done', 'failed']);
    expect(way.sent.map(({ name }) => name).toSorted()).to.deep.equal(['0.txt', '0.txt', '1.txt'].toSorted());
  });

  it('is not asked again for a mistake, whatever engine tells it', async () => {
    begin({ send: async () => (undefined as unknown as { file: FileRecord }).file });
    const end = completed(queue);
    queue.add(files(1));
    await end;
    queue.configure({ transport: 's3' as unknown as Transport });
    const again = completed(queue);
    queue.add(files(2).slice(1));
    await again;
    for (const { state } of queue.items) expect(state).to.have.nested.property('error.path', 'transport');
  });

  it('has no speed while nothing gets through, nor a made-up one right after', async () => {
    let away = true;
    const way = new Way(async (_, { progress }) => {
      progress(8);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (away) throw new BlobError('NETWORK_ERROR', 'The line was cut.');
    });
    begin(way);
    queue.configure({ retry: { tries: 3, base: 20, cap: 40, patience: 60_000 } });
    queue.add(files(400));
    const end = completed(queue);
    const said = async (ms: number) => {
      const all = new Set<number | null>();
      for (const until = performance.now() + ms; performance.now() < until;) {
        all.add(queue.totals.speed);
        all.add(queue.totals.secondsLeft);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return [...all];
    };
    expect(await said(2500)).to.deep.equal([null]);
    away = false;
    const times = await said(2000);
    // Two at once, a fiftieth of a second each and more.
    for (const time of times) if (time !== null) expect(time).to.be.within(1, 900);
    expect(times.length).to.be.above(2);
    queue.clear();
    await end;
  });

  it('is stopped by a pause, goes on, and is told of what a person takes off', async () => {
    let open = false;
    const way = new Way((file, passage) => {
      passage.resumed(3);
      return open ? undefined : held(file, passage);
    });
    begin(way);
    const [one, two] = queue.add(files(2));
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    queue.pause();
    expect(one!.state).to.deep.equal({ status: 'paused', sent: 3 });
    expect(way.abandoned).to.deep.equal([]);
    queue.cancel(two!.id);
    expect(way.abandoned).to.deep.equal(['1.txt']);
    open = true;
    const end = completed(queue);
    queue.resume();
    await end;
    expect(one!.state.status).to.equal('done');
  });
});
