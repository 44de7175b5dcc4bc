// Long because each way in which a resumable upload can break off is one test case.
import { expect } from 'chai';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { Chosen, Preparation } from '../../../src/queue/types.js';
import { FaultyService, waitForCompletion, sha256, createFiles, until } from './faulty-service.js';

const MiB = 1024 * 1024;

/** Returns the requests of resumable uploads that passed the proxy, and their bytes. */
const readTraffic = async (service: FaultyService) => {
  const requests = (await service.requests()).filter(
    ({ method, path }) => method !== 'OPTIONS' && path.startsWith('/v1/uploads'),
  );
  return { requests, bytes: requests.reduce((sum, { requestBytes }) => sum + requestBytes, 0) };
};

describe('a resumable upload', () => {
  let service: FaultyService;
  beforeEach(async () => {
    localStorage.clear();
    service = await FaultyService.open();
  });
  afterEach(() => service.close());

  const resumable = { resumableFrom: MiB, batchUpTo: 0 };

  it('sends a new file in one request', async () => {
    const queue = service.queue(resumable);
    const files = createFiles(1, 3 * MiB, () => 'größer.bin');
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect((await readTraffic(service)).requests.map(({ method }) => method)).to.deep.equal(['POST']);
    expect(queue.items[0]!.state)
      .to.have.nested.property('file.name')
      .that.matches(/^größer-\w+\.bin$/);
    expect(Object.keys(localStorage), 'keys of finished uploads').to.deep.equal([]);
  });

  for (const [title, listMethods] of [
    [
      'storage',
      (refuse: () => never) => ['getItem', 'setItem', 'removeItem'].map((name) => [Storage.prototype, name, refuse] as const),
    ],
    ['locks', (refuse: () => never) => [[LockManager.prototype, 'request', async () => refuse()] as const]],
  ] as const)
    it(`works if the browser refuses ${title}`, async () => {
      const refuse = () => {
        throw new DOMException('no', 'SecurityError');
      };
      const restorers = listMethods(refuse).map(([owner, name, replacement]) => {
        const original = Object.getOwnPropertyDescriptor(owner, name)!;
        Object.defineProperty(owner, name, { ...original, value: replacement });
        return () => Object.defineProperty(owner, name, original);
      });
      try {
        const queue = service.queue({ ...resumable, retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1, maxWaitMs: 0 } });
        const files = createFiles(1, 3 * MiB);
        const done = waitForCompletion(queue);
        queue.add(files);
        expect((await done).failed).to.deep.equal([]);
        await service.expectStoredOnce(files);
        expect((await readTraffic(service)).requests).to.have.length(1);
      } finally {
        for (const restore of restorers) restore();
      }
    });

  it('sends only the missing bytes after each interruption', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { cutRequestAt: 9 * MiB }, times: 1 });
    await service.rule({ method: 'PATCH', path: '^/v1/uploads', fault: { cutRequestAt: 9 * MiB }, times: 1 });
    const queue = service.queue(resumable);
    const sent: number[] = [];
    queue.on('change', ({ item: { state } }) => state.status === 'uploading' && sent.push(state.sent));
    const files = createFiles(1, 24 * MiB);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    const { bytes } = await readTraffic(service);
    expect(bytes, 'sent bytes, with at most one piece repeated per interruption').to.be.below(24 * MiB + 2 * 8 * MiB);
    expect(sent).to.deep.equal([...sent].sort((a, b) => a - b));
  });

  it('stores a file once if the response is lost', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { dropResponse: true }, times: 2 });
    const queue = service.queue(resumable);
    const files = createFiles(1, 2 * MiB);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    // A browser may itself repeat a request whose connection was reset.
    expect((await readTraffic(service)).requests.filter(({ method }) => method === 'PATCH')).to.deep.equal([]);
  });

  it('does not repeat sent bytes after a pause', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 10 * MiB }, times: 1 });
    const queue = service.queue(resumable);
    const files = createFiles(1, 16 * MiB);
    queue.add(files);
    await until(queue, () => queue.totals.sent > 10 * MiB);
    queue.pause();
    const done = waitForCompletion(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect((await readTraffic(service)).bytes).to.be.below(16 * MiB + 8 * MiB);
  });

  it('continues after a reload if the same file is chosen again, with another token', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const options = {
      ...resumable,
      endpoint: service.url,
      tokenProvider: service.provider(() => ({ max_uses: 3 })),
    };
    const files = createFiles(1, 24 * MiB);
    // A reload leaves only the storage of the page.
    const before = createUploadQueue(options);
    before.add(files);
    await until(before, () => before.totals.sent >= 18 * MiB);
    before.destroy();
    expect(JSON.stringify({ ...localStorage }))
      .to.not.include('svcup_')
      .and.not.include('file 0');

    const queue = service.queue(options);
    const done = waitForCompletion(queue);
    queue.add(files.map((file) => new File([file], file.name, file)));
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    const { bytes } = await readTraffic(service);
    expect(bytes, 'sent bytes, with at most one piece repeated').to.be.below(24 * MiB + 8 * MiB);
  });

  describe('of a file that only resembles one of an earlier visit', () => {
    const SIZE = 24 * MiB;
    const options = () => ({ ...resumable, endpoint: service.url, tokenProvider: service.provider(() => ({ max_uses: 5 })) });
    const bytes = () => new Uint8Array(SIZE).map((_, index) => (index * 7) ^ (index >> 9));
    /** Creates a file of the same name, size and date, with one changed byte. */
    const createFile = (changed: number) => {
      const content = bytes();
      content[changed] = content[changed]! ^ 0xff;
      return new File([content], 'same.bin', { lastModified: 1 });
    };

    /** Interrupts an upload at 18 MiB and leaves the page. */
    async function interruptUpload(file: File, preparation?: Preparation): Promise<void> {
      await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
      const queue = createUploadQueue(options());
      queue.add([{ file, relativePath: '', ...(preparation && { preparation }) }]);
      await until(queue, () => queue.totals.sent >= 18 * MiB);
      queue.destroy();
    }
    const upload = async (file: File, more: Partial<Chosen> = {}) => {
      const queue = service.queue(options());
      const ended = waitForCompletion(queue);
      queue.add([{ file, relativePath: '', ...more }]);
      await ended;
      return queue;
    };

    for (const [where, changed] of Object.entries({ beginning: 0, middle: SIZE / 2, end: SIZE - 1 }))
      it(`stores the new file if it differs at the ${where}`, async () => {
        await interruptUpload(createFile(1000));
        const file = createFile(changed);
        await upload(file);
        expect((await service.files()).map((stored) => stored.sha256)).to.deep.equal([await sha256(file)]);
      });

    it('fails if it differs outside the sample, and stores the new file on retry', async () => {
      await interruptUpload(createFile(2 * MiB));
      const file = createFile(3 * MiB);
      const queue = await upload(file);
      expect(queue.items[0]!.state).to.have.nested.property('error.code', 'CHECKSUM_MISMATCH');
      const done = waitForCompletion(queue);
      queue.retry();
      expect((await done).failed).to.deep.equal([]);
      expect((await service.files()).map((stored) => stored.sha256)).to.include(await sha256(file));
    });

    it('starts over if other settings for photos, or a changed photo, produced it', async () => {
      const preparation = { settings: '{"stripLocation":false}', isChanged: false };
      await interruptUpload(createFile(0), preparation);
      const file = createFile(0);
      await upload(file, { preparation: { settings: '{"stripLocation":true}', isChanged: false } });
      await upload(file, { preparation: { ...preparation, isChanged: true } });
      const hash = await sha256(file);
      expect((await service.files()).map((stored) => stored.sha256)).to.deep.equal([hash, hash]);
      const patches = (await readTraffic(service)).requests.filter(({ method }) => method === 'PATCH');
      expect(patches, 'requests that continued the earlier upload').to.deep.equal([]);
    });

    it('keeps no key for a photo whose bytes were changed', async () => {
      await interruptUpload(createFile(0), { settings: '{"stripLocation":true}', isChanged: true });
      expect(Object.keys(localStorage)).to.deep.equal([]);
    });

    it('ignores keys that an earlier release stored by path, size and date alone', async () => {
      await interruptUpload(createFile(0));
      const [entry] = Object.values({ ...localStorage }) as [string];
      localStorage.clear();
      const file = createFile(1);
      const facts = [service.url, location.pathname, `same.bin\n${SIZE}\n1`].join('\n');
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(facts));
      localStorage.setItem(`svc-uploader:${btoa(String.fromCharCode(...new Uint8Array(digest)))}`, entry);
      await upload(file);
      expect((await service.files()).map((stored) => stored.sha256)).to.deep.equal([await sha256(file)]);
    });
  });

  it('fails if the content of the file changed between two attempts', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 2 * MiB }, times: 1 });
    const queue = service.queue(resumable);
    const [file] = createFiles(1, 4 * MiB) as [File];
    queue.add([file]);
    await until(queue, () => queue.totals.sent >= 2 * MiB);
    queue.pause();
    // Firefox reads a replaced file without an error.
    const other = new File([new Uint8Array(4 * MiB)], file.name);
    file.slice = (...range) => other.slice(...range);
    const ended = waitForCompletion(queue);
    queue.resume();
    expect((await ended).failed[0]!.state).to.have.nested.property('error.code', 'FILE_CHANGED');
    expect(await service.files()).to.deep.equal([]);
  });

  it('continues after a real reload', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 18 * MiB }, times: 1 });
    const [file] = createFiles(1, 24 * MiB) as [File];
    const frame = document.createElement('iframe');
    const waitForMessage = (text: string) =>
      new Promise<void>((resolve) => {
        const listen = ({ data }: MessageEvent) => {
          if (data !== text) return;
          removeEventListener('message', listen);
          resolve();
        };
        addEventListener('message', listen);
      });
    const loaded = waitForMessage('ready');
    frame.src = '/test/web/queue/page.html';
    document.body.append(frame);
    await loaded;
    const chooseFile = async () => {
      const job = { file, grant: await service.mint(), endpoint: service.url, resumableFrom: MiB, until: 18 * MiB };
      frame.contentWindow!.postMessage(job, '*');
    };
    const partlySent = waitForMessage('partly sent');
    await chooseFile();
    await partlySent;
    const reloaded = waitForMessage('ready');
    frame.contentWindow!.location.reload();
    await reloaded;
    const done = waitForMessage('done');
    await chooseFile();
    await done;
    frame.remove();
    await service.expectStoredOnce([file]);
    expect((await readTraffic(service)).bytes, 'sent bytes, with at most one piece repeated').to.be.below(24 * MiB + 8 * MiB);
  });

  it('removes keys of uploads that were abandoned a week ago, and no other entries', async () => {
    const createEntry = (days: number) => JSON.stringify({ key: 'k'.repeat(32), at: Date.now() - days * 86_400_000 });
    const kept = { 'svc-uploader:young': createEntry(6), 'svc-uploader:theme': 'dark', other: createEntry(30) };
    for (const [name, value] of Object.entries({ ...kept, 'svc-uploader:old': createEntry(8) }))
      localStorage.setItem(name, value);
    const queue = service.queue(resumable);
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, 2 * MiB));
    await done;
    expect({ ...localStorage }).to.deep.equal(kept);
  });

  it('starts over if its stored key belongs to another file', async () => {
    const options = { ...resumable, endpoint: service.url, tokenProvider: service.provider(() => ({ max_uses: 3 })) };
    const before = createUploadQueue(options);
    const files = createFiles(1, 2 * MiB);
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: 0 }, times: 1 });
    before.add(files);
    while ((await readTraffic(service)).requests.length === 0);
    before.destroy();
    const [name] = Object.keys(localStorage);
    // Meanwhile the key was used for a file of another name.
    const { key } = JSON.parse(localStorage.getItem(name!)!) as { key: string };
    const { token, url } = await service.mint();
    const headers = {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      'content-disposition': 'attachment; filename="b"',
    };
    expect((await fetch(`${url}/v1/files`, { method: 'POST', headers, body: 'other' })).status).to.equal(201);
    const queue = service.queue(options);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    expect((await service.files()).map(({ size }) => size).sort()).to.deep.equal([2 * MiB, 5]);
  });

  it('is removed from the service if the file is canceled', async () => {
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: MiB }, times: 1 });
    const queue = service.queue(resumable);
    const [item] = queue.add(createFiles(1, 2 * MiB));
    await until(queue, () => queue.totals.sent > MiB);
    while ((await service.tokens())[0]!.uses === 0);
    queue.cancel(item!.id);
    while ((await service.tokens())[0]!.uses > 0);
    expect(await service.files()).to.deep.equal([]);
    expect(Object.keys(localStorage)).to.deep.equal([]);
  });

  it('is independent of one of the same file in another queue', async () => {
    const files = createFiles(1, 3 * MiB);
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { bytesPerSecond: 4 * MiB } });
    const queues = [service.queue(resumable), service.queue(resumable)];
    const done = queues.map((queue) => waitForCompletion(queue));
    for (const queue of queues) queue.add(files);
    for (const { failed } of await Promise.all(done)) expect(failed).to.deep.equal([]);
    expect(await service.files()).to.have.length(2);
  });

  it('is sent as one request if the service lacks the route', async () => {
    await service.rule({ path: '^/v1/uploads', fault: { respond: { status: 404, body: { code: 'NOT_FOUND', message: '' } } } });
    const queue = service.queue(resumable);
    const files = createFiles(2, 2 * MiB);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
  });

  it('continues with another token after its token is revoked', async () => {
    const secrets: string[] = [];
    await service.rule({ method: 'POST', path: '^/v1/uploads', fault: { stallRequestAt: MiB }, times: 1 });
    const queue = service.queue({
      ...resumable,
      tokenProvider: async () => {
        const grant = await service.mint({ max_uses: 2 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const [file] = createFiles(1, 2 * MiB) as [File];
    queue.add([file]);
    await until(queue, () => queue.totals.sent > MiB);
    queue.pause();
    await service.revoke(secrets[0]!);
    const done = waitForCompletion(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    expect(await service.files()).to.have.length(1);
  });

  const createdAt = (offset: number) => ({
    status: 201,
    headers: {
      location: '/v1/uploads/there',
      'upload-offset': String(offset),
      'access-control-expose-headers': 'location, upload-offset',
    },
  });
  /** Responds to the requests of a method, one after the other, instead of the service. */
  const respond = async (method: string, responses: { status: number; headers?: Record<string, string>; body?: unknown }[]) => {
    for (const [skip, response] of responses.entries())
      await service.rule({ method, path: '^/v1/uploads', fault: { respond: response }, skip, times: 1 });
  };
  const repeat = <T>(items: readonly T[]): T[] => Array.from({ length: 12 }, () => items).flat();

  it('fails if the offset of the service goes back and forth', async () => {
    await respond('POST', repeat([createdAt(5), createdAt(10)]));
    await respond('PATCH', repeat([{ status: 500 }]));
    const queue = service.queue(resumable);
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, MiB));
    expect((await done).failed).to.have.length(1);
  });

  it('fails if the service loses every upload', async () => {
    const body = { code: 'IDEMPOTENCY_KEY_REUSED', message: 'Another upload has this key.' };
    await respond('POST', [{ status: 500 }, ...repeat([createdAt(5), { status: 409, body }, { status: 500 }])]);
    await respond('PATCH', repeat([{ status: 404, body: { code: 'NOT_FOUND' } }]));
    const queue = service.queue(resumable);
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, MiB));
    const { failed } = await done;
    expect(failed.map(({ state }) => state)).to.have.nested.property('0.error.code', 'IDEMPOTENCY_KEY_REUSED');
  });
});
