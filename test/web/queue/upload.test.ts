// Every browser: engines implement XHR uploads differently.
import { expect } from 'chai';
import type { UploadState } from '../../../src/queue/types.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { FaultyService, waitForCompletion, createFiles, until } from './faulty-service.js';
import { itOnce } from '../once.js';

describe('the queue with the real service', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(() => service.close());

  it('stores a file under its name, with progress that never decreases', async () => {
    const queue = service.queue();
    const sent: number[] = [];
    const phases: string[] = [];
    queue.on('change', ({ item }) => {
      if (item.state.status !== 'uploading') return;
      sent.push(item.state.sent);
      if (phases.at(-1) !== item.state.phase) phases.push(item.state.phase);
    });
    const done = waitForCompletion(queue);
    const files = createFiles(1, 300_000, () => 'Größe 100%.bin');
    queue.add(files);
    expect((await done).successful).to.have.length(1);
    await service.expectStoredOnce(files);
    expect((await service.files())[0]!.name).to.match(/^Größe 100%-\w+\.bin$/);
    expect(sent).to.deep.equal([...sent].sort((a, b) => a - b));
    expect(phases).to.deep.equal(['token', 'sending', 'finishing']);
    expect(queue.totals).to.include({ files: 1, done: 1, active: 0, bytes: 300_000, sent: 300_000 });
  });

  it('uploads many files with several tokens, and requests each once', async () => {
    const queue = service.queue({ batchUpTo: 0, tokenProvider: service.provider(() => ({ max_uses: 20 })) });
    const files = createFiles(60, 2000);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect(service.reasons).to.deep.equal(['start', 'exhausted', 'exhausted']);
  });

  itOnce('reads the limits of a token from the service, and applies them to queued files', async () => {
    const { token } = await service.mint({ max_size: 1000, allowed_extensions: ['bin'], max_uses: 9 });
    const queue = service.queue({ tokenProvider: async () => token, manual: true });
    const learned = new Promise((resolve) => queue.on('status', ({ limits }) => resolve(limits)));
    const done = waitForCompletion(queue);
    queue.add([...createFiles(1, 900), ...createFiles(1, 1001), new File(['x'], 'x.exe')]);
    expect(queue.totals).to.include({ queued: 3, rejected: 0 });
    queue.start();
    expect(await learned).to.include({ maxSize: 1000 });
    await done;
    expect(queue.items.map(({ state }) => (state.status === 'rejected' ? state.rejection.code : state.status))).to.deep.equal([
      'done',
      'BLOB_FILE_TOO_LARGE',
      'BLOCKED_FILE_TYPE',
    ]);
    expect(queue.add(createFiles(1, 2000))[0]!.state).to.have.nested.property('rejection.code', 'BLOB_FILE_TOO_LARGE');
    expect((await service.requests()).filter(({ method }) => method === 'POST')).to.have.length(1);
  });

  itOnce('fails every file if no token is supplied, and continues on retry', async () => {
    let isSignedOut = true;
    const provider = service.provider(() => ({ max_uses: 100 }));
    const queue = service.queue({
      tokenProvider: (request) => (isSignedOut ? Promise.reject(new Error('not signed in')) : provider(request)),
    });
    const files = createFiles(20, 1000);
    const failed = waitForCompletion(queue);
    queue.add(files);
    expect((await failed).failed).to.have.length(20);
    const { state } = queue.items[19]!;
    expect(state).to.include({ status: 'failed', retryable: true });
    expect((state as Extract<UploadState, { status: 'failed' }>).error).to.include({
      code: 'TOKEN_SUPPLY_FAILED',
      message: 'No upload token: not signed in',
    });
    isSignedOut = false;
    const done = waitForCompletion(queue);
    queue.retry();
    expect((await done).successful).to.have.length(20);
    expect(service.reasons).to.deep.equal(['retry']);
    await service.expectStoredOnce(files);
  });

  itOnce('waits for another start() after a manual upload is complete', async () => {
    const queue = service.queue({ manual: true });
    queue.add(createFiles(2, 1000));
    queue.start();
    await waitForCompletion(queue);
    queue.add(createFiles(1, 1500));
    await Promise.resolve();
    expect(queue.totals).to.include({ done: 2, queued: 1, active: 0 });
  });

  it('pauses running uploads, keeps the others queued, and resumes both', async () => {
    await service.rule({ path: '/v1/files', fault: { bytesPerSecond: 400_000 }, times: 2 });
    const queue = service.queue({ concurrency: 2, batchUpTo: 0 });
    const files = createFiles(4, 200_000);
    queue.add(files);
    await until(queue, () => queue.totals.sent > 0);
    queue.pause();
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['paused', 'paused', 'queued', 'queued']);
    expect(queue.paused).to.equal(true);
    const done = waitForCompletion(queue);
    queue.resume();
    expect((await done).successful).to.have.length(4);
    await service.expectStoredOnce(files);
  });

  it('removes canceled files, running or queued, and uploads the others', async () => {
    await service.rule({ path: '/v1/files', fault: { delay: 200 } });
    const queue = service.queue({ concurrency: 1, batchUpTo: 0 });
    const files = createFiles(3, 1000);
    const [first, second] = queue.add(files);
    await until(queue, () => first!.state.status === 'uploading' && first!.state.phase !== 'token');
    queue.cancel(second!.id);
    queue.cancel(first!.id);
    expect(queue.items.map(({ name }) => name)).to.deep.equal(['file 2.bin']);
    await waitForCompletion(queue);
    expect((await service.files()).map(({ size }) => size)).to.deep.equal([1000]);
    expect(queue.totals).to.include({ files: 1, done: 1, bytes: 1000, sent: 1000 });
  });

  itOnce('accepts the same file again only after it is removed', () => {
    const queue = service.queue({ manual: true });
    const [file] = createFiles(1, 10) as [File];
    const [item] = queue.add([file]);
    expect(queue.add([file])[0]!.state).to.have.nested.property('rejection.code', 'DUPLICATE_FILE');
    expect(queue.add([{ file, relativePath: 'folder/file 0.bin' }])[0]!.state.status).to.equal('queued');
    queue.cancel(item!.id);
    expect(queue.add([file])[0]!.state.status).to.equal('queued');
  });

  itOnce('keeps the token out of events, addresses and storage', async () => {
    const secrets: string[] = [];
    const queue = service.queue({
      tokenProvider: async () => {
        const grant = await service.mint({ max_uses: 5 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const events: unknown[] = [];
    for (const type of ['add', 'change', 'retry', 'complete', 'status'] as const) queue.on(type, (event) => events.push(event));
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 500 } }, times: 1 });
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, 1000));
    await done;
    expect(secrets).to.have.length(1);
    expect(events.map((event) => JSON.stringify(event)).join('')).to.not.include(secrets[0]);
    const addresses = performance.getEntriesByType('resource').map(({ name }) => name);
    expect([...addresses, ...(await service.requests()).map(({ path }) => path)].join('\n')).to.not.include(secrets[0]);
    expect(JSON.stringify({ ...localStorage })).to.not.include(secrets[0]);
  });

  itOnce('fails the files beyond the uses of a single token, and states that number', async () => {
    const { token } = await service.mint({ max_uses: 2 });
    const queue = service.queue({ tokenProvider: async () => token });
    const ended = waitForCompletion(queue);
    queue.add(createFiles(3, 1000));
    const { successful, failed } = await ended;
    expect(successful).to.have.length(2);
    expect(failed[0]!.state).to.have.nested.property('error.details.max_files', 2);
  });

  it('sends a file with the media type of a form as bytes, and replaces lone surrogates in its name', async () => {
    const queue = service.queue({ batchUpTo: 2000 });
    const bytes = (await createFiles(1, 1000)[0]!.arrayBuffer()).slice();
    const ended = waitForCompletion(queue);
    const createForm = (size: number) =>
      new File([bytes, 'x'.repeat(size)], 'half \ud83d.txt', { type: 'multipart/form-data; boundary=x' });
    queue.add([createForm(0), createForm(1), createForm(5000)]);
    expect((await ended).failed.map(({ state }) => state)).to.deep.equal([]);
    const stored = await service.files();
    expect(stored.map(({ content_type }) => content_type)).to.deep.equal(Array(3).fill('application/octet-stream'));
    for (const { name } of stored) expect(name).to.match(/^half .*\.txt$/);
  });

  itOnce('refuses an API key as a token, with the reason', async () => {
    const queue = service.queue({ tokenProvider: async () => `svc_live_${'0'.repeat(48)}` });
    const failed = waitForCompletion(queue);
    queue.add(createFiles(1, 10));
    const { state } = (await failed).failed[0]!;
    const { error } = state as { error: BlobError };
    expect(error).to.be.instanceOf(BlobError).with.property('code', 'TOKEN_SUPPLY_FAILED');
    expect(error.message).to.include('This is an API key').and.not.include('0000');
    expect(await service.requests()).to.deep.equal([]);
  });
});
