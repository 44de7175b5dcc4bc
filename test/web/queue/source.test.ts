import { expect } from 'chai';
import type { TokenProvider } from '../../../src/queue/types.js';
import { createTokenProvider } from '../../../src/element/token-source.js';
import { FaultyService, waitForCompletion, createFiles, until } from './faulty-service.js';

const MiB = 1024 * 1024;

describe('a changed endpoint or token source', () => {
  let before: FaultyService;
  let after: FaultyService;
  beforeEach(async () => {
    localStorage.clear();
    [before, after] = await Promise.all([FaultyService.open(), FaultyService.open()]);
  });
  afterEach(() => Promise.all([before.close(), after.close()]));

  const sizes = async (service: FaultyService) => (await service.files()).map(({ size }) => size).sort();
  const source = (service: FaultyService) => ({
    endpoint: service.url,
    tokenProvider: service.provider(() => ({ max_uses: 50 })),
  });

  it('is used for queued files, while the file that is being sent completes with the earlier one', async () => {
    await before.rule({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: 100_000 }, times: 1 });
    const queue = before.queue({ ...source(before), batchUpTo: 0, concurrency: 1 });
    queue.add([...createFiles(1, 50_000), ...createFiles(2, 1000)]);
    await until(queue, () => queue.totals.sent > 0);
    const done = waitForCompletion(queue);
    queue.configure(source(after));
    expect((await done).failed).to.deep.equal([]);
    expect([await sizes(before), await sizes(after)]).to.deep.equal([[50_000], [1000, 1000]]);
  });

  it('is used at once for files that wait for a retry', async () => {
    await before.rule({
      method: 'POST',
      path: '/v1/files',
      fault: { respond: { status: 503, headers: { 'retry-after': '300' } } },
    });
    const queue = before.queue({
      ...source(before),
      batchUpTo: 0,
      concurrency: 2,
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1, maxWaitMs: 1e9 },
    });
    queue.add(createFiles(2, 1000));
    await until(queue, () => queue.items.some(({ state }) => state.status === 'waiting'));
    const done = waitForCompletion(queue);
    queue.configure(source(after));
    expect((await done).failed).to.deep.equal([]);
    expect(await sizes(after)).to.deep.equal([1000, 1000]);
  });

  it('is used for paused files, even if the earlier endpoint has a part of them', async () => {
    await before.rule({ method: 'POST', path: '/v1/', fault: { stallRequestAt: MiB } });
    const queue = before.queue({ ...source(before), batchUpTo: 0, resumableFrom: 2 * MiB });
    queue.add(createFiles(1, 3 * MiB));
    await until(queue, () => queue.totals.sent >= MiB);
    queue.pause();
    queue.configure(source(after));
    const done = waitForCompletion(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    expect(await sizes(after)).to.deep.equal([3 * MiB]);
    expect(await sizes(before)).to.deep.equal([]);
  });

  it('supplies the tokens of all later files, although an earlier token has uses left', async () => {
    const queue = before.queue({ ...source(before), batchUpTo: 0, concurrency: 1, manual: true });
    queue.add(createFiles(1, 1000));
    queue.start();
    await waitForCompletion(queue);
    const tokenProvider: TokenProvider = after.provider(() => ({ max_uses: 1 }));
    queue.configure({ tokenProvider, endpoint: after.url });
    queue.add(createFiles(1, 2000));
    const done = waitForCompletion(queue);
    queue.start();
    await done;
    expect([await sizes(before), await sizes(after)]).to.deep.equal([[1000], [2000]]);
  });
});

describe('a token endpoint that redirects to another origin', () => {
  let service: FaultyService;
  let foreign: FaultyService;
  beforeEach(async () => {
    [service, foreign] = await Promise.all([FaultyService.open(), FaultyService.open()]);
  });
  afterEach(() => Promise.all([service.close(), foreign.close()]));

  for (const status of [302, 307])
    it(`is not followed, and its files fail with the reason: ${status}`, async () => {
      const preflight = { status: 204, headers: { 'access-control-allow-headers': 'content-type' } };
      for (const one of [service, foreign]) await one.rule({ method: 'OPTIONS', path: '^/token', fault: { respond: preflight } });
      await foreign.rule({ path: '^/token', fault: { respond: { status: 200, body: await foreign.mint() } } });
      await service.rule({ path: '^/token', fault: { respond: { status, headers: { location: `${foreign.url}/token` } } } });
      const sources = { tokenProvider: null, tokenEndpoint: `${service.url}/token`, token: null };
      const queue = service.queue({ endpoint: '', tokenProvider: createTokenProvider(() => sources) });
      const ended = waitForCompletion(queue);
      queue.add(createFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', 'TOKEN_SUPPLY_FAILED');
      expect(item!.state).to.have.nested.property('error.message').that.includes('redirect');
      expect(await foreign.requests()).to.deep.equal([]);
    });
});

describe('a service that redirects uploads to another origin', () => {
  it('stores nothing that counts as uploaded', async () => {
    const [service, foreign] = await Promise.all([FaultyService.open(), FaultyService.open()]);
    const preflight = { status: 204, headers: { 'access-control-allow-headers': '*, authorization' } };
    await foreign.rule({ method: 'OPTIONS', path: '^/', fault: { respond: preflight } });
    const body = { response: { id: '1', path: 'a', name: 'a', size: 1000, content_type: '', url: null, sha256: '' } };
    await foreign.rule({ path: '^/', fault: { respond: { status: 201, body } } });
    await service.rule({
      method: 'POST',
      path: '/v1/files',
      fault: { respond: { status: 307, headers: { location: `${foreign.url}/x` } } },
    });
    const queue = service.queue({ batchUpTo: 0 });
    const ended = waitForCompletion(queue);
    queue.add(createFiles(1, 1000));
    expect((await ended).failed.map(({ state }) => state)[0]).to.have.nested.property('error.code', 'UNEXPECTED_ANSWER');
    await Promise.all([service.close(), foreign.close()]);
  });
});
