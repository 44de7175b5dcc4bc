// Every browser: engines implement streams and hashing differently.
import { expect } from 'chai';
import type { HashResult } from '../../../src/queue/verification/hash-worker.js';
import { hashWorker } from '../../../src/queue/verification/hash-worker-client.js';
import type { UploadItem } from '../../../src/queue/types.js';
import { computeSha256 } from '../../../src/queue/verification/verify-digest.js';
import { Bench, completed, sha256, someFiles, until } from './bench.js';

const MiB = 1024 * 1024;

const verdict = ({ state }: UploadItem): string =>
  state.status === 'rejected' ? state.rejection.code : state.status === 'failed' ? state.error.code : state.status;

describe('the bytes of a file', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('are hashed in one piece', async () => {
    const [file] = someFiles(1, MiB) as [File];
    expect(await computeSha256(file, new AbortController().signal)).to.equal(await sha256(file));
  });

  /** Runs with another class in the place of `Worker`. */
  async function withWorker(replacement: unknown, run: () => Promise<void>): Promise<void> {
    const { Worker } = globalThis;
    hashWorker.close();
    Object.assign(globalThis, { Worker: replacement });
    try {
      await run();
    } finally {
      hashWorker.close();
      Object.assign(globalThis, { Worker });
    }
  }

  it('are hashed in one worker, however many files are on their way', async () => {
    let started = 0;
    const hashes: unknown[] = [];
    class Watched extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        started += 1;
        this.addEventListener('message', ({ data }: MessageEvent<HashResult>) => hashes.push(data.hash));
      }
    }
    await withWorker(Watched, async () => {
      const queue = bench.queue({ verify: true, batchUpTo: 0, concurrency: 6 });
      const files = someFiles(6, 5 * MiB);
      const done = completed(queue);
      queue.add(files);
      expect((await done).failed).to.deep.equal([]);
      expect(started).to.equal(1);
      expect(hashes).to.have.members(await Promise.all(files.map(sha256)));
    });
  });

  it('are no longer hashed for a file that is cancelled, and those of the next file are', async () => {
    const controller = new AbortController();
    const [large, other] = [...someFiles(1, 40 * MiB), ...someFiles(1, 5 * MiB)] as [File, File];
    const ended = computeSha256(large, controller.signal).catch((reason: unknown) => reason);
    const digest = computeSha256(other, new AbortController().signal);
    controller.abort('cancelled');
    expect(await ended).to.equal('cancelled');
    expect(await digest).to.equal(await sha256(other));
  });

  it('are hashed by the page itself where it may start no worker', async () => {
    await withWorker(undefined, async () => {
      const [file] = someFiles(1, 5 * MiB + 17) as [File];
      expect(await computeSha256(file, new AbortController().signal)).to.equal(await sha256(file));
    });
  });

  it('are held against what the service stored', async () => {
    const queue = bench.queue({ verify: true, resumableFrom: MiB });
    const files = [...someFiles(5, 2000), ...someFiles(1, 300_000), ...someFiles(1, 2 * MiB)];
    const done = completed(queue);
    queue.add(files);
    expect((await done).successful).to.have.length(7);
    await bench.expectStoredOnce(files);
  });

  it('that changed on the way are told, and sent anew when asked to', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files$', fault: { request: { flipByteAt: 1000 } }, times: 1 });
    const queue = bench.queue({ verify: true });
    const files = someFiles(1, 5000);
    const failed = completed(queue);
    queue.add(files);
    expect((await failed).failed.map(verdict)).to.deep.equal(['CHECKSUM_MISMATCH']);
    const done = completed(queue);
    queue.retry();
    expect((await done).successful).to.have.length(1);
    const stored = await bench.files();
    expect(stored.map((file) => file.sha256)).to.include(await sha256(files[0]!));
  });

  it('are held against the name before one of them is sent', async () => {
    const queue = bench.queue({ sniff: true });
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
    const done = completed(queue);
    const items = queue.add([
      new File([png], 'a.png'),
      new File([png], 'b.jpg'),
      new File(['MZ\x90'], 'c.pdf'),
      new File(['hello'], 'd.gif'),
      new File(['hello'], 'e.txt'),
    ]);
    await done;
    expect(items.map(verdict)).to.deep.equal(['done', 'CONTENT_MISMATCH', 'CONTENT_MISMATCH', 'CONTENT_MISMATCH', 'done']);
    expect(items.map(({ state }) => state.status === 'rejected' && state.rejection.details)).to.deep.equal([
      false,
      { extension: 'jpg', found: 'png' },
      { extension: 'pdf', found: 'exe' },
      { extension: 'gif', found: '' },
      false,
    ]);
  });

  it('of Office files may be locked with a password', async () => {
    const queue = bench.queue({ sniff: true });
    const done = completed(queue);
    const locked = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    const items = queue.add(['a.docx', 'b.xlsx', 'c.pptx', 'd.odt'].map((name) => new File([locked], name)));
    await done;
    expect(items.map(verdict)).to.deep.equal(['done', 'done', 'done', 'CONTENT_MISMATCH']);
  });

  it('that are all refused ask for no token', async () => {
    let asked = 0;
    const tokenProvider = () => Promise.reject(new Error(`asked ${++asked} times`));
    const queue = bench.queue({ sniff: true, tokenProvider });
    queue.add([new File(['hello'], 'a.png'), new File(['hello'], 'b.png')]);
    await until(queue, () => queue.totals.rejected === 2);
    // A token would be asked for in what follows at once.
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).to.equal(0);
  });

  it('in flight make the page ask before it is left, and nothing else does', async () => {
    const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
    const queue = bench.queue();
    expect(leave()).to.equal(true);
    const done = completed(queue);
    queue.add(someFiles(2, 1000));
    await Promise.resolve();
    expect(leave(), 'while it uploads').to.equal(false);
    await done;
    expect(leave()).to.equal(true);
    queue.configure({ manual: true });
    queue.add(someFiles(1, 1500));
    await Promise.resolve();
    expect(leave(), 'while it only waits').to.equal(true);
  });
});
