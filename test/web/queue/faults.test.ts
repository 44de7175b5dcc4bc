// Long because each kind of broken answer is one case of the same bench.
import { expect } from 'chai';
import type { QueueOptions, UploadItem } from '../../../src/queue/types.js';
import { Bench, completed, someFiles, until } from './bench.js';

const posts = async (bench: Bench) =>
  (await bench.requests()).filter(({ method, path }) => method === 'POST' && path === '/v1/files');

/** What the browser says of itself; the event tells the page. */
function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('recovery', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(async () => {
    delete (navigator as { onLine?: boolean }).onLine;
    await bench.close();
  });

  async function upload(files: readonly File[], options: Partial<QueueOptions> = {}): Promise<UploadItem[]> {
    const queue = bench.queue({ batchUpTo: 0, ...options });
    const done = completed(queue);
    queue.add(files);
    const { failed } = await done;
    expect(failed.map(({ state }) => state)).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    return [...queue.items];
  }

  it('repeats what was cut', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { cutRequestAt: 70_000 }, times: 3 });
    await upload(someFiles(4, 100_000));
    expect((await posts(bench)).filter(({ faulted }) => faulted)).to.have.length(3);
  });

  it('makes no second file of an answer that was lost', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { dropResponse: true }, times: 5 });
    await upload(someFiles(5, 5000));
    expect(await posts(bench)).to.have.length(10);
  });

  for (const status of [408, 425, 500, 502, 503, 504])
    it(`repeats after ${status}`, async () => {
      await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status } }, times: 1 });
      await upload(someFiles(1, 1000));
    });

  for (const status of [429, 503])
    it(`keeps everything back for as long as ${status} with Retry-After asks`, async () => {
      const answer = { status, headers: { 'retry-after': '1' } };
      await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: answer }, times: 1 });
      const queue = bench.queue({ batchUpTo: 0, concurrency: 1 });
      let earliest = 0;
      const starts: number[] = [];
      queue.on('change', ({ item: { state }, previous }) => {
        if (state.status === 'waiting') earliest = Math.max(earliest, state.retryAt!);
        if (state.status === 'uploading' && previous.status === 'queued') starts.push(Date.now());
      });
      const before = Date.now();
      const done = completed(queue);
      queue.add(someFiles(3, 1000));
      await done;
      expect(earliest - before).to.be.at.least(1000);
      expect(
        starts.filter((at) => at < before + 1000),
        'started meanwhile',
      ).to.have.length(1);
    });

  it('takes the delay from details.retry_after as well', async () => {
    const body = { code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 1 } };
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 429, body } }, times: 1 });
    const queue = bench.queue();
    const [item] = queue.add(someFiles(1, 1000));
    await until(queue, () => item!.state.status === 'waiting');
    expect(item!.state)
      .to.have.property('retryAt')
      .that.is.at.least(Date.now() + 900);
    await completed(queue);
  });

  it('waits for a twin that is still being worked on', async () => {
    const body = { code: 'OPERATION_IN_PROGRESS', details: { retry_after: 0 } };
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 409, body } }, times: 2 });
    await upload(someFiles(1, 1000));
  });

  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT'],
    [409, 'FILE_EXISTS'],
    [413, 'BLOB_FILE_TOO_LARGE'],
    [415, 'BLOCKED_FILE_TYPE'],
    [507, 'STORAGE_FULL'],
  ] as const)
    it(`takes ${code} for an answer`, async () => {
      await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status, body: { code, message: 'no' } } } });
      const queue = bench.queue();
      const ended = completed(queue);
      queue.add(someFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', code);
      expect(item!.state).to.have.property('retryable', ['STORAGE_FULL', 'VALIDATION_ERROR'].includes(code));
      expect(await posts(bench)).to.have.length(1);
    });

  for (const [path, body] of [
    ['/v1/files', { response: {} }],
    ['/v1/files', { response: { file: {} } }],
    ['/v1/files', 'text'],
    ['batch', { response: { results: [{ file: {} }, { file: null }] } }],
    ['batch', { response: { results: ['text', null] } }],
    ['batch', { response: { results: [] } }],
    ['batch', { response: { results: [{ code: 'ABORTED' }, { code: 'NOT_YET_KNOWN', message: 'no' }] } }],
    ['batch', { response: {} }],
    ['/v1/uploads', { response: { id: 7 } }],
  ] as const)
    it(`takes ${JSON.stringify(body)} of ${path} for no file, and does not ask again`, async () => {
      await bench.rule({ method: 'POST', path, fault: { respond: { status: 200, body } } });
      const route = { batchUpTo: path === 'batch' ? 5000 : 0, resumableFrom: path === '/v1/uploads' ? 1 : Infinity };
      const queue = bench.queue({ ...route, concurrency: 1 });
      const ended = completed(queue);
      queue.add(someFiles(2, 1000));
      const { successful, failed } = await ended;
      expect(successful).to.deep.equal([]);
      for (const { state } of failed) expect(state).to.have.nested.property('error.status').that.is.within(200, 422);
      const asked = (await bench.requests()).filter(({ method, path: at }) => method === 'POST' && at.includes(path));
      expect(asked).to.have.length(path === 'batch' ? 1 : 2);
    });

  describe('a response that describes other files than those sent', () => {
    const record = (changes: Record<string, unknown> = {}) => ({
      id: 'file_1',
      path: 'lab/a.bin',
      name: 'a.bin',
      size: 1000,
      content_type: 'application/octet-stream',
      url: null,
      etag: '"1"',
      sha256: 'a'.repeat(64),
      updated_at: '2026-01-01T00:00:00.000Z',
      ...changes,
    });

    /** Sends two files of 1,000 bytes and answers the route with this body. */
    async function outcomes(path: 'batch$' | '/v1/files$', body: unknown): Promise<string[]> {
      await bench.rule({ method: 'POST', path, fault: { respond: { status: 200, body: { response: body } } } });
      const queue = bench.queue({ batchUpTo: path === 'batch$' ? 5000 : 0, concurrency: 1 });
      const ended = completed(queue);
      queue.add(someFiles(2, 1000));
      await ended;
      return queue.items.map(({ state }) => (state.status === 'failed' ? state.error.code : state.status));
    }
    const batch = (...records: unknown[]) => outcomes('batch$', { results: records.map((file) => ({ file })) });
    const other = { id: 'file_2', path: 'lab/b.bin' };

    it('is taken where each record is its own', async () => {
      expect(await batch(record(), record(other))).to.deep.equal(['done', 'done']);
    });

    it('fails the files of one record', async () => {
      expect(await batch(record(), record())).to.deep.equal(['UNEXPECTED_ANSWER', 'UNEXPECTED_ANSWER']);
    });

    it('fails the second file when a later response repeats the record of an earlier one', async () => {
      expect(await outcomes('/v1/files$', record())).to.deep.equal(['done', 'UNEXPECTED_ANSWER']);
    });

    it('fails all where there are more or fewer results than files', async () => {
      expect(await batch(record())).to.deep.equal(['UNEXPECTED_ANSWER', 'UNEXPECTED_ANSWER']);
      expect(await batch(record(), record(other), record({ id: 'file_3' }))).to.deep.equal([
        'UNEXPECTED_ANSWER',
        'UNEXPECTED_ANSWER',
      ]);
    });

    for (const [what, changes] of Object.entries({
      'another size': { size: 999 },
      'a size that is text': { size: '1000' },
      'a path that leads elsewhere': { path: '../a.bin' },
      'an empty id': { id: '' },
      'no name': { name: undefined },
      'an address that is a script': { url: 'javascript:alert(1)' },
      'a digest that is none': { sha256: 'abc' },
    }))
      it(`fails the file whose record states ${what}`, async () => {
        expect(await batch(record(changes), record(other))).to.deep.equal(['UNEXPECTED_ANSWER', 'done']);
      });
  });

  for (const message of [{ text: 'no' }, { toString: 1 }, null, 'x'.repeat(2_000_000)])
    it(`takes a refusal for one whatever its message is: ${JSON.stringify(message).slice(0, 30)}`, async () => {
      const body = { code: 'FILE_EXISTS', message, details: 'text', path: {} };
      await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 409, body } } });
      const queue = bench.queue();
      const ended = completed(queue);
      queue.add(someFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', 'FILE_EXISTS');
      expect(item!.state).to.have.nested.property('error.message.length').that.is.below(2100);
      expect(item!.state).to.have.nested.property('error.details').that.deep.equals({});
      expect(await posts(bench)).to.have.length(1);
    });

  it('outlasts an outage of the token route and of the service, whatever tries it has', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 502 } }, times: 5 });
    let refusals = 6;
    const provider = bench.provider(({ files }) => ({ max_uses: files.length }));
    const tokenProvider: typeof provider = async (request) => {
      if (refusals-- > 0) throw new TypeError('Failed to fetch');
      return provider(request);
    };
    await upload(someFiles(12, 1000), { tokenProvider, retry: { tries: 2, base: 5, cap: 20, patience: 60_000 } });
    expect(refusals, 'asked as often').to.be.below(0);
  });

  for (const [title, tell] of [
    ['the connection is said to be back', () => dispatchEvent(new Event('online'))],
    ['the person looks at the page again', () => document.dispatchEvent(new Event('visibilitychange'))],
  ] as const)
    it(`tries at once when ${title}`, async () => {
      await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 503 } }, times: 1 });
      const queue = bench.queue({ retry: { tries: 3, base: 1e9, cap: 1e9, patience: 1e9 } });
      queue.add(someFiles(1, 1000));
      await until(queue, () => queue.items[0]!.state.status === 'waiting');
      const done = completed(queue);
      tell();
      expect((await done).successful).to.have.length(1);
    });

  it('gives up after its tries, and begins anew when asked to', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 500 } }, times: 3 });
    const queue = bench.queue({ retry: { tries: 3, base: 5, cap: 5, patience: 1000 } });
    const attempts: number[] = [];
    queue.on('retry', ({ attempt }) => attempts.push(attempt));
    const ended = completed(queue);
    const files = someFiles(1, 1000);
    queue.add(files);
    expect((await ended).failed[0]!.state).to.include({ retryable: true });
    expect(attempts).to.deep.equal([2, 3]);
    const done = completed(queue);
    queue.retry(queue.items[0]!.id);
    expect((await done).successful).to.have.length(1);
    await bench.expectStoredOnce(files);
  });

  it('gets another token when one is refused', async () => {
    const secrets: string[] = [];
    const queue = bench.queue({
      batchUpTo: 0,
      concurrency: 2,
      tokenProvider: async ({ reason }) => {
        bench.reasons.push(reason);
        const grant = await bench.mint({ max_uses: 50 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const files = someFiles(12, 1000);
    const done = completed(queue);
    queue.add(files);
    await until(queue, () => queue.totals.done === 4);
    await bench.revoke(secrets[0]!);
    expect((await done).failed).to.deep.equal([]);
    await bench.expectStoredOnce(files);
    expect(bench.reasons).to.deep.equal(['start', 'invalid']);
  });

  it('does not go round with a supply of dead tokens', async () => {
    const body = { code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'expired' } };
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 401, body } } });
    const queue = bench.queue();
    const ended = completed(queue);
    queue.add(someFiles(1, 1000));
    expect((await ended).failed[0]!.state).to.include({ retryable: true });
    expect(await posts(bench)).to.have.length(3);
  });

  it('ends a request that stands still, and repeats it', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { stallRequestAt: 0 }, times: 1 });
    const queue = bench.queue({ stallAfter: 1500 });
    const stalled: string[] = [];
    queue.on('stall', ({ item }) => stalled.push(item.name));
    const done = completed(queue);
    const files = someFiles(1, 8_000_000);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    expect(stalled).to.deep.equal(['file 0.bin']);
    await bench.expectStoredOnce(files);
  });

  it('waits for the answer once all is sent, whatever becomes of the file meanwhile', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { delay: 3500 } });
    const queue = bench.queue({ stallAfter: 2000 });
    const ended = completed(queue);
    const [file] = someFiles(1, 1000);
    queue.add([file!]);
    await until(queue, () => queue.totals.sent === 1000);
    let looks = 0;
    file!.slice = () => {
      looks += 1;
      return { arrayBuffer: () => Promise.reject(new DOMException('It is not there.', 'NotFoundError')) } as unknown as Blob;
    };
    expect((await ended).failed).to.deep.equal([]);
    expect(looks).to.be.greaterThan(0);
    expect(await posts(bench)).to.have.length(1);
  });

  it('never ends a slow one that moves', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: 4_000_000 } });
    const queue = bench.queue({ stallAfter: 1000 });
    queue.on('stall', () => expect.fail('it moved all the time'));
    const done = completed(queue);
    queue.add(someFiles(1, 8_000_000));
    expect((await done).successful).to.have.length(1);
  });

  it('waits while offline without spending a try, and goes on when online', async () => {
    await bench.rule({ method: 'POST', path: '/v1/files', fault: { stallRequestAt: 10_000 } });
    // Until the service has noticed that the first requests are gone it answers that they still run and asks for a second's pause.
    const queue = bench.queue({ batchUpTo: 0, concurrency: 2, retry: { tries: 3, base: 1, cap: 1, patience: 5000 } });
    const files = someFiles(5, 60_000);
    const done = completed(queue);
    queue.add(files);
    await until(queue, () => queue.totals.active === 2 && queue.totals.sent > 0);
    // The browser tells first: a line that is cut before would be a failure of its own.
    setOnline(false);
    await bench.offline();
    expect(queue.online).to.equal(false);
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['waiting', 'waiting', 'queued', 'queued', 'queued']);
    expect(queue.items[0]!.state).to.include({ retryAt: null, attempt: 1 });
    // One of the two may not have reached the line yet: it must not stall now.
    await bench.heal();
    await bench.online();
    setOnline(true);
    expect((await done).failed.map(({ state }) => state.status === 'failed' && state.error.message)).to.deep.equal([]);
    await bench.expectStoredOnce(files);
  });

  it('asks for no token while offline', async () => {
    const queue = bench.queue();
    setOnline(false);
    queue.add(someFiles(1, 1000));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bench.reasons).to.deep.equal([]);
    const done = completed(queue);
    setOnline(true);
    await done;
    expect(bench.reasons).to.deep.equal(['start']);
  });
});
