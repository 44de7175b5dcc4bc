import { expect } from 'chai';
import type { QueueOptions, UploadQueue } from '../../../src/queue/types.js';
import { FaultyService, waitForCompletion, createFiles } from './faulty-service.js';

const MiB = 1024 * 1024;

/** Makes requests for a source file fail, as if the connection broke. */
const breakLoading = (path: string) => fetch(`/missing?path=/src/queue/${path}.ts`);
const repairLoading = (path: string) => fetch(`/missing?path=/src/queue/${path}.ts&back`);

const statuses = (queue: UploadQueue) => queue.items.map(({ state }) => state.status);
const nextRetry = (queue: UploadQueue) => new Promise<void>((resolve) => queue.on('retry', () => resolve()));

// The engine stays loaded once a test loaded it. Hence the tests in which it does not load come first.
describe('the upload engine', () => {
  const ENGINE = 'upload-engine';
  const manyAttempts: Partial<QueueOptions> = {
    retry: { maxAttempts: 1000, baseDelayMs: 10, maxDelayMs: 20, maxWaitMs: 60_000 },
  };
  let service: FaultyService;
  // Repaired once at the end: a request of a closed queue may still be under way, and would load the engine for the next test.
  before(() => breakLoading(ENGINE));
  after(() => repairLoading(ENGINE));
  beforeEach(async () => {
    service = await FaultyService.open();
  });
  afterEach(() => service.close());

  it('keeps no file that is removed while it loads', async () => {
    const queue = service.queue(manyAttempts);
    queue.add(createFiles(2, 1000));
    await nextRetry(queue);
    queue.clear();
    expect(queue.totals).to.include({ files: 0, queued: 0, active: 0 });
  });

  it('leaves files queued that are paused while it loads', async () => {
    const queue = service.queue(manyAttempts);
    queue.add(createFiles(2, 1000));
    await nextRetry(queue);
    queue.pause();
    expect(statuses(queue)).to.deep.equal(['queued', 'queued']);
  });

  it('counts files as queued or active while it loads, so that a form waits for them', async () => {
    const queue = service.queue(manyAttempts);
    queue.add(createFiles(2, 1000));
    const { queued, active } = queue.totals;
    expect(queued + active).to.equal(2);
    await nextRetry(queue);
    expect(queue.totals.queued + queue.totals.active).to.equal(2);
  });

  it('fails all files in the end, and loads when they are retried', async () => {
    const queue = service.queue({ retry: { maxAttempts: 2, baseDelayMs: 10, maxDelayMs: 20, maxWaitMs: 60_000 } });
    const files = createFiles(2, 1000);
    const ended = waitForCompletion(queue);
    queue.add(files);
    const { failed } = await ended;
    expect(failed.map(({ state }) => state)).to.have.length(2);
    for (const { state } of failed) {
      expect(state).to.include({ retryable: true });
      expect(state).to.have.nested.property('error.code', 'NETWORK_ERROR');
    }
    await repairLoading(ENGINE);
    const done = waitForCompletion(queue);
    queue.retry();
    expect((await done).successful).to.have.length(2);
    await service.expectStoredOnce(files);
  });
});

describe('a resumable upload whose code does not load', () => {
  let service: FaultyService;
  beforeEach(async () => {
    localStorage.clear();
    service = await FaultyService.open();
  });
  afterEach(() => service.close());

  it('is sent in one request, and the next large file is resumable again', async () => {
    const SEND_RESUMABLE = 'transport/send-resumable';
    const queue = service.queue({ batchUpTo: 0, resumableFrom: MiB });
    const uploadPaths = async () =>
      (await service.requests()).filter(({ method }) => method === 'POST').map(({ path }) => path.split('?')[0]);
    await breakLoading(SEND_RESUMABLE);
    const first = waitForCompletion(queue);
    queue.add(createFiles(1, 2 * MiB));
    expect((await first).failed).to.deep.equal([]);
    expect(await uploadPaths()).to.deep.equal(['/v1/files']);
    await repairLoading(SEND_RESUMABLE);
    const second = waitForCompletion(queue);
    queue.add(createFiles(1, 3 * MiB));
    expect((await second).failed).to.deep.equal([]);
    expect(await uploadPaths()).to.deep.equal(['/v1/files', '/v1/uploads']);
  });
});

describe('a check whose code does not load', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(() => service.close());

  for (const [option, path, part] of [
    ['verify', 'verification/verify-digest', 'hashDuringUpload'],
    ['sniff', 'verification/detect-type', 'findTypeMismatch'],
  ] as const)
    it(`fails its files before a token is spent, and loads when they are retried (${option})`, async () => {
      await breakLoading(path);
      const queue = service.queue({ [option]: true });
      const ended = waitForCompletion(queue);
      queue.add(createFiles(2, 1000));
      const { failed } = await ended;
      expect(failed).to.have.length(2);
      for (const { state } of failed) {
        expect(state).to.include({ retryable: true });
        expect(state).to.have.nested.property('error.details.part', part);
      }
      expect(service.reasons).to.deep.equal([]);
      expect((await service.requests()).filter(({ method }) => method === 'POST')).to.deep.equal([]);
      await repairLoading(path);
      const done = waitForCompletion(queue);
      queue.retry();
      expect((await done).successful).to.have.length(2);
    });
});
