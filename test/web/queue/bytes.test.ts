// Every browser: engines implement streams and hashing differently.
import { expect } from 'chai';
import type { HashResult } from '../../../src/queue/verification/hash-worker.js';
import { hashWorker } from '../../../src/queue/verification/hash-worker-client.js';
import type { UploadItem } from '../../../src/queue/types.js';
import { computeSha256 } from '../../../src/queue/verification/verify-digest.js';
import { FaultyService, waitForCompletion, sha256, createFiles, until } from './faulty-service.js';
import { itOnce } from '../once.js';

const MiB = 1024 * 1024;

const outcomeOf = ({ state }: UploadItem): string =>
  state.status === 'rejected' ? state.rejection.code : state.status === 'failed' ? state.error.code : state.status;

describe('the bytes of a file', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(() => service.close());

  it('are hashed correctly', async () => {
    const [file] = createFiles(1, MiB) as [File];
    expect(await computeSha256(file, new AbortController().signal)).to.equal(await sha256(file));
  });

  /** Runs a function while `Worker` is another class. */
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

  it('are hashed by one worker, however many files are being sent', async () => {
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
      const queue = service.queue({ verify: true, batchUpTo: 0, concurrency: 6 });
      const files = createFiles(6, 5 * MiB);
      const done = waitForCompletion(queue);
      queue.add(files);
      expect((await done).failed).to.deep.equal([]);
      expect(started).to.equal(1);
      expect(hashes).to.have.members(await Promise.all(files.map(sha256)));
    });
  });

  it('are no longer hashed for a canceled file, while those of the next file are', async () => {
    const controller = new AbortController();
    const [large, other] = [...createFiles(1, 40 * MiB), ...createFiles(1, 5 * MiB)] as [File, File];
    const ended = computeSha256(large, controller.signal).catch((reason: unknown) => reason);
    const digest = computeSha256(other, new AbortController().signal);
    controller.abort('cancelled');
    expect(await ended).to.equal('cancelled');
    expect(await digest).to.equal(await sha256(other));
  });

  itOnce('are hashed by the page if it cannot start a worker', async () => {
    await withWorker(undefined, async () => {
      const [file] = createFiles(1, 5 * MiB + 17) as [File];
      expect(await computeSha256(file, new AbortController().signal)).to.equal(await sha256(file));
    });
  });

  itOnce('are compared with those that the service stored', async () => {
    const queue = service.queue({ verify: true, resumableFrom: MiB });
    const files = [...createFiles(5, 2000), ...createFiles(1, 300_000), ...createFiles(1, 2 * MiB)];
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).successful).to.have.length(7);
    await service.expectStoredOnce(files);
  });

  itOnce('fail the upload if they changed on the way, and are sent again on retry', async () => {
    await service.rule({ method: 'POST', path: '/v1/files$', fault: { request: { flipByteAt: 1000 } }, times: 1 });
    const queue = service.queue({ verify: true });
    const files = createFiles(1, 5000);
    const failed = waitForCompletion(queue);
    queue.add(files);
    expect((await failed).failed.map(outcomeOf)).to.deep.equal(['CHECKSUM_MISMATCH']);
    const done = waitForCompletion(queue);
    queue.retry();
    expect((await done).successful).to.have.length(1);
    const stored = await service.files();
    expect(stored.map((file) => file.sha256)).to.include(await sha256(files[0]!));
  });

  itOnce('are compared with the extension before they are sent', async () => {
    const queue = service.queue({ sniff: true });
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);
    const done = waitForCompletion(queue);
    const items = queue.add([
      new File([png], 'a.png'),
      new File([png], 'b.jpg'),
      new File(['MZ\x90'], 'c.pdf'),
      new File(['hello'], 'd.gif'),
      new File(['hello'], 'e.txt'),
    ]);
    await done;
    expect(items.map(outcomeOf)).to.deep.equal(['done', 'CONTENT_MISMATCH', 'CONTENT_MISMATCH', 'CONTENT_MISMATCH', 'done']);
    expect(items.map(({ state }) => state.status === 'rejected' && state.rejection.details)).to.deep.equal([
      false,
      { extension: 'jpg', found: 'png' },
      { extension: 'pdf', found: 'exe' },
      { extension: 'gif', found: '' },
      false,
    ]);
  });

  itOnce('may be those of an encrypted Office file', async () => {
    const queue = service.queue({ sniff: true });
    const done = waitForCompletion(queue);
    const locked = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    const items = queue.add(['a.docx', 'b.xlsx', 'c.pptx', 'd.odt'].map((name) => new File([locked], name)));
    await done;
    expect(items.map(outcomeOf)).to.deep.equal(['done', 'done', 'done', 'CONTENT_MISMATCH']);
  });

  itOnce('request no token if all files are refused', async () => {
    let requests = 0;
    const tokenProvider = () => Promise.reject(new Error(`requested ${++requests} times`));
    const queue = service.queue({ sniff: true, tokenProvider });
    queue.add([new File(['hello'], 'a.png'), new File(['hello'], 'b.png')]);
    await until(queue, () => queue.totals.rejected === 2);
    // A token would be requested in the microtasks that follow.
    await new Promise((resolve) => setTimeout(resolve));
    expect(requests).to.equal(0);
  });

  it('make the page ask before it is left only while they are being sent', async () => {
    const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
    const queue = service.queue();
    expect(leave()).to.equal(true);
    const done = waitForCompletion(queue);
    queue.add(createFiles(2, 1000));
    await Promise.resolve();
    expect(leave(), 'while files are sent').to.equal(false);
    await done;
    expect(leave()).to.equal(true);
    queue.configure({ manual: true });
    queue.add(createFiles(1, 1500));
    await Promise.resolve();
    expect(leave(), 'while a manual upload is not started').to.equal(true);
  });
});
