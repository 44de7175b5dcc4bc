// Long because each kind of broken response is one test case.
import { expect } from 'chai';
import type { QueueOptions, UploadItem } from '../../../src/queue/types.js';
import { FaultyService, waitForCompletion, createFiles, until } from './faulty-service.js';

const posts = async (service: FaultyService) =>
  (await service.requests()).filter(({ method, path }) => method === 'POST' && path === '/v1/files');

/** Sets `navigator.onLine` and fires the event that belongs to it. */
function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('a queue whose requests fail', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(async () => {
    delete (navigator as { onLine?: boolean }).onLine;
    await service.close();
  });

  async function upload(files: readonly File[], options: Partial<QueueOptions> = {}): Promise<UploadItem[]> {
    const queue = service.queue({ batchUpTo: 0, ...options });
    const done = waitForCompletion(queue);
    queue.add(files);
    const { failed } = await done;
    expect(failed.map(({ state }) => state)).to.deep.equal([]);
    await service.expectStoredOnce(files);
    return [...queue.items];
  }

  it('repeats requests whose connection was cut', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { cutRequestAt: 70_000 }, times: 3 });
    await upload(createFiles(4, 100_000));
    expect((await posts(service)).filter(({ faulted }) => faulted)).to.have.length(3);
  });

  it('stores a file once if the response is lost', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { dropResponse: true }, times: 5 });
    await upload(createFiles(5, 5000));
    expect(await posts(service)).to.have.length(10);
  });

  for (const status of [408, 425, 500, 502, 503, 504])
    it(`repeats a request after ${status}`, async () => {
      await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status } }, times: 1 });
      await upload(createFiles(1, 1000));
      expect(await posts(service)).to.have.length(2);
    });

  for (const status of [429, 503])
    it(`starts no request before the time of Retry-After, after ${status}`, async () => {
      const response = { status, headers: { 'retry-after': '1' } };
      await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: response }, times: 1 });
      const queue = service.queue({ batchUpTo: 0, concurrency: 1 });
      let earliest = 0;
      const starts: number[] = [];
      queue.on('change', ({ item: { state }, previous }) => {
        if (state.status === 'waiting') earliest = Math.max(earliest, state.retryAt!);
        if (state.status === 'uploading' && previous.status === 'queued') starts.push(Date.now());
      });
      const before = Date.now();
      const done = waitForCompletion(queue);
      queue.add(createFiles(3, 1000));
      await done;
      expect(earliest - before).to.be.at.least(1000);
      expect(
        starts.filter((time) => time < before + 1000),
        'starts before that time',
      ).to.have.length(1);
    });

  it('reads the delay from details.retry_after as well', async () => {
    const body = { code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 1 } };
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 429, body } }, times: 1 });
    const queue = service.queue();
    const [item] = queue.add(createFiles(1, 1000));
    await until(queue, () => item!.state.status === 'waiting');
    expect(item!.state)
      .to.have.property('retryAt')
      .that.is.at.least(Date.now() + 900);
    await waitForCompletion(queue);
  });

  it('waits if an earlier attempt is still being processed', async () => {
    const body = { code: 'OPERATION_IN_PROGRESS', details: { retry_after: 0 } };
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 409, body } }, times: 2 });
    await upload(createFiles(1, 1000));
    expect(await posts(service)).to.have.length(3);
  });

  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT'],
    [409, 'FILE_EXISTS'],
    [413, 'BLOB_FILE_TOO_LARGE'],
    [415, 'BLOCKED_FILE_TYPE'],
    [507, 'STORAGE_FULL'],
  ] as const)
    it(`does not repeat a request after ${code}`, async () => {
      await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status, body: { code, message: 'no' } } } });
      const queue = service.queue();
      const ended = waitForCompletion(queue);
      queue.add(createFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', code);
      expect(item!.state).to.have.property('retryable', ['STORAGE_FULL', 'VALIDATION_ERROR'].includes(code));
      expect(await posts(service)).to.have.length(1);
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
    it(`fails files without a retry if ${path} responds ${JSON.stringify(body)}`, async () => {
      await service.rule({ method: 'POST', path, fault: { respond: { status: 200, body } } });
      const route = { batchUpTo: path === 'batch' ? 5000 : 0, resumableFrom: path === '/v1/uploads' ? 1 : Infinity };
      const queue = service.queue({ ...route, concurrency: 1 });
      const ended = waitForCompletion(queue);
      queue.add(createFiles(2, 1000));
      const { successful, failed } = await ended;
      expect(successful).to.deep.equal([]);
      for (const { state } of failed) expect(state).to.have.nested.property('error.status').that.is.within(200, 422);
      const sent = (await service.requests()).filter((request) => request.method === 'POST' && request.path.includes(path));
      expect(sent).to.have.length(path === 'batch' ? 1 : 2);
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

    /** Sends two files of 1,000 bytes to a route that responds with a body. @returns the outcome of each file */
    async function sendTwo(path: 'batch$' | '/v1/files$', body: unknown): Promise<string[]> {
      await service.rule({ method: 'POST', path, fault: { respond: { status: 200, body: { response: body } } } });
      const queue = service.queue({ batchUpTo: path === 'batch$' ? 5000 : 0, concurrency: 1 });
      const ended = waitForCompletion(queue);
      queue.add(createFiles(2, 1000));
      await ended;
      return queue.items.map(({ state }) => (state.status === 'failed' ? state.error.code : state.status));
    }
    const sendBatch = (...records: unknown[]) => sendTwo('batch$', { results: records.map((file) => ({ file })) });
    const other = { id: 'file_2', path: 'lab/b.bin' };

    it('is accepted if each file has its own record', async () => {
      expect(await sendBatch(record(), record(other))).to.deep.equal(['done', 'done']);
    });

    it('fails the files that share a record', async () => {
      expect(await sendBatch(record(), record())).to.deep.equal(['UNEXPECTED_ANSWER', 'UNEXPECTED_ANSWER']);
    });

    it('fails the second file if a later response repeats the record of an earlier one', async () => {
      expect(await sendTwo('/v1/files$', record())).to.deep.equal(['done', 'UNEXPECTED_ANSWER']);
    });

    it('fails all files if there are more or fewer results than files', async () => {
      expect(await sendBatch(record())).to.deep.equal(['UNEXPECTED_ANSWER', 'UNEXPECTED_ANSWER']);
      expect(await sendBatch(record(), record(other), record({ id: 'file_3' }))).to.deep.equal([
        'UNEXPECTED_ANSWER',
        'UNEXPECTED_ANSWER',
      ]);
    });

    for (const [what, changes] of Object.entries({
      'another size': { size: 999 },
      'a size that is text': { size: '1000' },
      'a path out of its folder': { path: '../a.bin' },
      'an empty id': { id: '' },
      'no name': { name: undefined },
      'an address that is a script': { url: 'javascript:alert(1)' },
      'an invalid digest': { sha256: 'abc' },
    }))
      it(`fails the file whose record states ${what}`, async () => {
        expect(await sendBatch(record(changes), record(other))).to.deep.equal(['UNEXPECTED_ANSWER', 'done']);
      });
  });

  for (const message of [{ text: 'no' }, { toString: 1 }, null, 'x'.repeat(2_000_000)])
    it(`accepts a refusal with any message: ${JSON.stringify(message).slice(0, 30)}`, async () => {
      const body = { code: 'FILE_EXISTS', message, details: 'text', path: {} };
      await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 409, body } } });
      const queue = service.queue();
      const ended = waitForCompletion(queue);
      queue.add(createFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', 'FILE_EXISTS');
      expect(item!.state).to.have.nested.property('error.message.length').that.is.below(2100);
      expect(item!.state).to.have.nested.property('error.details').that.deep.equals({});
      expect(await posts(service)).to.have.length(1);
    });

  it('survives an outage of the token route and of the service that takes more attempts than allowed', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 502 } }, times: 5 });
    let refusals = 6;
    const provider = service.provider(({ files }) => ({ max_uses: files.length }));
    const tokenProvider: typeof provider = async (request) => {
      if (refusals-- > 0) throw new TypeError('Failed to fetch');
      return provider(request);
    };
    await upload(createFiles(12, 1000), {
      tokenProvider,
      retry: { maxAttempts: 2, baseDelayMs: 5, maxDelayMs: 20, maxWaitMs: 60_000 },
    });
    expect(refusals, 'requests for a token').to.be.below(0);
  });

  for (const [title, notifyPage] of [
    ['the browser reports a connection', () => dispatchEvent(new Event('online'))],
    ['the page becomes visible again', () => document.dispatchEvent(new Event('visibilitychange'))],
  ] as const)
    it(`retries at once when ${title}`, async () => {
      await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 503 } }, times: 1 });
      const queue = service.queue({ retry: { maxAttempts: 3, baseDelayMs: 1e9, maxDelayMs: 1e9, maxWaitMs: 1e9 } });
      queue.add(createFiles(1, 1000));
      await until(queue, () => queue.items[0]!.state.status === 'waiting');
      const done = waitForCompletion(queue);
      notifyPage();
      expect((await done).successful).to.have.length(1);
    });

  it('fails a file after the last attempt, and starts again on retry', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 500 } }, times: 3 });
    const queue = service.queue({ retry: { maxAttempts: 3, baseDelayMs: 5, maxDelayMs: 5, maxWaitMs: 1000 } });
    const attempts: number[] = [];
    queue.on('retry', ({ attempt }) => attempts.push(attempt));
    const ended = waitForCompletion(queue);
    const files = createFiles(1, 1000);
    queue.add(files);
    expect((await ended).failed[0]!.state).to.include({ retryable: true });
    expect(attempts).to.deep.equal([2, 3]);
    const done = waitForCompletion(queue);
    queue.retry(queue.items[0]!.id);
    expect((await done).successful).to.have.length(1);
    await service.expectStoredOnce(files);
  });

  it('requests another token if one is refused', async () => {
    const secrets: string[] = [];
    const queue = service.queue({
      batchUpTo: 0,
      concurrency: 2,
      tokenProvider: async ({ reason }) => {
        service.reasons.push(reason);
        const grant = await service.mint({ max_uses: 50 });
        secrets.push(grant.token);
        return grant;
      },
    });
    const files = createFiles(12, 1000);
    const done = waitForCompletion(queue);
    queue.add(files);
    await until(queue, () => queue.totals.done === 4);
    await service.revoke(secrets[0]!);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect(service.reasons).to.deep.equal(['start', 'invalid']);
  });

  it('fails a file after three tokens were refused', async () => {
    const body = { code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'expired' } };
    await service.rule({ method: 'POST', path: '/v1/files', fault: { respond: { status: 401, body } } });
    const queue = service.queue();
    const ended = waitForCompletion(queue);
    queue.add(createFiles(1, 1000));
    expect((await ended).failed[0]!.state).to.include({ retryable: true });
    expect(await posts(service)).to.have.length(3);
  });

  it('aborts and repeats a request that stalls', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { stallRequestAt: 0 }, times: 1 });
    const queue = service.queue({ stallAfter: 1500 });
    const stalled: string[] = [];
    queue.on('stall', ({ item }) => stalled.push(item.name));
    const done = waitForCompletion(queue);
    const files = createFiles(1, 8_000_000);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    expect(stalled).to.deep.equal(['file 0.bin']);
    await service.expectStoredOnce(files);
  });

  it('waits for the response once all bytes are sent, even if the file disappears', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { delay: 3500 } });
    const queue = service.queue({ stallAfter: 2000 });
    const ended = waitForCompletion(queue);
    const [file] = createFiles(1, 1000);
    queue.add([file!]);
    await until(queue, () => queue.totals.sent === 1000);
    let reads = 0;
    file!.slice = () => {
      reads += 1;
      return {
        arrayBuffer: () => Promise.reject(new DOMException('The file does not exist.', 'NotFoundError')),
      } as unknown as Blob;
    };
    expect((await ended).failed).to.deep.equal([]);
    expect(reads).to.be.greaterThan(0);
    expect(await posts(service)).to.have.length(1);
  });

  it('does not abort a slow request that makes progress', async () => {
    // Sockets hold several megabytes. While those travel, the browser reports no progress, which takes less than a second at this rate.
    await service.rule({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: 8_000_000 } });
    const queue = service.queue({ stallAfter: 2500, resumableFrom: Infinity });
    queue.on('stall', () => expect.fail('The upload stalled.'));
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, 32_000_000));
    expect((await done).successful).to.have.length(1);
  });

  it('waits offline without counting an attempt, and continues online', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { stallRequestAt: 10_000 } });
    // Until the service notices that the first requests are gone, it responds that they are running and asks for a pause of a second.
    const queue = service.queue({
      batchUpTo: 0,
      concurrency: 2,
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, maxWaitMs: 5000 },
    });
    const files = createFiles(5, 60_000);
    const done = waitForCompletion(queue);
    queue.add(files);
    await until(queue, () => queue.totals.active === 2 && queue.totals.sent > 0);
    // The browser reports it first. A connection that is cut before would count as a failed attempt.
    setOnline(false);
    await service.offline();
    expect(queue.online).to.equal(false);
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['waiting', 'waiting', 'queued', 'queued', 'queued']);
    expect(queue.items[0]!.state).to.include({ retryAt: null, attempt: 1 });
    // One of the two requests may not have reached the proxy yet. It must not stall now.
    await service.heal();
    await service.online();
    setOnline(true);
    expect((await done).failed.map(({ state }) => state.status === 'failed' && state.error.message)).to.deep.equal([]);
    await service.expectStoredOnce(files);
  });

  it('requests no token while offline', async () => {
    const queue = service.queue();
    setOnline(false);
    queue.add(createFiles(1, 1000));
    // A token would be requested within a few microtasks, long before this response.
    await service.requests();
    expect(service.reasons).to.deep.equal([]);
    const done = waitForCompletion(queue);
    setOnline(true);
    await done;
    expect(service.reasons).to.deep.equal(['start']);
  });
});
