// Long because each answer of the token route is one case.
import { describe, expect, it, vi } from 'vitest';
import { BlobError, createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import type { TokenMinter, TokenRouteOptions } from '../../server/helper/index.js';
import type { UploadTokenOptions } from '../../src/protocol/types.js';
import { API_KEY, fakeService, json } from './fake-service.js';

const FILE = { name: 'a.pdf', size: 3, type: 'application/pdf' };

/** A minter that remembers what it was asked; the real one is tested beside this file. */
function minting(result?: () => never) {
  const asked: UploadTokenOptions[] = [];
  const minter = {
    publicUrl: 'https://blob.example.com',
    mint: async (options: UploadTokenOptions = {}) => {
      asked.push(options);
      result?.();
      return {
        id: 'tok_1',
        token: 'svcup_secret',
        expires_at: '2030-01-01T00:00:00.000Z',
        uses: 0,
        max_uses: options.max_uses ?? 1,
        max_size: options.max_size ?? null,
        allowed_extensions: options.allowed_extensions ?? null,
      };
    },
    file: () => Promise.resolve(null),
  } as unknown as TokenMinter;
  return { minter, asked };
}

function ask(headers: Record<string, string> = {}, body: unknown = { files: [FILE] }, method = 'POST'): Request {
  const init = { method, headers: { 'content-type': 'application/json', ...headers } };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('http://site.example/upload-token', method === 'POST' ? { ...init, body: text } : init);
}

const route = (options: Partial<TokenRouteOptions> = {}, minter = minting().minter) =>
  createTokenRoute(minter, { authorize: () => ({ prefix: 'inbox' }), ...options });

const problem = async (response: Response) => ({ status: response.status, ...((await response.json()) as { code: string }) });

describe('a token route', () => {
  it('answers what the page needs, never cached', async () => {
    const { minter, asked } = minting();
    const response = await route(
      { authorize: () => ({ prefix: 'inbox', max_size: 9, allowed_extensions: ['pdf'] }) },
      minter,
    )(ask());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      token: 'svcup_secret',
      url: 'https://blob.example.com',
      expires_at: '2030-01-01T00:00:00.000Z',
      max_uses: 1,
      max_size: 9,
      allowed_extensions: ['pdf'],
    });
    expect(asked).toEqual([{ prefix: 'inbox', max_size: 9, allowed_extensions: ['pdf'], max_uses: 1 }]);
  });

  it('lets authorize see the request, the files and the reason', async () => {
    const authorize = vi.fn(() => ({ prefix: 'x' }));
    await route({ authorize })(
      ask({ cookie: 'session=1' }, { files: [FILE, { name: 'b', size: 0, path: 'a/b' }], reason: 'expiring' }),
    );
    const [question] = authorize.mock.calls[0] as unknown as [
      { request: Request; files: unknown; reason: string; signal: unknown },
    ];
    expect(question.request.headers.get('cookie')).toBe('session=1');
    expect(question.files).toEqual([FILE, { name: 'b', size: 0, type: '', path: 'a/b' }]);
    expect(question.reason).toBe('expiring');
    expect(question.signal).toBeInstanceOf(AbortSignal);
  });

  it('makes one use for each chosen file where authorize names no number, at most 100', async () => {
    const { minter, asked } = minting();
    const answer = route({}, minter);
    await answer(ask({}, { files: [FILE, FILE, FILE] }));
    await answer(ask({}, { files: Array.from({ length: 300 }, () => FILE) }));
    await route({ authorize: () => ({ prefix: 'x', max_uses: 2 }) }, minter)(ask());
    expect(asked.map((one) => one.max_uses)).toEqual([3, 100, 2]);
  });

  it('grants nothing to a bare true, which names no limits, and tells the backend', async () => {
    const { minter, asked } = minting();
    const onError = vi.fn();
    const authorize = (() => true) as unknown as TokenRouteOptions['authorize'];
    const answer = await problem(await route({ authorize, onError }, minter)(ask()));
    expect(answer).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: expect.stringContaining('not true') }));
    expect(asked).toEqual([]);
  });

  it.each([
    ['an array', []],
    ['a function', () => ({ prefix: 'a' })],
    ['a string', 'inbox'],
    ['a number', 1],
    ['a date', new Date()],
    ['a map', new Map([['prefix', 'a']])],
    [
      'an instance of a class',
      new (class Options {
        prefix = 'a';
      })(),
    ],
    ['inherited options', Object.create({ prefix: 'a' })],
    ['a promise in an object', { prefix: Promise.resolve('a') }],
    ['no place', {}],
    ['limits without a place', { max_size: 9 }],
    ['the prefix of a visitor who is not signed in', { prefix: undefined }],
    ['an empty prefix', { prefix: '' }],
    ['the root', { prefix: '/' }],
    ['the folder of an undefined user', { prefix: `users/${String(undefined)}` }],
    ['a limit of undefined', { prefix: 'a', max_size: undefined }],
    ['uses of undefined', { prefix: 'a', max_uses: undefined }],
    ['anywhere: false', { anywhere: false }],
  ])('mints nothing if authorize returns %s, and reports it', async (_what, granted) => {
    const { minter, asked } = minting();
    const onError = vi.fn();
    const answer = await problem(await route({ authorize: () => granted as never, onError }, minter)(ask()));
    expect(answer).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
    expect(asked).toEqual([]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('authorize returned options that cannot be granted') }),
    );
  });

  it('grants the whole storage only to an explicit anywhere: true', async () => {
    const { minter, asked } = minting();
    expect((await route({ authorize: () => ({ anywhere: true, max_size: 9 }) }, minter)(ask())).status).toBe(200);
    expect(asked).toEqual([{ anywhere: true, max_size: 9, max_uses: 1 }]);
  });

  it('refuses where authorize does, in its words', async () => {
    for (const no of [null, undefined, false] as const)
      expect(await problem(await route({ authorize: () => no })(ask()))).toMatchObject({ status: 403, code: 'TOKEN_REFUSED' });
    const authorize = () => {
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'Your plan allows 5 MB.', { details: { max_size: 5_000_000 } });
    };
    expect(await problem(await route({ authorize })(ask()))).toMatchObject({
      status: 413,
      code: 'BLOB_FILE_TOO_LARGE',
      message: 'Your plan allows 5 MB.',
      details: { max_size: 5_000_000 },
    });
  });

  it('tells the page nothing of what broke behind it, and the backend all', async () => {
    const onError = vi.fn();
    const broken = new Error('no connection to db.internal');
    const authorize = () => Promise.reject(broken);
    const answer = await problem(await route({ authorize, onError })(ask()));
    expect(answer).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(JSON.stringify(answer)).not.toContain('db.internal');
    const denied = new BlobError('API_KEY_SCOPE_DENIED', 'needs blob:write', { details: { required: 'blob:write' } });
    const failing = minting(() => {
      throw denied;
    });
    expect(await problem(await route({ onError }, failing.minter)(ask()))).toMatchObject({ status: 500 });
    expect(onError.mock.calls).toEqual([[broken], [denied]]);
  });

  it('hides a rejection of the minter that authorize lets through, and reports it', async () => {
    const told = { code: 'API_KEY_SCOPE_DENIED', message: 'Key site (key_123) needs blob:read.', details: { key: 'key_123' } };
    await using service = await fakeService(json(403, told), json(400, { ...told, code: 'VALIDATION_ERROR' }));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const onError = vi.fn();
    const authorize = async () => ({ prefix: (await minter.file('a'))!.path });
    for (const code of ['API_KEY_SCOPE_DENIED', 'VALIDATION_ERROR']) {
      const answer = await problem(await route({ authorize, onError }, minter)(ask()));
      expect(answer).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
      expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code, details: { key: 'key_123' } }));
    }
  });

  it('hides errors about keys even when authorize made them anew', async () => {
    const authorize = () => {
      throw new BlobError('API_KEY_IP_DENIED', 'Key site may not be used from 10.0.0.3.');
    };
    const answer = await problem(await route({ authorize, onError: () => {} })(ask()));
    expect(answer).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
  });

  it.each([
    ['an unknown code', new BlobError('PLAN_FULL' as never, 'secret words')],
    ['the status 99', new BlobError('PLAN_FULL' as never, 'secret words', { status: 99 })],
    ['the status 204', new BlobError('PLAN_FULL' as never, 'secret words', { status: 204 })],
    ['the status NaN', new BlobError('PLAN_FULL' as never, 'secret words', { status: Number.NaN })],
    ['a code that is no identifier', new BlobError('<b>' as never, 'secret words', { status: 403 })],
  ])('treats a BlobError with %s as a refusal that is not retried, and reports why', async (_what, thrown) => {
    const onError = vi.fn();
    const authorize = () => Promise.reject(thrown);
    const answer = await problem(await route({ authorize, onError })(ask()));
    expect(answer).toEqual({ status: 403, code: 'TOKEN_REFUSED', message: 'You may not upload here.' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause: thrown }));
  });

  it('passes a code of the site with a status of its own', async () => {
    const authorize = () => {
      throw new BlobError('PLAN_FULL' as never, 'Your plan is full.', { status: 402, details: { plan: 'free' } });
    };
    const answer = await problem(await route({ authorize })(ask()));
    expect(answer).toEqual({ status: 402, code: 'PLAN_FULL', message: 'Your plan is full.', details: { plan: 'free' } });
  });

  it('answers 503 with the wait of a site that is being maintained, without its words', async () => {
    const details = { retry_after: 60 };
    const authorize = () => {
      throw new BlobError('INTERNAL_SERVER_ERROR', 'db.internal is down', { status: 503, details });
    };
    const response = await route({ authorize, onError: () => {} })(ask());
    expect(response.headers.get('retry-after')).toBe('60');
    expect(await problem(response)).toMatchObject({ status: 503, details, message: 'No token can be had just now.' });
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  it.each([
    ['a BigInt', { size: 1n }],
    ['a circle', circle],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => JSON.parse('{') })],
  ])('leaves out details that hold %s', async (_what, details) => {
    const onError = vi.fn();
    const authorize = () => {
      throw new BlobError('TOKEN_REFUSED', 'Your plan is full.', { details });
    };
    const answer = await problem(await route({ authorize, onError })(ask()));
    expect(answer).toEqual({ status: 403, code: 'TOKEN_REFUSED', message: 'Your plan is full.' });
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, -1, '7'])('sends no Retry-After of %s', async (wait) => {
    const authorize = () => {
      throw new BlobError('RATE_LIMIT_EXCEEDED', 'Slow down.', { details: { retry_after: wait } });
    };
    const response = await route({ authorize })(ask());
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, null]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'no'],
    ['a look-alike without details', Object.assign(new Error('x'), { name: 'BlobError', status: 403 })],
  ])('answers when authorize throws %s', async (_what, thrown) => {
    const response = await route({ authorize: () => Promise.reject(thrown), onError: () => {} })(ask());
    expect([403, 500]).toContain(response.status);
  });

  it('answers and shows both errors when onError fails', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {});
    const [broken, mistake] = [new Error('broken'), new Error('mistake')];
    const authorize = () => Promise.reject(broken);
    const failing = [() => Promise.reject(mistake), () => JSON.parse('{') as never];
    for (const onError of failing) expect((await route({ authorize, onError })(ask())).status).toBe(500);
    await expect.poll(() => shown.mock.calls.length).toBe(2);
    expect(shown).toHaveBeenCalledWith(broken, expect.any(String), mistake);
    shown.mockRestore();
  });

  it('troubles the backend with nobody who goes away while asking', async () => {
    const onError = vi.fn();
    const body = new ReadableStream({
      pull(controller) {
        controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      },
    });
    const broken = new Request(ask(), { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await problem(await route({ onError })(broken))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(onError).not.toHaveBeenCalled();
  });

  it('passes on when to try again', async () => {
    const busy = minting(() => {
      throw new BlobError('RATE_LIMIT_EXCEEDED', 'slow down', { details: { retry_after: 7, limit: 60 } });
    });
    const limited = await route({ onError: () => {} }, busy.minter)(ask());
    expect(limited.headers.get('retry-after')).toBe('7');
    expect(await problem(limited)).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 7 } });
    const away = minting(() => {
      throw new BlobError('NETWORK_ERROR', 'http://blob.internal could not be reached');
    });
    const answer = await problem(await route({ onError: () => {} }, away.minter)(ask()));
    expect(answer).toMatchObject({ status: 503, details: { retry_after: 1 } });
    expect(JSON.stringify(answer)).not.toContain('blob.internal');
  });

  it.each([
    [400, 'body', {}, '{'],
    [400, 'body', {}, 'null'],
    [400, 'files', {}, {}],
    [400, 'files', {}, { files: [] }],
    [400, 'files', {}, { files: Array.from({ length: 1001 }, () => FILE) }],
    [400, 'files[0]', {}, { files: [null] }],
    [400, 'files[1].name', {}, { files: [FILE, { size: 1 }] }],
    [400, 'files[0].size', {}, { files: [{ name: 'a', size: -1 }] }],
    [400, 'files[0].type', {}, { files: [{ name: 'a', size: 1, type: 1 }] }],
    [400, 'reason', {}, { files: [FILE], reason: 1 }],
    [415, 'content-type', { 'content-type': 'text/plain' }, { files: [FILE] }],
    [413, 'body', {}, { files: [{ ...FILE, name: 'x'.repeat(270_000) }] }],
  ])('answers %i naming %s', async (status, path, headers, body) => {
    const answer = await problem(await route()(ask(headers, body)));
    expect(answer).toMatchObject({ status, code: 'VALIDATION_ERROR', path });
  });

  it('takes POST only', async () => {
    const response = await route()(ask({}, '', 'GET'));
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await problem(response)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
  });
});

describe('who may ask a token route', () => {
  const listed = { origins: ['https://app.example'] };
  it.each([
    ['a page of the same origin', {}, { origin: 'http://site.example', 'sec-fetch-site': 'same-origin' }],
    ['one behind a proxy that ends TLS', {}, { origin: 'https://site.example', host: 'site.example' }],
    ['a program', {}, {}],
    ['a listed origin', listed, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
  ])('%s may', async (_who, options, headers) => {
    expect((await route(options)(ask(headers))).status).toBe(200);
  });

  it.each([
    ['another site', {}, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling subdomain', {}, { origin: 'http://other.site.example', 'sec-fetch-site': 'same-site' }],
    ['another site in an old browser', {}, { origin: 'https://evil.example' }],
    ['a sandboxed frame', {}, { origin: 'null' }],
    ['an origin that is not the listed one', listed, { origin: 'https://app.example.evil.example' }],
  ])('%s may not, and authorize is never asked', async (_who, options, headers) => {
    const authorize = vi.fn(() => ({ prefix: 'inbox' }));
    const response = await route({ ...options, authorize })(ask(headers));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await problem(response)).toMatchObject({ status: 403, code: 'ORIGIN_DENIED' });
    expect(authorize).not.toHaveBeenCalled();
  });

  it('answers CORS for listed origins alone, refusals too, so that their pages can read why', async () => {
    const origin = 'https://app.example';
    const before = await route(listed)(ask({ origin }, '', 'OPTIONS'));
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-methods')).toBe('POST');
    const refused = await route({ ...listed, authorize: () => null })(ask({ origin }));
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('vary')).toBe('origin');
  });

  it.each(['*', 'https://app.example/', 'app.example'])('does not take %j for an origin', (origin) => {
    expect(() => route({ origins: [origin] })).toThrowError(expect.objectContaining({ path: 'origins[0]' }));
  });
});
