import { expect } from 'chai';
import { FaultyService, waitForCompletion, createFiles, until } from './faulty-service.js';

const MiB = 1024 * 1024;

/** Creates a deterministic generator, so that a failure can be reproduced. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('an upload of 300 files', () => {
  let service: FaultyService;
  beforeEach(async () => {
    localStorage.clear();
    service = await FaultyService.open();
  });
  afterEach(async () => {
    delete (navigator as { onLine?: boolean }).onLine;
    await service.close();
  });

  /** Sets rules for all faults of a connection, several times each. */
  async function breakEverything(seed: number): Promise<void> {
    const next = createRandom(seed);
    const upload = '^/v1/(files|uploads)';
    const expired = { code: 'BLOB_UPLOAD_TOKEN_INVALID', message: '', details: { reason: 'expired' } };
    await service.rule({ path: upload, fault: { respond: { status: 401, body: expired } }, skip: 12, times: 2 });
    for (let round = 0; round < 6; round++) {
      const skip = () => Math.floor(next() * 25);
      await service.rule({ path: upload, fault: { cutRequestAt: Math.floor(next() * 60_000) }, skip: skip(), times: 2 });
      await service.rule({ path: upload, fault: { dropResponse: true }, skip: skip(), times: 2 });
      await service.rule({ path: upload, fault: { cutResponseAt: Math.floor(next() * 200) }, skip: skip(), times: 1 });
      await service.rule({ path: upload, fault: { stallRequestAt: 0 }, skip: skip(), times: 1 });
      await service.rule({
        path: upload,
        fault: { respond: { status: 503, headers: { 'retry-after': '0' } } },
        skip: skip(),
        times: 2,
      });
      const body = { code: 'RATE_LIMIT_EXCEEDED', message: '', details: { retry_after: 0.05 } };
      await service.rule({ path: upload, fault: { respond: { status: 429, body } }, skip: skip(), times: 2 });
      await service.rule({ path: '^/v1/upload-tokens/self', fault: { respond: { status: 500 } }, skip: round, times: 1 });
    }
  }

  for (const [how, options] of [
    ['one by one', { batchUpTo: 0 }],
    ['together', {}],
  ] as const)
    it(`stores each file once over a connection that breaks in every way (${how})`, async function () {
      this.timeout(60_000);
      await breakEverything(how.length);
      let minted = 0;
      const queue = service.queue({
        ...options,
        resumableFrom: MiB,
        stallAfter: 700,
        retry: { maxAttempts: 12, baseDelayMs: 20, maxDelayMs: 300, maxWaitMs: 60_000 },
        // Every third request for a token fails, and every second token has few uses. Some responses lack the limits.
        tokenProvider: async ({ reason }) => {
          service.reasons.push(reason);
          minted++;
          if (minted % 3 === 0) throw new TypeError('Failed to fetch');
          const grant = await service.mint({ max_uses: minted % 2 === 0 ? 17 : 60 });
          return minted % 4 === 0 ? grant.token : grant;
        },
      });
      const files = [
        ...createFiles(200, 4000),
        ...createFiles(90, 40_000),
        ...createFiles(8, 400_000),
        ...createFiles(2, 3 * MiB),
      ];
      const done = waitForCompletion(queue);
      queue.add(files);
      await until(queue, () => queue.totals.done > 60);
      await service.offline();
      setOnline(false);
      await service.online();
      setOnline(true);
      const { successful, failed } = await done;
      expect(failed.map(({ state }) => state)).to.deep.equal([]);
      expect(successful).to.have.length(300);
      await service.expectStoredOnce(files);
      expect(queue.totals.sent).to.equal(queue.totals.bytes);
      expect((await service.requests()).filter(({ faulted }) => faulted).length, 'requests with faults').to.be.above(20);
    });
});
