import { beforeEach, describe, expect, it, vi } from 'vitest';
import { TokenSupply } from '../../../src/queue/tokens/token-supply.js';
import type { TokenProvider, TokenRequest } from '../../../src/queue/types.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { TokenGrant } from '../../../src/protocol/types.js';

const { signal } = new AbortController();
const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
beforeEach(() => void warn.mockClear());

const grant = (token: string, more: Partial<TokenGrant> = {}): TokenGrant => ({
  token,
  url: 'https://blob.example',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  max_uses: 3,
  max_size: null,
  allowed_extensions: null,
  ...more,
});

function supplyOf(provider: TokenProvider) {
  const asked: TokenRequest[] = [];
  const supply = new TokenSupply(
    {
      endpoint: '',
      provider(request) {
        asked.push(request);
        return provider(request);
      },
    },
    { filesNeedingToken: () => [{ name: 'a', size: 1, type: '' }], onToken() {}, untilOnline: async () => {} },
  );
  return { supply, asked, reasons: () => asked.map(({ reason }) => reason) };
}

describe('the token supply', () => {
  it('asks nobody, and rejects unheard nowhere, if nobody waits any more', async () => {
    let ready = (): void => {};
    const online = new Promise<void>((resolve) => (ready = resolve));
    const provider = vi.fn<TokenProvider>(async (request) => {
      request.signal.throwIfAborted();
      return grant('svcup_1');
    });
    const supply = new TokenSupply(
      { endpoint: '', provider },
      { filesNeedingToken: () => [], onToken() {}, untilOnline: () => online },
    );
    const stop = new AbortController();
    const leased = supply.reserveUses(1, stop.signal);
    stop.abort();
    await expect(leased).rejects.toBe(stop.signal.reason);
    ready();
    // A rejection that nobody handles is told in a task of its own, and fails the run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(provider).not.toHaveBeenCalled();
  });

  it('tells the console why there is no token, once however many files wait, and never of what was given up', async () => {
    const { supply } = supplyOf(async () => ({}) as TokenGrant);
    await Promise.allSettled([supply.reserveUses(1, signal), supply.reserveUses(1, signal)]);
    expect(warn.mock.calls).toEqual([['<svc-uploader>:', expect.stringContaining('There is no token in it.')]]);
    const silent = supplyOf(() => new Promise(() => {}));
    const controller = new AbortController();
    const lease = silent.supply.reserveUses(1, controller.signal);
    controller.abort();
    await expect(lease).rejects.toThrow();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('does not wait for ever for who never answers, and tells them', async () => {
    const { timeout } = AbortSignal;
    const waited = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 1000));
    const { supply, asked, reasons } = supplyOf(({ reason }) =>
      reason === 'retry' ? Promise.resolve(grant('svcup_2')) : new Promise(() => {}),
    );
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      message: 'No token came in time.',
    });
    expect(asked[0]!.signal.aborted).toBe(true);
    expect((await supply.reserveUses(1, signal)).token.authorization).toBe('Bearer svcup_2');
    expect(reasons()).toEqual(['start', 'retry']);
    waited.mockRestore();
  });

  it('asks once for however many files wait', async () => {
    let count = 0;
    const { supply, reasons } = supplyOf(async () => grant(`svcup_${++count}`));
    const leases = await Promise.all(Array.from({ length: 7 }, () => supply.reserveUses(1, signal)));
    expect(leases.map(({ token }) => token.authorization)).toEqual(
      ['1', '1', '1', '2', '2', '2', '3'].map((number) => `Bearer svcup_${number}`),
    );
    expect(reasons()).toEqual(['start', 'exhausted', 'exhausted']);
  });

  it('gives as many uses as are left, and takes back what no file needed', async () => {
    const { supply, asked } = supplyOf(async () => grant('svcup_1'));
    const { token, uses } = await supply.reserveUses(10, signal);
    expect(uses).toBe(3);
    supply.returnUse(token);
    expect((await supply.reserveUses(10, signal)).uses).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it('replaces a token that is about to expire, or was refused', async () => {
    let count = 0;
    const { supply, reasons } = supplyOf(async () => grant(`svcup_${++count}`, { max_uses: 100 }));
    const first = await supply.reserveUses(1, signal);
    supply.markRefused(first.token);
    const second = await supply.reserveUses(1, signal);
    expect(second.token).not.toBe(first.token);
    Object.assign(second.token, { expiresAt: Date.now() + 5000 });
    await supply.reserveUses(1, signal);
    expect(reasons()).toEqual(['start', 'invalid', 'expiring']);
  });

  it('uses a token although the clock of this machine is an hour ahead', async () => {
    const { supply, asked } = supplyOf(async () =>
      grant('svcup_1', { max_uses: 2, expires_at: new Date(Date.now() - 3_600_000).toISOString() }),
    );
    await supply.reserveUses(1, signal);
    await supply.reserveUses(1, signal);
    expect(asked).toHaveLength(1);
  });

  it.each([`svc_live_${'a'.repeat(48)}`, 'f'.repeat(64), 'F'.repeat(64)])('refuses an API key and says why: %s', async (key) => {
    const { supply, asked } = supplyOf(async () => key);
    const error = await supply.reserveUses(1, signal).catch((cause: unknown) => cause as BlobError);
    expect(error).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    expect((error as BlobError).message).toMatch(/API key, and everyone who opens the page can read it/);
    expect(JSON.stringify([error, (error as BlobError).message])).not.toContain(key);
    expect(asked).toHaveLength(1);
  });

  it.each([[''], ['svcup_a\nx: y'], [undefined]])('refuses what cannot be a token: %j', async (text) => {
    const { supply } = supplyOf(async () => text as string);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
  });

  it('leaves what can pass as it is, and gives a retry its own reason', async () => {
    const answers: (() => Promise<TokenGrant>)[] = [
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => Promise.reject(new DOMException('It took too long.', 'TimeoutError')),
      () => Promise.reject(new BlobError('RATE_LIMIT_EXCEEDED', '', { details: { retry_after: 7 } })),
      () => Promise.reject(new Error('no session')),
      async () => grant('svcup_1'),
    ];
    const { supply, reasons } = supplyOf(() => answers.shift()!());
    const refused = () => supply.reserveUses(1, signal).catch((cause: unknown) => cause);
    expect(await refused()).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await refused()).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await refused()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 7 } });
    expect(await refused()).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', message: 'No upload token: no session' });
    await supply.reserveUses(1, signal);
    expect(reasons()).toEqual(['start', 'retry', 'retry', 'retry', 'retry']);
  });

  it.each([
    'Die Netzwerkverbindung wurde unterbrochen.',
    'annulé',
    'The Internet connection appears to be offline.',
    'cannot parse response',
    'Importing a module script failed.',
    'NetworkError when attempting to fetch resource.',
  ])('asks again after an outage, in whatever language it is told: %s', async (message) => {
    const { supply } = supplyOf(() => Promise.reject(new TypeError(message)));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  it.each([
    'can\'t access property "token", answer is undefined',
    'undefined is not an object (evaluating "answer.token")',
    'getToken is not a function',
    'Window.fetch: http:// is not a valid URL.',
    "Failed to execute 'fetch' on 'Window': Failed to parse URL from http://",
    'Converting circular structure to JSON',
  ])('does not ask again after what any engine calls a mistake: %s', async (message) => {
    const { supply } = supplyOf(() => Promise.reject(new TypeError(message)));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
  });

  it('takes a mistake in the page’s function for what it is', async () => {
    const provider = async () => (undefined as unknown as TokenGrant).token;
    const { supply } = supplyOf(provider);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    const address = supplyOf(() => fetch('http://') as Promise<never>);
    await expect(address.supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    const nobody = supplyOf(() => fetch('http://127.0.0.1:1/') as Promise<never>);
    await expect(nobody.supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  it('asks another source at once, although the present one has not answered', async () => {
    const { supply, asked } = supplyOf(() => new Promise(() => {}));
    const leases = [supply.reserveUses(1, signal), supply.reserveUses(1, signal)];
    await new Promise(setImmediate);
    const reasons: string[] = [];
    const provider: TokenProvider = async ({ reason }) => (reasons.push(reason), grant('svcup_2'));
    supply.configure({ endpoint: '', provider });
    const tokens = (await Promise.all(leases)).map(({ token }) => token.authorization);
    expect(tokens).toEqual(['Bearer svcup_2', 'Bearer svcup_2']);
    expect(asked[0]!.signal.aborted).toBe(true);
    expect(reasons).toEqual(['start']);
    expect(warn).not.toHaveBeenCalled();
  });

  it('reads each field of a grant by itself', async () => {
    const odd = { max_uses: undefined, max_size: 5, allowed_extensions: '.PDF, tar.gz', expires_at: 7 };
    const { supply } = supplyOf(async () => grant('svcup_1', odd as unknown as Partial<TokenGrant>));
    const { token, uses } = await supply.reserveUses(100, signal);
    expect(uses).toBe(100);
    expect(token.limits).toEqual({ maxSize: 5, allowedExtensions: ['pdf', 'tar.gz'] });
    const until = new Date(Date.now() + 60_000).toISOString();
    const bare = supplyOf(async () => ({ token: 'svcup_1', url: 'https://blob.example', expires_at: until }));
    const lease = await bare.supply.reserveUses(1, signal);
    expect(lease.token).toMatchObject({ expiresAt: Date.parse(until), limits: { maxSize: null, allowedExtensions: null } });
  });

  it.each(['svcup_1', { token: 'svcup_1' }])('says so when nothing tells where to upload: %j', async (supplied) => {
    const { supply } = supplyOf(async () => supplied);
    const error = await supply.reserveUses(1, signal).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', message: expect.stringContaining('no endpoint') });
  });

  it('tells how many files a token was for that has no uses left', async () => {
    const { supply } = supplyOf(async () => grant('svcup_1', { max_uses: 0 }));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', details: { max_files: 0 } });
  });

  it.each([
    [2.5, 2],
    [Number.NaN, 5],
    [Number.POSITIVE_INFINITY, 5],
  ])('gives whole uses only, of a token with %j of them', async (max_uses, uses) => {
    let asked = 0;
    const provider: TokenProvider = async () => {
      // Without an end the supply would ask for ever.
      if (++asked > 3) throw new Error('Asked too often.');
      return grant(`svcup_${asked}`, { max_uses });
    };
    const { supply } = supplyOf(provider);
    expect((await supply.reserveUses(5, signal)).uses).toBe(uses);
    await supply.reserveUses(5, signal);
    expect(asked).toBe(max_uses === 2.5 ? 2 : 1);
  });

  it('writes no character to the console that moves others', async () => {
    const { supply } = supplyOf(() => Promise.reject(new Error('photo\u202egnp.exe\n\u001b[2Jdone')));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    expect(warn.mock.calls).toEqual([['<svc-uploader>:', 'No upload token: photo gnp.exe  [2Jdone']]);
  });

  it('does not go round with a token that was just refused', async () => {
    const { supply, asked } = supplyOf(async () => grant('svcup_1'));
    const { token } = await supply.reserveUses(1, signal);
    supply.markRefused(token);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    expect(asked).toHaveLength(2);
  });

  it('ends its request when the last file that waited is gone', async () => {
    const { supply, asked } = supplyOf(() => new Promise(() => {}));
    const controllers = [new AbortController(), new AbortController()];
    const leases = controllers.map((controller) => supply.reserveUses(1, controller.signal).catch((cause: unknown) => cause));
    await Promise.resolve();
    await Promise.resolve();
    controllers[0]!.abort('gone');
    expect(await leases[0]).toBe('gone');
    expect(asked[0]!.signal.aborted).toBe(false);
    controllers[1]!.abort('gone');
    await leases[1];
    expect(asked[0]!.signal.aborted).toBe(true);
  });
});
