import { expect } from 'chai';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { UploadQueue } from '../../../src/queue/types.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport, TransportFile, TransportContext } from '../../../src/protocol/transport.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { until } from './faulty-service.js';

const recordOf = ({ name, size }: TransportFile) => ({ id: name, path: `there/${name}`, name, size, sha256: '' }) as FileRecord;
const createFiles = (count: number) => Array.from({ length: count }, (_, index) => new File(['12345678'], `${index}.txt`));
const waitForCompletion = (queue: UploadQueue) => new Promise((resolve) => queue.on('complete', resolve));

/** A transport that calls a function of the test for each file. */
class ScriptedTransport implements Transport {
  readonly sent: TransportFile[] = [];
  readonly abandoned: string[] = [];
  constructor(private readonly act: (file: TransportFile, context: TransportContext, turn: number) => unknown) {}

  async send(file: TransportFile, context: TransportContext): Promise<FileRecord> {
    this.sent.push(file);
    await this.act(file, context, this.sent.length);
    return recordOf(file);
  }

  abandon({ name }: TransportFile): void {
    this.abandoned.push(name);
  }
}

const waitForAbort = (_: TransportFile, { signal }: TransportContext) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a transport of the page', () => {
  let queue: UploadQueue;
  const createQueue = (transport: Transport) => {
    const tokenProvider = () => Promise.reject(new BlobError('TOKEN_SUPPLY_FAILED', 'No token may be requested.'));
    const retry = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2, maxWaitMs: 1000 };
    return (queue = createUploadQueue({
      transport,
      tokenProvider,
      retry,
      concurrency: 2,
      preventsLeaving: false,
      stallAfter: 1,
    }));
  };
  afterEach(() => queue.destroy());

  it('sends each file by itself, without a token, within the limit of parallel requests', async () => {
    let most = 0;
    let now = 0;
    const transport = new ScriptedTransport(async (_, { progress }) => {
      most = Math.max(most, ++now);
      progress(4);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
    });
    createQueue(transport);
    const end = waitForCompletion(queue);
    const [first] = queue.add(createFiles(7));
    await end;
    expect(transport.sent.map(({ name }) => name)).to.have.members(createFiles(7).map(({ name }) => name));
    expect(most).to.equal(2);
    expect(first!.state).to.deep.equal({ status: 'done', file: recordOf({ ...first!, file: first!.file!, name: '0.txt' }) });
    expect(queue.totals).to.include({ done: 7, sent: 56 });
  });

  it('is called again after a temporary error, and not after a refusal', async () => {
    const transport = new ScriptedTransport(({ name }, _, turn) => {
      if (name === '0.txt' && turn < 3) throw new BlobError('UNEXPECTED_ANSWER', 'SlowDown', { status: 503 });
      if (name === '1.txt') throw new BlobError('FILE_EXISTS', 'The file exists.');
    });
    createQueue(transport);
    const end = waitForCompletion(queue);
    queue.add(createFiles(2));
    await end;
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['done', 'failed']);
    expect(transport.sent.map(({ name }) => name).toSorted()).to.deep.equal(['0.txt', '0.txt', '1.txt'].toSorted());
  });

  it('is not called again after a programming error', async () => {
    createQueue({ send: async () => (undefined as unknown as { file: FileRecord }).file });
    const end = waitForCompletion(queue);
    queue.add(createFiles(1));
    await end;
    queue.configure({ transport: 's3' as unknown as Transport });
    const again = waitForCompletion(queue);
    queue.add(createFiles(2).slice(1));
    await again;
    for (const { state } of queue.items) expect(state).to.have.nested.property('error.path', 'transport');
  });

  it('has no speed while all attempts fail, and a realistic one right after', async () => {
    let isOffline = true;
    const transport = new ScriptedTransport(async (_, { progress }) => {
      progress(8);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isOffline) throw new BlobError('NETWORK_ERROR', 'The connection was cut.');
    });
    createQueue(transport);
    queue.configure({ retry: { maxAttempts: 3, baseDelayMs: 20, maxDelayMs: 40, maxWaitMs: 60_000 } });
    queue.add(createFiles(400));
    const end = waitForCompletion(queue);
    const sampleTotals = async (ms: number) => {
      const values = new Set<number | null>();
      for (const until = performance.now() + ms; performance.now() < until;) {
        values.add(queue.totals.speed);
        values.add(queue.totals.secondsLeft);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return [...values];
    };
    expect(await sampleTotals(2500)).to.deep.equal([null]);
    isOffline = false;
    const times = await sampleTotals(2000);
    // Two files at once take at least 20 ms each.
    for (const time of times) if (time !== null) expect(time).to.be.within(1, 900);
    expect(times.length).to.be.above(2);
    queue.clear();
    await end;
  });

  it('is aborted by a pause, continues afterwards, and is notified of removed files', async () => {
    let isOpen = false;
    const transport = new ScriptedTransport((file, context) => {
      context.resumed(3);
      return isOpen ? undefined : waitForAbort(file, context);
    });
    createQueue(transport);
    const [one, two] = queue.add(createFiles(2));
    await until(queue, () => [one!, two!].every(({ state }) => state.status === 'uploading' && state.sent === 3));
    queue.pause();
    expect(one!.state).to.deep.equal({ status: 'paused', sent: 3 });
    expect(transport.abandoned).to.deep.equal([]);
    queue.cancel(two!.id);
    expect(transport.abandoned).to.deep.equal(['1.txt']);
    isOpen = true;
    const end = waitForCompletion(queue);
    queue.resume();
    await end;
    expect(one!.state.status).to.equal('done');
  });
});
