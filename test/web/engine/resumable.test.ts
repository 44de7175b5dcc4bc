import { expect } from 'chai';
import { createUploadQueue } from '../../../src/engine/queue.js';
import { Bench, completed, someFiles, until } from './bench.js';

const MiB = 1024 * 1024;

/** Bytes of files that crossed the proxy, and how often. */
const traffic = async (bench: Bench) => {
  const requests = (await bench.requests()).filter(({ method, path }) => method !== 'OPTIONS' && path.startsWith('/v1/uploads'));
  return { requests, bytes: requests.reduce((sum, { requestBytes }) => sum + requestBytes, 0) };
};

describe('resumable uploads', () => {
  let bench: Bench;
  beforeEach(async () => {
    localStorage.clear();
    bench = await Bench.open();
  });
  afterEach(() => bench.close());

  const resumable = { resumableFrom: MiB, batchUpTo: 0 };

  it('sends a fresh file with one request', async () => {
    const queue = bench.queue(resumable);
    const files = someFiles(1, 3 * MiB, () => 'größer.bin');
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    expect((await traffic(bench)).requests.map(({ method }) => method)).to.deep.equal(['POST']);
    expect(queue.items[0]!.state)
      .to.have.nested.property('file.name')
      .that.matches(/^größer-\w+\.bin$/);
    expect(Object.keys(localStorage), 'nothing is kept of what is done').to.deep.equal([]);
  });

  it('goes on after every break with what is missing', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { cutRequestAt: 9 * MiB }, times: 1 });
    await bench.rule({ method: 'PATCH', path: '^/v1/uploads', fault: { cutRequestAt: 9 * MiB }, times: 1 });
    const queue = bench.queue(resumable);
    const sent: number[] = [];
    queue.on('change', ({ item: { state } }) => state.status === 'uploading' && sent.push(state.sent));
    const files = someFiles(1, 24 * MiB);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    const { bytes } = await traffic(bench);
    expect(bytes, 'bytes of the file, at most a piece of each break sent again').to.be.below(24 * MiB + 2 * 8 * MiB);
    expect(sent).to.deep.equal([...sent].sort((a, b) => a - b));
  });

  it('makes no second file of an answer that was lost', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { dropAnswer: true }, times: 2 });
    const queue = bench.queue(resumable);
    const files = someFiles(1, 2 * MiB);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    // A browser may itself repeat a request whose connection was reset.
    expect((await traffic(bench)).requests.filter(({ method }) => method === 'PATCH')).to.deep.equal([]);
  });

  it('keeps what was sent over a pause', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 10 * MiB }, times: 1 });
    const queue = bench.queue(resumable);
    const files = someFiles(1, 16 * MiB);
    queue.add(files);
    await until(queue, () => queue.totals.sent > 10 * MiB);
    queue.pause();
    const done = completed(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    expect((await traffic(bench)).bytes).to.be.below(16 * MiB + 8 * MiB);
  });

  it('goes on after a reload when the same file is chosen again, with another token', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const options = {
      ...resumable,
      endpoint: bench.url,
      tokenProvider: bench.provider(() => ({ max_uses: 3 })),
    };
    const files = someFiles(1, 24 * MiB);
    // What a reload leaves of a page: its storage.
    const before = createUploadQueue(options);
    before.add(files);
    await until(before, () => before.totals.sent >= 18 * MiB);
    before.destroy();
    expect(JSON.stringify({ ...localStorage }))
      .to.not.include('svcup_')
      .and.not.include('file 0');

    const queue = bench.queue(options);
    const done = completed(queue);
    queue.add(files.map((file) => new File([file], file.name, file)));
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    const { bytes } = await traffic(bench);
    expect(bytes, 'sent bytes are not sent again').to.be.below(24 * MiB + 8 * MiB);
  });

  it('goes on after a real reload', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const [file] = someFiles(1, 24 * MiB) as [File];
    const frame = document.createElement('iframe');
    const told = (what: string) =>
      new Promise<void>((resolve) => {
        const listen = ({ data }: MessageEvent) => {
          if (data !== what) return;
          removeEventListener('message', listen);
          resolve();
        };
        addEventListener('message', listen);
      });
    const loaded = told('ready');
    frame.src = '/test/web/engine/page.html';
    document.body.append(frame);
    await loaded;
    const choose = async () => {
      const job = { file, grant: await bench.mint(), endpoint: bench.url, resumableFrom: MiB, until: 18 * MiB };
      frame.contentWindow!.postMessage(job, '*');
    };
    const far = told('far enough');
    await choose();
    await far;
    const again = told('ready');
    frame.contentWindow!.location.reload();
    await again;
    const done = told('done');
    await choose();
    await done;
    frame.remove();
    await bench.expectStoredOnce([file]);
    expect((await traffic(bench)).bytes, 'sent bytes are not sent again').to.be.below(24 * MiB + 8 * MiB);
  });

  it('sweeps out what was abandoned a week ago, and nothing of anybody else', async () => {
    const ago = (days: number) => JSON.stringify({ key: 'k'.repeat(32), at: Date.now() - days * 86_400_000 });
    const kept = { 'svc-uploader:young': ago(6), 'svc-uploader:theme': 'dark', other: ago(30) };
    for (const [name, value] of Object.entries({ ...kept, 'svc-uploader:old': ago(8) })) localStorage.setItem(name, value);
    const queue = bench.queue(resumable);
    const done = completed(queue);
    queue.add(someFiles(1, 2 * MiB));
    await done;
    expect({ ...localStorage }).to.deep.equal(kept);
  });

  it('starts over where the remembered upload is another one', async () => {
    const options = { ...resumable, endpoint: bench.url, tokenProvider: bench.provider(() => ({ max_uses: 3 })) };
    const before = createUploadQueue(options);
    const files = someFiles(1, 2 * MiB);
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 0 }, times: 1 });
    before.add(files);
    while ((await traffic(bench)).requests.length === 0);
    before.destroy();
    const [name] = Object.keys(localStorage);
    // Its key has meanwhile been used for a file of another name.
    const { key } = JSON.parse(localStorage.getItem(name!)!) as { key: string };
    const { token, url } = await bench.mint();
    const headers = {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      'content-disposition': 'attachment; filename="b"',
    };
    expect((await fetch(`${url}/v1/files`, { method: 'POST', headers, body: 'other' })).status).to.equal(201);
    const queue = bench.queue(options);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    expect((await bench.files()).map(({ size }) => size).sort()).to.deep.equal([2 * MiB, 5]);
  });

  it('frees what the service holds of a file that is cancelled', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: MiB }, times: 1 });
    const queue = bench.queue(resumable);
    const [item] = queue.add(someFiles(1, 2 * MiB));
    await until(queue, () => queue.totals.sent > MiB);
    while ((await bench.tokens())[0]!.uses === 0);
    queue.cancel(item!.id);
    while ((await bench.tokens())[0]!.uses > 0);
    expect(await bench.files()).to.deep.equal([]);
    expect(Object.keys(localStorage)).to.deep.equal([]);
  });

  it('does not mix the same file in two queues at once', async () => {
    const files = someFiles(1, 3 * MiB);
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { bytesPerSecond: 4 * MiB } });
    const queues = [bench.queue(resumable), bench.queue(resumable)];
    const done = queues.map((queue) => completed(queue));
    for (const queue of queues) queue.add(files);
    for (const { failed } of await Promise.all(done)) expect(failed).to.deep.equal([]);
    expect(await bench.files()).to.have.length(2);
  });

  it('takes a raw body where the service has no such route', async () => {
    await bench.rule({ path: '^/v1/uploads', fault: { answer: { status: 404, body: { code: 'NOT_FOUND', message: '' } } } });
    const queue = bench.queue(resumable);
    const files = someFiles(2, 2 * MiB);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
  });

  it('survives a token that is revoked in the middle', async () => {
    const secrets: string[] = [];
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: MiB }, times: 1 });
    const queue = bench.queue({
      ...resumable,
      tokenProvider: async () => {
        const grant = await bench.mint({ max_uses: 2 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const [file] = someFiles(1, 2 * MiB) as [File];
    queue.add([file]);
    await until(queue, () => queue.totals.sent > MiB);
    queue.pause();
    await bench.revoke(secrets[0]!);
    const done = completed(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    expect(await bench.files()).to.have.length(1);
  });
});
