import { expect } from 'chai';
import type { TokenProvider } from '../../../src/queue/types.js';
import { createTokenProvider } from '../../../src/element/token-source.js';
import { Bench, completed, someFiles, until } from './bench.js';

const MiB = 1024 * 1024;

describe('another endpoint or token source', () => {
  let before: Bench;
  let after: Bench;
  beforeEach(async () => {
    localStorage.clear();
    [before, after] = await Promise.all([Bench.open(), Bench.open()]);
  });
  afterEach(() => Promise.all([before.close(), after.close()]));

  const sizes = async (bench: Bench) => (await bench.files()).map(({ size }) => size).sort();
  const source = (bench: Bench) => ({ endpoint: bench.url, tokenProvider: bench.provider(() => ({ max_uses: 50 })) });

  it('carries the files that wait for their turn, while the one on its way ends with the earlier', async () => {
    await before.rule({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: 100_000 }, times: 1 });
    const queue = before.queue({ ...source(before), batchUpTo: 0, concurrency: 1 });
    queue.add([...someFiles(1, 50_000), ...someFiles(2, 1000)]);
    await until(queue, () => queue.totals.sent > 0);
    const done = completed(queue);
    queue.configure(source(after));
    expect((await done).failed).to.deep.equal([]);
    expect([await sizes(before), await sizes(after)]).to.deep.equal([[50_000], [1000, 1000]]);
  });

  it('carries at once the files that wait for another try', async () => {
    await before.rule({
      method: 'POST',
      path: '/v1/files',
      fault: { respond: { status: 503, headers: { 'retry-after': '300' } } },
    });
    const queue = before.queue({
      ...source(before),
      batchUpTo: 0,
      concurrency: 2,
      retry: { tries: 3, base: 1, cap: 1, patience: 1e9 },
    });
    queue.add(someFiles(2, 1000));
    await until(queue, () => queue.items.some(({ state }) => state.status === 'waiting'));
    const done = completed(queue);
    queue.configure(source(after));
    expect((await done).failed).to.deep.equal([]);
    expect(await sizes(after)).to.deep.equal([1000, 1000]);
  });

  it('carries the files that were paused, also those of which the earlier endpoint has a part', async () => {
    await before.rule({ method: 'POST', path: '/v1/', fault: { stallRequestAt: MiB } });
    const queue = before.queue({ ...source(before), batchUpTo: 0, resumableFrom: 2 * MiB });
    queue.add(someFiles(1, 3 * MiB));
    await until(queue, () => queue.totals.sent >= MiB);
    queue.pause();
    queue.configure(source(after));
    const done = completed(queue);
    queue.resume();
    expect((await done).failed).to.deep.equal([]);
    expect(await sizes(after)).to.deep.equal([3 * MiB]);
    expect(await sizes(before)).to.deep.equal([]);
  });

  it('gives tokens from its first file on, although a token of the earlier has uses left', async () => {
    const queue = before.queue({ ...source(before), batchUpTo: 0, concurrency: 1, manual: true });
    queue.add(someFiles(1, 1000));
    queue.start();
    await completed(queue);
    const tokenProvider: TokenProvider = after.provider(() => ({ max_uses: 1 }));
    queue.configure({ tokenProvider, endpoint: after.url });
    queue.add(someFiles(1, 2000));
    const done = completed(queue);
    queue.start();
    await done;
    expect([await sizes(before), await sizes(after)]).to.deep.equal([[1000], [2000]]);
  });
});

describe('a token endpoint that redirects to another origin', () => {
  let bench: Bench;
  let foreign: Bench;
  beforeEach(async () => {
    [bench, foreign] = await Promise.all([Bench.open(), Bench.open()]);
  });
  afterEach(() => Promise.all([bench.close(), foreign.close()]));

  for (const status of [302, 307])
    it(`is not followed, and its files fail with the reason: ${status}`, async () => {
      const preflight = { status: 204, headers: { 'access-control-allow-headers': 'content-type' } };
      for (const one of [bench, foreign]) await one.rule({ method: 'OPTIONS', path: '^/token', fault: { respond: preflight } });
      await foreign.rule({ path: '^/token', fault: { respond: { status: 200, body: await foreign.mint() } } });
      await bench.rule({ path: '^/token', fault: { respond: { status, headers: { location: `${foreign.url}/token` } } } });
      const sources = { tokenProvider: null, tokenEndpoint: `${bench.url}/token`, token: null };
      const queue = bench.queue({ endpoint: '', tokenProvider: createTokenProvider(() => sources) });
      const ended = completed(queue);
      queue.add(someFiles(1, 1000));
      const [item] = (await ended).failed;
      expect(item!.state).to.have.nested.property('error.code', 'TOKEN_SUPPLY_FAILED');
      expect(item!.state).to.have.nested.property('error.message').that.includes('redirect');
      expect(await foreign.requests()).to.deep.equal([]);
    });
});

describe('a service that redirects uploads to another origin', () => {
  it('stores nothing that counts as uploaded', async () => {
    const [bench, foreign] = await Promise.all([Bench.open(), Bench.open()]);
    const preflight = { status: 204, headers: { 'access-control-allow-headers': '*, authorization' } };
    await foreign.rule({ method: 'OPTIONS', path: '^/', fault: { respond: preflight } });
    const body = { response: { id: '1', path: 'a', name: 'a', size: 1000, content_type: '', url: null, sha256: '' } };
    await foreign.rule({ path: '^/', fault: { respond: { status: 201, body } } });
    await bench.rule({
      method: 'POST',
      path: '/v1/files',
      fault: { respond: { status: 307, headers: { location: `${foreign.url}/x` } } },
    });
    const queue = bench.queue({ batchUpTo: 0 });
    const ended = completed(queue);
    queue.add(someFiles(1, 1000));
    expect((await ended).failed.map(({ state }) => state)[0]).to.have.nested.property('error.code', 'UNEXPECTED_ANSWER');
    await Promise.all([bench.close(), foreign.close()]);
  });
});
