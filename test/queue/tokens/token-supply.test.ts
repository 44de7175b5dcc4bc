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

function createSupply(provider: TokenProvider) {
  const requests: TokenRequest[] = [];
  const supply = new TokenSupply(
    {
      endpoint: '',
      provider(request) {
        requests.push(request);
        return provider(request);
      },
    },
    { filesNeedingToken: () => [{ name: 'a', size: 1, type: '' }], onToken() {}, untilOnline: async () => {} },
  );
  return { supply, requests, reasons: () => requests.map(({ reason }) => reason) };
}

describe('the token supply', () => {
  it('calls no provider and leaves no unhandled rejection if no file waits any more', async () => {
    let goOnline = (): void => {};
    const online = new Promise<void>((resolve) => (goOnline = resolve));
    const provider = vi.fn<TokenProvider>(async (request) => {
      request.signal.throwIfAborted();
      return grant('svcup_1');
    });
    const supply = new TokenSupply(
      { endpoint: '', provider },
      { filesNeedingToken: () => [], onToken() {}, untilOnline: () => online },
    );
    const stop = new AbortController();
    const lease = supply.reserveUses(1, stop.signal);
    stop.abort();
    await expect(lease).rejects.toBe(stop.signal.reason);
    goOnline();
    // Node reports an unhandled rejection in a later task, which fails the run.
    await new Promise(setImmediate);
    expect(provider).not.toHaveBeenCalled();
  });

  it('logs once why there is no token, and nothing for an aborted request', async () => {
    const { supply } = createSupply(async () => ({}) as TokenGrant);
    await Promise.allSettled([supply.reserveUses(1, signal), supply.reserveUses(1, signal)]);
    expect(warn.mock.calls).toEqual([['<svc-uploader>:', expect.stringContaining('There is no token in it.')]]);
    const silent = createSupply(() => new Promise(() => {}));
    const controller = new AbortController();
    const lease = silent.supply.reserveUses(1, controller.signal);
    controller.abort();
    await expect(lease).rejects.toThrow();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('aborts and retries a provider that never responds', async () => {
    const { timeout } = AbortSignal;
    const waited = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 1000));
    const { supply, requests, reasons } = createSupply(({ reason }) =>
      reason === 'retry' ? Promise.resolve(grant('svcup_2')) : new Promise(() => {}),
    );
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
      message: 'No token came in time.',
    });
    expect(requests[0]!.signal.aborted).toBe(true);
    expect((await supply.reserveUses(1, signal)).token.authorization).toBe('Bearer svcup_2');
    expect(reasons()).toEqual(['start', 'retry']);
    waited.mockRestore();
  });

  it('requests one token for all files that wait', async () => {
    let count = 0;
    const { supply, reasons } = createSupply(async () => grant(`svcup_${++count}`));
    const leases = await Promise.all(Array.from({ length: 7 }, () => supply.reserveUses(1, signal)));
    expect(leases.map(({ token }) => token.authorization)).toEqual(
      ['1', '1', '1', '2', '2', '2', '3'].map((number) => `Bearer svcup_${number}`),
    );
    expect(reasons()).toEqual(['start', 'exhausted', 'exhausted']);
  });

  it('reserves at most the remaining uses, and accepts returned ones', async () => {
    const { supply, requests } = createSupply(async () => grant('svcup_1'));
    const { token, uses } = await supply.reserveUses(10, signal);
    expect(uses).toBe(3);
    supply.returnUse(token);
    expect((await supply.reserveUses(10, signal)).uses).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it('replaces a token that expires soon or was refused', async () => {
    let count = 0;
    const { supply, reasons } = createSupply(async () => grant(`svcup_${++count}`, { max_uses: 100 }));
    const first = await supply.reserveUses(1, signal);
    supply.markRefused(first.token);
    const second = await supply.reserveUses(1, signal);
    expect(second.token).not.toBe(first.token);
    Object.assign(second.token, { expiresAt: Date.now() + 5000 });
    await supply.reserveUses(1, signal);
    expect(reasons()).toEqual(['start', 'invalid', 'expiring']);
  });

  it('uses a token although the local clock is an hour ahead', async () => {
    const { supply, requests } = createSupply(async () =>
      grant('svcup_1', { max_uses: 2, expires_at: new Date(Date.now() - 3_600_000).toISOString() }),
    );
    await supply.reserveUses(1, signal);
    await supply.reserveUses(1, signal);
    expect(requests).toHaveLength(1);
  });

  it.each([`svc_live_${'a'.repeat(48)}`, 'f'.repeat(64), 'F'.repeat(64)])(
    'refuses an API key with the reason: %s',
    async (key) => {
      const { supply, requests } = createSupply(async () => key);
      const error = await supply.reserveUses(1, signal).catch((cause: unknown) => cause as BlobError);
      expect(error).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
      expect((error as BlobError).message).toMatch(/API key, and everyone who opens the page can read it/);
      expect(JSON.stringify([error, (error as BlobError).message])).not.toContain(key);
      expect(requests).toHaveLength(1);
    },
  );

  it.each([[''], ['svcup_a\nx: y'], [undefined]])('refuses an invalid token: %j', async (text) => {
    const { supply } = createSupply(async () => text as string);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
  });

  it('keeps temporary errors of the provider, and requests again with the reason retry', async () => {
    const responses: (() => Promise<TokenGrant>)[] = [
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => Promise.reject(new DOMException('It took too long.', 'TimeoutError')),
      () => Promise.reject(new BlobError('RATE_LIMIT_EXCEEDED', '', { details: { retry_after: 7 } })),
      () => Promise.reject(new Error('no session')),
      async () => grant('svcup_1'),
    ];
    const { supply, reasons } = createSupply(() => responses.shift()!());
    const requestError = () => supply.reserveUses(1, signal).catch((cause: unknown) => cause);
    expect(await requestError()).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await requestError()).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await requestError()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 7 } });
    expect(await requestError()).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', message: 'No upload token: no session' });
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
  ])('treats a network error in any language as temporary: %s', async (message) => {
    const { supply } = createSupply(() => Promise.reject(new TypeError(message)));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  it.each([
    'can\'t access property "token", answer is undefined',
    'undefined is not an object (evaluating "answer.token")',
    'getToken is not a function',
    'Window.fetch: http:// is not a valid URL.',
    "Failed to execute 'fetch' on 'Window': Failed to parse URL from http://",
    'Converting circular structure to JSON',
  ])('treats a programming error of any engine as permanent: %s', async (message) => {
    const { supply } = createSupply(() => Promise.reject(new TypeError(message)));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
  });

  it('distinguishes programming errors in the function of the page from network errors', async () => {
    const provider = async () => (undefined as unknown as TokenGrant).token;
    const { supply } = createSupply(provider);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    const address = createSupply(() => fetch('http://') as Promise<never>);
    await expect(address.supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    const unreachable = createSupply(() => fetch('http://127.0.0.1:1/') as Promise<never>);
    await expect(unreachable.supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  it('calls a new provider at once, although the earlier one has not responded', async () => {
    const { supply, requests } = createSupply(() => new Promise(() => {}));
    const leases = [supply.reserveUses(1, signal), supply.reserveUses(1, signal)];
    await new Promise(setImmediate);
    const reasons: string[] = [];
    const provider: TokenProvider = async ({ reason }) => (reasons.push(reason), grant('svcup_2'));
    supply.configure({ endpoint: '', provider });
    const tokens = (await Promise.all(leases)).map(({ token }) => token.authorization);
    expect(tokens).toEqual(['Bearer svcup_2', 'Bearer svcup_2']);
    expect(requests[0]!.signal.aborted).toBe(true);
    expect(reasons).toEqual(['start']);
    expect(warn).not.toHaveBeenCalled();
  });

  it('ignores invalid fields of a grant, and reads the others', async () => {
    const fields = { max_uses: undefined, max_size: 5, allowed_extensions: '.PDF, tar.gz', expires_at: 7 };
    const { supply } = createSupply(async () => grant('svcup_1', fields as unknown as Partial<TokenGrant>));
    const { token, uses } = await supply.reserveUses(100, signal);
    expect(uses).toBe(100);
    expect(token.limits).toEqual({ maxSize: 5, allowedExtensions: ['pdf', 'tar.gz'] });
    const until = new Date(Date.now() + 60_000).toISOString();
    const bare = createSupply(async () => ({ token: 'svcup_1', url: 'https://blob.example', expires_at: until }));
    const lease = await bare.supply.reserveUses(1, signal);
    expect(lease.token).toMatchObject({ expiresAt: Date.parse(until), limits: { maxSize: null, allowedExtensions: null } });
  });

  it.each(['svcup_1', { token: 'svcup_1' }])('fails with the reason if there is no endpoint: %j', async (supplied) => {
    const { supply } = createSupply(async () => supplied);
    const error = await supply.reserveUses(1, signal).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', message: expect.stringContaining('no endpoint') });
  });

  it('states the number of uses in the error about a token without uses', async () => {
    const { supply } = createSupply(async () => grant('svcup_1', { max_uses: 0 }));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED', details: { max_files: 0 } });
  });

  it.each([
    [2.5, 2],
    [Number.NaN, 5],
    [Number.POSITIVE_INFINITY, 5],
  ])('reserves whole uses of a token with %j uses', async (max_uses, uses) => {
    let calls = 0;
    const provider: TokenProvider = async () => {
      // Ends an endless loop.
      if (++calls > 3) throw new Error('Called too often.');
      return grant(`svcup_${calls}`, { max_uses });
    };
    const { supply } = createSupply(provider);
    expect((await supply.reserveUses(5, signal)).uses).toBe(uses);
    await supply.reserveUses(5, signal);
    expect(calls).toBe(max_uses === 2.5 ? 2 : 1);
  });

  it('removes characters from logged messages that reorder or move text', async () => {
    const { supply } = createSupply(() => Promise.reject(new Error('photo\u202egnp.exe\n\u001b[2Jdone')));
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    expect(warn.mock.calls).toEqual([['<svc-uploader>:', 'No upload token: photo gnp.exe  [2Jdone']]);
  });

  it('fails if the provider returns the refused token again', async () => {
    const { supply, requests } = createSupply(async () => grant('svcup_1'));
    const { token } = await supply.reserveUses(1, signal);
    supply.markRefused(token);
    await expect(supply.reserveUses(1, signal)).rejects.toMatchObject({ code: 'TOKEN_SUPPLY_FAILED' });
    expect(requests).toHaveLength(2);
  });

  it('aborts its request when no file waits any more', async () => {
    const { supply, requests } = createSupply(() => new Promise(() => {}));
    const controllers = [new AbortController(), new AbortController()];
    const leases = controllers.map((controller) => supply.reserveUses(1, controller.signal).catch((cause: unknown) => cause));
    await Promise.resolve();
    await Promise.resolve();
    controllers[0]!.abort('gone');
    expect(await leases[0]).toBe('gone');
    expect(requests[0]!.signal.aborted).toBe(false);
    controllers[1]!.abort('gone');
    await leases[1];
    expect(requests[0]!.signal.aborted).toBe(true);
  });
});
