// Long because each way in which a resumable upload breaks off is one case of the same bench.
import { expect } from 'chai';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { Chosen, Preparation } from '../../../src/queue/types.js';
import { Bench, completed, sha256, someFiles, until } from './bench.js';

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

  for (const [title, forbid] of [
    [
      'storage',
      (refuse: () => never) => ['getItem', 'setItem', 'removeItem'].map((name) => [Storage.prototype, name, refuse] as const),
    ],
    ['locks', (refuse: () => never) => [[LockManager.prototype, 'request', async () => refuse()] as const]],
  ] as const)
    it(`stores a file where the browser refuses ${title}`, async () => {
      const refuse = () => {
        throw new DOMException('no', 'SecurityError');
      };
      const kept = forbid(refuse).map(([owner, name, replacement]) => {
        const original = Object.getOwnPropertyDescriptor(owner, name)!;
        Object.defineProperty(owner, name, { ...original, value: replacement });
        return () => Object.defineProperty(owner, name, original);
      });
      try {
        const queue = bench.queue({ ...resumable, retry: { tries: 1, base: 1, cap: 1, patience: 0 } });
        const files = someFiles(1, 3 * MiB);
        const done = completed(queue);
        queue.add(files);
        expect((await done).failed).to.deep.equal([]);
        await bench.expectStoredOnce(files);
        expect((await traffic(bench)).requests).to.have.length(1);
      } finally {
        for (const restore of kept) restore();
      }
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
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { dropResponse: true }, times: 2 });
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

  describe('of a file that only looks like the one of an earlier visit', () => {
    const SIZE = 24 * MiB;
    const options = () => ({ ...resumable, endpoint: bench.url, tokenProvider: bench.provider(() => ({ max_uses: 5 })) });
    const bytes = () => new Uint8Array(SIZE).map((_, at) => (at * 7) ^ (at >> 9));
    /** A file of the same name, size and date, with one byte changed. */
    const fileWith = (at: number) => {
      const content = bytes();
      content[at] = content[at]! ^ 0xff;
      return new File([content], 'same.bin', { lastModified: 1 });
    };

    /** Breaks an upload off at 18 MiB and leaves the page. */
    async function breakOff(file: File, preparation?: Preparation): Promise<void> {
      await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
      const queue = createUploadQueue(options());
      queue.add([{ file, relativePath: '', ...(preparation && { preparation }) }]);
      await until(queue, () => queue.totals.sent >= 18 * MiB);
      queue.destroy();
    }
    const uploaded = async (file: File, more: Partial<Chosen> = {}) => {
      const queue = bench.queue(options());
      const ended = completed(queue);
      queue.add([{ file, relativePath: '', ...more }]);
      await ended;
      return queue;
    };

    for (const [where, at] of Object.entries({ beginning: 0, middle: SIZE / 2, end: SIZE - 1 }))
      it(`stores exactly the new file when it differs at the ${where}`, async () => {
        await breakOff(fileWith(1000));
        const file = fileWith(at);
        await uploaded(file);
        expect((await bench.files()).map((stored) => stored.sha256)).to.deep.equal([await sha256(file)]);
      });

    it('does not count as uploaded when it differs beside the sample, and is stored whole by another try', async () => {
      await breakOff(fileWith(2 * MiB));
      const file = fileWith(3 * MiB);
      const queue = await uploaded(file);
      expect(queue.items[0]!.state).to.have.nested.property('error.code', 'CHECKSUM_MISMATCH');
      const done = completed(queue);
      queue.retry();
      expect((await done).failed).to.deep.equal([]);
      expect((await bench.files()).map((stored) => stored.sha256)).to.include(await sha256(file));
    });

    it('begins anew where other settings for photos, or a change of the photo, made it', async () => {
      const preparation = { settings: '{"stripLocation":false}', isChanged: false };
      await breakOff(fileWith(0), preparation);
      const file = fileWith(0);
      await uploaded(file, { preparation: { settings: '{"stripLocation":true}', isChanged: false } });
      await uploaded(file, { preparation: { ...preparation, isChanged: true } });
      const hash = await sha256(file);
      expect((await bench.files()).map((stored) => stored.sha256)).to.deep.equal([hash, hash]);
      const patches = (await traffic(bench)).requests.filter(({ method }) => method === 'PATCH');
      expect(patches, 'that went on with the earlier upload').to.deep.equal([]);
    });

    it('remembers nothing of a photo whose bytes were changed', async () => {
      await breakOff(fileWith(0), { settings: '{"stripLocation":true}', isChanged: true });
      expect(Object.keys(localStorage)).to.deep.equal([]);
    });

    it('finds no key that an earlier release remembered by path, size and date alone', async () => {
      await breakOff(fileWith(0));
      const [entry] = Object.values({ ...localStorage }) as [string];
      localStorage.clear();
      const file = fileWith(1);
      const facts = [bench.url, location.pathname, `same.bin\n${SIZE}\n1`].join('\n');
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(facts));
      localStorage.setItem(`svc-uploader:${btoa(String.fromCharCode(...new Uint8Array(digest)))}`, entry);
      await uploaded(file);
      expect((await bench.files()).map((stored) => stored.sha256)).to.deep.equal([await sha256(file)]);
    });
  });

  it('refuses to go on with a file whose content changed between two tries', async () => {
    await bench.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 2 * MiB }, times: 1 });
    const queue = bench.queue(resumable);
    const [file] = someFiles(1, 4 * MiB) as [File];
    queue.add([file]);
    await until(queue, () => queue.totals.sent >= 2 * MiB);
    queue.pause();
    // Firefox reads what stands in the place of the file, without an error.
    const other = new File([new Uint8Array(4 * MiB)], file.name);
    file.slice = (...range) => other.slice(...range);
    const ended = completed(queue);
    queue.resume();
    expect((await ended).failed[0]!.state).to.have.nested.property('error.code', 'FILE_CHANGED');
    expect(await bench.files()).to.deep.equal([]);
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
    frame.src = '/test/web/queue/page.html';
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
    await bench.rule({ path: '^/v1/uploads', fault: { respond: { status: 404, body: { code: 'NOT_FOUND', message: '' } } } });
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

  const place = (offset: number) => ({
    status: 201,
    headers: {
      location: '/v1/uploads/there',
      'upload-offset': String(offset),
      'access-control-expose-headers': 'location, upload-offset',
    },
  });
  /** Answers the requests of a method, one after the other, instead of the service. */
  const answers = async (method: string, all: { status: number; headers?: Record<string, string>; body?: unknown }[]) => {
    for (const [skip, answer] of all.entries())
      await bench.rule({ method, path: '^/v1/uploads', fault: { respond: answer }, skip, times: 1 });
  };
  const repeated = <T>(some: readonly T[]): T[] => Array.from({ length: 12 }, () => some).flat();

  it('gives up on a service that has now more, now less of a file', async () => {
    await answers('POST', repeated([place(5), place(10)]));
    await answers('PATCH', repeated([{ status: 500 }]));
    const queue = bench.queue(resumable);
    const done = completed(queue);
    queue.add(someFiles(1, MiB));
    expect((await done).failed).to.have.length(1);
  });

  it('gives up on a service that loses every upload', async () => {
    const body = { code: 'IDEMPOTENCY_KEY_REUSED', message: 'Another upload has this key.' };
    await answers('POST', [{ status: 500 }, ...repeated([place(5), { status: 409, body }, { status: 500 }])]);
    await answers('PATCH', repeated([{ status: 404, body: { code: 'NOT_FOUND' } }]));
    const queue = bench.queue(resumable);
    const done = completed(queue);
    queue.add(someFiles(1, MiB));
    const { failed } = await done;
    expect(failed.map(({ state }) => state)).to.have.nested.property('0.error.code', 'IDEMPOTENCY_KEY_REUSED');
  });
});
