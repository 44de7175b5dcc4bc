// Every browser: engines implement XHR uploads differently.
import { expect } from 'chai';
import type { UploadState } from '../../../src/queue/types.js';
import { BlobError } from '../../../src/protocol/errors.js';
import { Bench, completed, someFiles, until } from './bench.js';

describe('the queue against the service', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('stores one file under its name, and tells its progress forwards', async () => {
    const queue = bench.queue();
    const sent: number[] = [];
    const phases: string[] = [];
    queue.on('change', ({ item }) => {
      if (item.state.status !== 'uploading') return;
      sent.push(item.state.sent);
      if (phases.at(-1) !== item.state.phase) phases.push(item.state.phase);
    });
    const done = completed(queue);
    const files = someFiles(1, 300_000, () => 'Größe 100%.bin');
    queue.add(files);
    expect((await done).successful).to.have.length(1);
    await bench.expectStoredOnce(files);
    expect((await bench.files())[0]!.name).to.match(/^Größe 100%-\w+\.bin$/);
    expect(sent).to.deep.equal([...sent].sort((a, b) => a - b));
    expect(phases).to.deep.equal(['token', 'sending', 'finishing']);
    expect(queue.totals).to.include({ files: 1, done: 1, active: 0, bytes: 300_000, sent: 300_000 });
  });

  it('uploads many over several tokens, asking once for each', async () => {
    const queue = bench.queue({ batchUpTo: 0, tokenProvider: bench.provider(() => ({ max_uses: 20 })) });
    const files = someFiles(60, 2000);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    expect(bench.reasons).to.deep.equal(['start', 'exhausted', 'exhausted']);
  });

  it('learns the limits of a bare token and judges by them what waits', async () => {
    const { token } = await bench.mint({ max_size: 1000, allowed_extensions: ['bin'], max_uses: 9 });
    const queue = bench.queue({ tokenProvider: async () => token, manual: true });
    const learned = new Promise((resolve) => queue.on('status', ({ limits }) => resolve(limits)));
    const done = completed(queue);
    queue.add([...someFiles(1, 900), ...someFiles(1, 1001), new File(['x'], 'x.exe')]);
    expect(queue.totals).to.include({ queued: 3, rejected: 0 });
    queue.start();
    expect(await learned).to.include({ maxSize: 1000 });
    await done;
    expect(queue.items.map(({ state }) => (state.status === 'rejected' ? state.rejection.code : state.status))).to.deep.equal([
      'done',
      'BLOB_FILE_TOO_LARGE',
      'BLOCKED_FILE_TYPE',
    ]);
    expect(queue.add(someFiles(1, 2000))[0]!.state).to.have.nested.property('rejection.code', 'BLOB_FILE_TOO_LARGE');
    expect((await bench.requests()).filter(({ method }) => method === 'POST')).to.have.length(1);
  });

  it('tells every file when no token is to be had, and goes on when it is asked again', async () => {
    let broken = true;
    const provider = bench.provider(() => ({ max_uses: 100 }));
    const queue = bench.queue({
      tokenProvider: (request) => (broken ? Promise.reject(new Error('not signed in')) : provider(request)),
    });
    const files = someFiles(20, 1000);
    const failed = completed(queue);
    queue.add(files);
    expect((await failed).failed).to.have.length(20);
    const { state } = queue.items[19]!;
    expect(state).to.include({ status: 'failed', retryable: true });
    expect((state as Extract<UploadState, { status: 'failed' }>).error).to.include({
      code: 'TOKEN_SUPPLY_FAILED',
      message: 'No upload token: not signed in',
    });
    broken = false;
    const done = completed(queue);
    queue.retry();
    expect((await done).successful).to.have.length(20);
    expect(bench.reasons).to.deep.equal(['retry']);
    await bench.expectStoredOnce(files);
  });

  it('waits for start() when manual, and for the next one after it is through', async () => {
    const queue = bench.queue({ manual: true });
    queue.add(someFiles(2, 1000));
    queue.start();
    await completed(queue);
    queue.add(someFiles(1, 1500));
    await Promise.resolve();
    expect(queue.totals).to.include({ done: 2, queued: 1, active: 0 });
  });

  it('pauses what is in flight, keeps the rest queued, and resumes both', async () => {
    await bench.rule({ path: '/v1/files', fault: { bytesPerSecond: 400_000 }, times: 2 });
    const queue = bench.queue({ concurrency: 2, batchUpTo: 0 });
    const files = someFiles(4, 200_000);
    queue.add(files);
    await until(queue, () => queue.totals.sent > 0);
    queue.pause();
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['paused', 'paused', 'queued', 'queued']);
    expect(queue.paused).to.equal(true);
    const done = completed(queue);
    queue.resume();
    expect((await done).successful).to.have.length(4);
    await bench.expectStoredOnce(files);
  });

  it('forgets what is cancelled, in flight and queued, and uploads the rest', async () => {
    await bench.rule({ path: '/v1/files', fault: { delay: 200 } });
    const queue = bench.queue({ concurrency: 1, batchUpTo: 0 });
    const files = someFiles(3, 1000);
    const [first, second] = queue.add(files);
    await until(queue, () => first!.state.status === 'uploading' && first!.state.phase !== 'token');
    queue.cancel(second!.id);
    queue.cancel(first!.id);
    expect(queue.items.map(({ name }) => name)).to.deep.equal(['file 2.bin']);
    await completed(queue);
    expect((await bench.files()).map(({ size }) => size)).to.deep.equal([1000]);
    expect(queue.totals).to.include({ files: 1, done: 1, bytes: 1000, sent: 1000 });
  });

  it('takes the same file again once it is off the list, not before', () => {
    const queue = bench.queue({ manual: true });
    const [file] = someFiles(1, 10) as [File];
    const [item] = queue.add([file]);
    expect(queue.add([file])[0]!.state).to.have.nested.property('rejection.code', 'DUPLICATE_FILE');
    expect(queue.add([{ file, relativePath: 'folder/file 0.bin' }])[0]!.state.status).to.equal('queued');
    queue.cancel(item!.id);
    expect(queue.add([file])[0]!.state.status).to.equal('queued');
  });

  it('keeps the token out of everything that is seen', async () => {
    const secrets: string[] = [];
    const queue = bench.queue({
      tokenProvider: async () => {
        const grant = await bench.mint({ max_uses: 5 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const told: unknown[] = [];
    for (const type of ['add', 'change', 'retry', 'complete', 'status'] as const) queue.on(type, (event) => told.push(event));
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 500 } }, times: 1 });
    const done = completed(queue);
    queue.add(someFiles(1, 1000));
    await done;
    expect(secrets).to.have.length(1);
    expect(told.map((event) => JSON.stringify(event)).join('')).to.not.include(secrets[0]);
    const addresses = performance.getEntriesByType('resource').map(({ name }) => name);
    expect([...addresses, ...(await bench.requests()).map(({ path }) => path)].join('\n')).to.not.include(secrets[0]);
    expect(JSON.stringify({ ...localStorage })).to.not.include(secrets[0]);
  });

  it('tells the files beyond a token that is all there is how many it was for', async () => {
    const { token } = await bench.mint({ max_uses: 2 });
    const queue = bench.queue({ tokenProvider: async () => token });
    const ended = completed(queue);
    queue.add(someFiles(3, 1000));
    const { successful, failed } = await ended;
    expect(successful).to.have.length(2);
    expect(failed[0]!.state).to.have.nested.property('error.details.max_files', 2);
  });

  it('sends what calls itself a form as bytes, and names that are no text as well as it can', async () => {
    const queue = bench.queue({ batchUpTo: 2000 });
    const bytes = (await someFiles(1, 1000)[0]!.arrayBuffer()).slice();
    const ended = completed(queue);
    const odd = (size: number) =>
      new File([bytes, 'x'.repeat(size)], 'half \ud83d.txt', { type: 'multipart/form-data; boundary=x' });
    queue.add([odd(0), odd(1), odd(5000)]);
    expect((await ended).failed.map(({ state }) => state)).to.deep.equal([]);
    const stored = await bench.files();
    expect(stored.map(({ content_type }) => content_type)).to.deep.equal(Array(3).fill('application/octet-stream'));
    for (const { name } of stored) expect(name).to.match(/^half .*\.txt$/);
  });

  it('refuses an API key as a token, by its reason', async () => {
    const queue = bench.queue({ tokenProvider: async () => `svc_live_${'0'.repeat(48)}` });
    const failed = completed(queue);
    queue.add(someFiles(1, 10));
    const { state } = (await failed).failed[0]!;
    const { error } = state as { error: BlobError };
    expect(error).to.be.instanceOf(BlobError).with.property('code', 'TOKEN_SUPPLY_FAILED');
    expect(error.message).to.include('This is an API key').and.not.include('0000');
    expect(await bench.requests()).to.deep.equal([]);
  });
});
