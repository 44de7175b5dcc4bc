// Long because each kind of request and of error is a case.
import { describe, expect, it, vi } from 'vitest';
import { BlobError, createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import type { TokenMinter, TokenRouteOptions } from '../../server/helper/index.js';
import type { UploadTokenOptions } from '../../src/protocol/types.js';
import { API_KEY, startFakeService, respondJson } from './fake-service.js';

const FILE = { name: 'a.pdf', size: 3, type: 'application/pdf' };

/** Creates a minter that records the options of each token. `fail` throws instead of minting. */
function createFakeMinter(fail?: () => never) {
  const minted: UploadTokenOptions[] = [];
  const minter = {
    publicUrl: 'https://blob.example.com',
    mint: async (options: UploadTokenOptions = {}) => {
      minted.push(options);
      fail?.();
      return {
        id: 'tok_1',
        token: 'svcup_secret',
        expires_at: '2030-01-01T00:00:00.000Z',
        uses: 0,
        max_uses: options.max_uses ?? 1,
        max_size: options.max_size ?? null,
        allowed_extensions: options.allowed_extensions ?? null,
        allow_fetch: options.allow_fetch ?? false,
      };
    },
    file: () => Promise.resolve(null),
  } as unknown as TokenMinter;
  return { minter, minted };
}

/** Creates a page's request for a token. */
function createRequest(headers: Record<string, string> = {}, body: unknown = { files: [FILE] }, method = 'POST'): Request {
  const init = { method, headers: { 'content-type': 'application/json', ...headers } };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('http://site.example/upload-token', method === 'POST' ? { ...init, body: text } : init);
}

/** Creates a route that grants `inbox`, unless the options state otherwise. */
const createRoute = (options: Partial<TokenRouteOptions> = {}, minter = createFakeMinter().minter) =>
  createTokenRoute(minter, { authorize: () => ({ prefix: 'inbox' }), ...options });

/** Reads the body of an error response. */
const readError = async (response: Response) => ({ status: response.status, ...((await response.json()) as { code: string }) });

describe('a token route', () => {
  it('responds with the token and its limits, uncached', async () => {
    const { minter, minted } = createFakeMinter();
    const response = await createRoute(
      { authorize: () => ({ prefix: 'inbox', max_size: 9, allowed_extensions: ['pdf'] }) },
      minter,
    )(createRequest());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      token: 'svcup_secret',
      url: 'https://blob.example.com',
      expires_at: '2030-01-01T00:00:00.000Z',
      max_uses: 1,
      max_size: 9,
      allowed_extensions: ['pdf'],
      allow_fetch: false,
    });
    expect(minted).toEqual([{ prefix: 'inbox', max_size: 9, allowed_extensions: ['pdf'], max_uses: 1 }]);
  });

  it('states the limits of the token for the reason "limits", and mints none', async () => {
    const { minter, minted } = createFakeMinter();
    const authorize = vi.fn(() => ({ prefix: 'inbox', max_size: 9, allowed_extensions: ['pdf'] }));
    for (const files of [[], [FILE]]) {
      const response = await createRoute({ authorize }, minter)(createRequest({}, { files, reason: 'limits' }));
      expect(await response.json()).toEqual({
        limits: { max_size: 9, allowed_extensions: ['pdf'], allow_fetch: false, max_uses: null },
      });
      expect(authorize).toHaveBeenLastCalledWith(expect.objectContaining({ files, reason: 'limits' }));
    }
    expect(minted).toEqual([]);
  });

  it('says whether the page may name URLs, and passes them on', async () => {
    const authorize = vi.fn(() => ({ prefix: 'inbox', allow_fetch: true }));
    const route = createRoute({ authorize });
    const files = [{ name: 'photo.jpg', size: 0, type: '', url: 'https://example.com/photo.jpg' }];
    expect(await (await route(createRequest({}, { files }))).json()).toMatchObject({ allow_fetch: true });
    expect(authorize).toHaveBeenLastCalledWith(expect.objectContaining({ files }));
    const limits = await (await route(createRequest({}, { files: [], reason: 'limits' }))).json();
    expect(limits).toMatchObject({ limits: { allow_fetch: true } });
    const invalid = await route(createRequest({}, { files: [{ ...files[0], url: 1 }] }));
    expect(await readError(invalid)).toMatchObject({ status: 400, path: 'files[0].url' });
  });

  it('states no limits if authorize refuses, or returns invalid options', async () => {
    const request = () => createRequest({}, { files: [], reason: 'limits' });
    const refused = await createRoute({ authorize: () => null })(request());
    expect(await readError(refused)).toMatchObject({ status: 403, code: 'TOKEN_REFUSED' });
    const onError = vi.fn();
    const invalid = await createRoute({ authorize: () => ({ prefix: 'users/undefined', max_size: 9 }), onError })(request());
    expect(invalid.status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('links the previews that `preview` allows and the page asked for, and mints no token', async () => {
    const { minter, minted } = createFakeMinter();
    const linked: unknown[] = [];
    Object.assign(minter, {
      link: async (id: string, options: object) => {
        linked.push([id, options]);
        if (id === 'gone') throw new BlobError('FILE_NOT_FOUND', 'gone');
        return { url: `https://blob.example.com/${id}`, expires_at: '2030-01-01T00:00:00.000Z' };
      },
    });
    const preview = vi.fn(() => ['mine', 'gone', 'unasked']);
    const authorize = vi.fn(() => ({ prefix: 'inbox' }));
    const route = createRoute({ authorize, preview }, minter);
    const response = await route(createRequest({}, { reason: 'preview', ids: ['mine', 'foreign', 'gone', 'mine'] }));
    expect(await response.json()).toEqual({ previews: [{ id: 'mine', url: 'https://blob.example.com/mine' }] });
    expect(preview).toHaveBeenCalledWith(expect.objectContaining({ ids: ['mine', 'foreign', 'gone'] }));
    const options = { expires_in: 300, transform: { w: 80, h: 80, fit: 'cover' } };
    expect(linked).toEqual([
      ['mine', options],
      ['gone', options],
    ]);
    expect([minted, authorize.mock.calls]).toEqual([[], []]);
  });

  it('links no preview without `preview`, after a refusal, or for an invalid result', async () => {
    const link = vi.fn();
    const onError = vi.fn();
    const ask = async (options: Partial<TokenRouteOptions>) => {
      const { minter } = createFakeMinter();
      const route = createRoute({ onError, ...options }, Object.assign(minter, { link }));
      return readError(await route(createRequest({}, { files: [FILE], reason: 'preview', ids: ['a'] })));
    };
    expect(await ask({})).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', path: 'reason' });
    expect(await ask({ preview: () => null })).toMatchObject({ status: 403, code: 'TOKEN_REFUSED' });
    expect(onError).not.toHaveBeenCalled();
    expect(await ask({ preview: () => true as never })).toMatchObject({ status: 500 });
    expect(await ask({ preview: () => Promise.reject(new Error('database')) })).toMatchObject({ status: 500 });
    expect(onError).toHaveBeenCalledTimes(2);
    expect(link).not.toHaveBeenCalled();
  });

  it.each([
    ['row', { w: 80, h: 80, fit: 'cover' }],
    ['tile', { w: 360, h: 360, fit: 'cover' }],
    ['screen', { w: 1600, h: 1600, fit: 'contain' }],
  ])('links previews of the size that the page states: %s', async (size, transform) => {
    const { minter } = createFakeMinter();
    const link = vi.fn(async () => ({ url: 'https://blob.example.com/a', expires_at: '2030-01-01T00:00:00.000Z' }));
    Object.assign(minter, { link });
    const route = createRoute({ preview: ({ ids }) => ids }, minter);
    await route(createRequest({}, { reason: 'preview', ids: ['a'], size }));
    expect(link).toHaveBeenCalledWith('a', { expires_in: 300, transform }, expect.anything());
  });

  it.each(['huge', '__proto__', 80, null])('refuses to preview in the size %j', async (size) => {
    const preview = vi.fn(() => []);
    const response = await createRoute({ preview })(createRequest({}, { reason: 'preview', ids: ['a'], size }));
    expect(await readError(response)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', path: 'size' });
    expect(preview).not.toHaveBeenCalled();
  });

  it.each([
    ['no ids', undefined, 'ids'],
    ['an empty list', [], 'ids'],
    ['51 ids', Array.from({ length: 51 }, (_, index) => `id${index}`), 'ids'],
    ['an id that is no text', ['a', 5], 'ids[1]'],
    ['an id with a path', ['../stats'], 'ids[0]'],
  ])('refuses to preview %s', async (_title, ids, path) => {
    const preview = vi.fn(() => []);
    const response = await createRoute({ preview })(createRequest({}, { reason: 'preview', ids }));
    expect(await readError(response)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', path });
    expect(preview).not.toHaveBeenCalled();
  });

  it('hides the error of a link from the page', async () => {
    const onError = vi.fn();
    const { minter } = createFakeMinter();
    const denied = new BlobError('API_KEY_SCOPE_DENIED', 'The key svc_live_x lacks blob:read.');
    Object.assign(minter, { link: () => Promise.reject(denied) });
    const route = createRoute({ preview: ({ ids }) => ids, onError }, minter);
    const error = await readError(await route(createRequest({}, { reason: 'preview', ids: ['a'] })));
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(JSON.stringify(error)).not.toContain('svc_live');
    expect(onError).toHaveBeenCalledWith(denied);
  });

  it('passes the request, the files and the reason to authorize', async () => {
    const authorize = vi.fn(() => ({ prefix: 'x' }));
    await createRoute({ authorize })(
      createRequest({ cookie: 'session=1' }, { files: [FILE, { name: 'b', size: 0, path: 'a/b' }], reason: 'expiring' }),
    );
    const [question] = authorize.mock.calls[0] as unknown as [
      { request: Request; files: unknown; reason: string; signal: unknown },
    ];
    expect(question.request.headers.get('cookie')).toBe('session=1');
    expect(question.files).toEqual([FILE, { name: 'b', size: 0, type: '', path: 'a/b' }]);
    expect(question.reason).toBe('expiring');
    expect(question.signal).toBeInstanceOf(AbortSignal);
  });

  it('mints one use for each chosen file, at most 100, unless authorize sets max_uses', async () => {
    const { minter, minted } = createFakeMinter();
    const route = createRoute({}, minter);
    await route(createRequest({}, { files: [FILE, FILE, FILE] }));
    await route(createRequest({}, { files: Array.from({ length: 300 }, () => FILE) }));
    await createRoute({ authorize: () => ({ prefix: 'x', max_uses: 2 }) }, minter)(createRequest());
    expect(minted.map(({ max_uses }) => max_uses)).toEqual([3, 100, 2]);
  });

  it('mints nothing if authorize returns true, and reports it', async () => {
    const { minter, minted } = createFakeMinter();
    const onError = vi.fn();
    const authorize = (() => true) as unknown as TokenRouteOptions['authorize'];
    const error = await readError(await createRoute({ authorize, onError }, minter)(createRequest()));
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: expect.stringContaining('not true') }));
    expect(minted).toEqual([]);
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
  ])('mints nothing if authorize returns %s, and reports it', async (_case, granted) => {
    const { minter, minted } = createFakeMinter();
    const onError = vi.fn();
    const error = await readError(await createRoute({ authorize: () => granted as never, onError }, minter)(createRequest()));
    expect(error).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
    expect(minted).toEqual([]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('`authorize` returned invalid options') }),
    );
  });

  it('grants the whole storage for anywhere: true', async () => {
    const { minter, minted } = createFakeMinter();
    expect((await createRoute({ authorize: () => ({ anywhere: true, max_size: 9 }) }, minter)(createRequest())).status).toBe(200);
    expect(minted).toEqual([{ anywhere: true, max_size: 9, max_uses: 1 }]);
  });

  it('refuses with the error of authorize', async () => {
    for (const no of [null, undefined, false] as const)
      expect(await readError(await createRoute({ authorize: () => no })(createRequest()))).toMatchObject({
        status: 403,
        code: 'TOKEN_REFUSED',
      });
    const authorize = () => {
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'Your plan allows 5 MB.', { details: { max_size: 5_000_000 } });
    };
    expect(await readError(await createRoute({ authorize })(createRequest()))).toMatchObject({
      status: 413,
      code: 'BLOB_FILE_TOO_LARGE',
      message: 'Your plan allows 5 MB.',
      details: { max_size: 5_000_000 },
    });
  });

  it('hides internal errors from the page and reports them', async () => {
    const onError = vi.fn();
    const broken = new Error('no connection to db.internal');
    const authorize = () => Promise.reject(broken);
    const error = await readError(await createRoute({ authorize, onError })(createRequest()));
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(JSON.stringify(error)).not.toContain('db.internal');
    const denied = new BlobError('API_KEY_SCOPE_DENIED', 'needs blob:write', { details: { required: 'blob:write' } });
    const failing = createFakeMinter(() => {
      throw denied;
    });
    expect(await readError(await createRoute({ onError }, failing.minter)(createRequest()))).toMatchObject({ status: 500 });
    expect(onError.mock.calls).toEqual([[broken], [denied]]);
  });

  it('hides an error of the minter that authorize does not catch, and reports it', async () => {
    const body = { code: 'API_KEY_SCOPE_DENIED', message: 'Key site (key_123) needs blob:read.', details: { key: 'key_123' } };
    await using service = await startFakeService(respondJson(403, body), respondJson(400, { ...body, code: 'VALIDATION_ERROR' }));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const onError = vi.fn();
    const authorize = async () => ({ prefix: (await minter.file('a'))!.path });
    for (const code of ['API_KEY_SCOPE_DENIED', 'VALIDATION_ERROR']) {
      const error = await readError(await createRoute({ authorize, onError }, minter)(createRequest()));
      expect(error).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
      expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code, details: { key: 'key_123' } }));
    }
  });

  it('hides errors about API keys that authorize creates', async () => {
    const authorize = () => {
      throw new BlobError('API_KEY_IP_DENIED', 'Key site may not be used from 10.0.0.3.');
    };
    const error = await readError(await createRoute({ authorize, onError: () => {} })(createRequest()));
    expect(error).toEqual({ status: 500, code: 'INTERNAL_SERVER_ERROR', message: 'The upload could not be prepared.' });
  });

  it.each([
    ['an unknown code', new BlobError('PLAN_FULL' as never, 'secret words')],
    ['the status 99', new BlobError('PLAN_FULL' as never, 'secret words', { status: 99 })],
    ['the status 204', new BlobError('PLAN_FULL' as never, 'secret words', { status: 204 })],
    ['the status NaN', new BlobError('PLAN_FULL' as never, 'secret words', { status: Number.NaN })],
    ['a code that is not an identifier', new BlobError('<b>' as never, 'secret words', { status: 403 })],
  ])('responds to a BlobError with %s as to a refusal, and reports it', async (_case, thrown) => {
    const onError = vi.fn();
    const authorize = () => Promise.reject(thrown);
    const error = await readError(await createRoute({ authorize, onError })(createRequest()));
    expect(error).toEqual({ status: 403, code: 'TOKEN_REFUSED', message: 'You may not upload here.' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause: thrown }));
  });

  it('passes on a code and status that the site defines', async () => {
    const authorize = () => {
      throw new BlobError('PLAN_FULL' as never, 'Your plan is full.', { status: 402, details: { plan: 'free' } });
    };
    const error = await readError(await createRoute({ authorize })(createRequest()));
    expect(error).toEqual({ status: 402, code: 'PLAN_FULL', message: 'Your plan is full.', details: { plan: 'free' } });
  });

  it('passes on status and retry_after of an internal error without its message', async () => {
    const details = { retry_after: 60 };
    const authorize = () => {
      throw new BlobError('INTERNAL_SERVER_ERROR', 'db.internal is down', { status: 503, details });
    };
    const response = await createRoute({ authorize, onError: () => {} })(createRequest());
    expect(response.headers.get('retry-after')).toBe('60');
    expect(await readError(response)).toMatchObject({
      status: 503,
      details,
      message: 'The upload cannot be prepared at the moment. Try again.',
    });
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  it.each([
    ['a BigInt', { size: 1n }],
    ['a circular reference', circular],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => JSON.parse('{') })],
  ])('leaves out details that contain %s', async (_case, details) => {
    const onError = vi.fn();
    const authorize = () => {
      throw new BlobError('TOKEN_REFUSED', 'Your plan is full.', { details });
    };
    const error = await readError(await createRoute({ authorize, onError })(createRequest()));
    expect(error).toEqual({ status: 403, code: 'TOKEN_REFUSED', message: 'Your plan is full.' });
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, -1, '7'])('sends no Retry-After for a retry_after of %s', async (wait) => {
    const authorize = () => {
      throw new BlobError('RATE_LIMIT_EXCEEDED', 'Slow down.', { details: { retry_after: wait } });
    };
    const response = await createRoute({ authorize })(createRequest());
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, null]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'no'],
    ['an error with the name BlobError but without details', Object.assign(new Error('x'), { name: 'BlobError', status: 403 })],
  ])('responds with an error if authorize throws %s', async (_case, thrown) => {
    const response = await createRoute({ authorize: () => Promise.reject(thrown), onError: () => {} })(createRequest());
    expect([403, 500]).toContain(response.status);
  });

  it('prints both errors if onError throws', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {});
    const [reported, thrown] = [new Error('reported'), new Error('thrown')];
    const authorize = () => Promise.reject(reported);
    const failing = [() => Promise.reject(thrown), () => JSON.parse('{') as never];
    for (const onError of failing) expect((await createRoute({ authorize, onError })(createRequest())).status).toBe(500);
    await expect.poll(() => shown.mock.calls.length).toBe(2);
    expect(shown).toHaveBeenCalledWith(reported, expect.any(String), thrown);
    shown.mockRestore();
  });

  it('does not report a page that disconnects while it sends its request', async () => {
    const onError = vi.fn();
    const body = new ReadableStream({
      pull(controller) {
        controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      },
    });
    const broken = new Request(createRequest(), { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await readError(await createRoute({ onError })(broken))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(onError).not.toHaveBeenCalled();
  });

  it('states when to retry after 429 and 503', async () => {
    const busy = createFakeMinter(() => {
      throw new BlobError('RATE_LIMIT_EXCEEDED', 'slow down', { details: { retry_after: 7, limit: 60 } });
    });
    const limited = await createRoute({ onError: () => {} }, busy.minter)(createRequest());
    expect(limited.headers.get('retry-after')).toBe('7');
    expect(await readError(limited)).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED', details: { retry_after: 7 } });
    const unreachable = createFakeMinter(() => {
      throw new BlobError('NETWORK_ERROR', 'http://blob.internal could not be reached');
    });
    const error = await readError(await createRoute({ onError: () => {} }, unreachable.minter)(createRequest()));
    expect(error).toMatchObject({ status: 503, details: { retry_after: 1 } });
    expect(JSON.stringify(error)).not.toContain('blob.internal');
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
  ])('responds to invalid input with status %i and the field %s', async (status, path, headers, body) => {
    const error = await readError(await createRoute()(createRequest(headers, body)));
    expect(error).toMatchObject({ status, code: 'VALIDATION_ERROR', path });
  });

  it('accepts POST only', async () => {
    const response = await createRoute()(createRequest({}, '', 'GET'));
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await readError(response)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
  });
});

describe('a request for a token', () => {
  const listed = { origins: ['https://app.example'] };
  it.each([
    ['a page of the same origin', {}, { origin: 'http://site.example', 'sec-fetch-site': 'same-origin' }],
    ['a page behind a proxy that ends TLS', {}, { origin: 'https://site.example', host: 'site.example' }],
    ['a program', {}, {}],
    ['a listed origin', listed, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
  ])('is accepted from %s', async (_origin, options, headers) => {
    expect((await createRoute(options)(createRequest(headers))).status).toBe(200);
  });

  it.each([
    ['another site', {}, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling subdomain', {}, { origin: 'http://other.site.example', 'sec-fetch-site': 'same-site' }],
    ['another site in an old browser', {}, { origin: 'https://evil.example' }],
    ['a sandboxed frame', {}, { origin: 'null' }],
    ['an origin that is not the listed one', listed, { origin: 'https://app.example.evil.example' }],
  ])('is refused from %s without a call of authorize', async (_origin, options, headers) => {
    const authorize = vi.fn(() => ({ prefix: 'inbox' }));
    const response = await createRoute({ ...options, authorize })(createRequest(headers));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await readError(response)).toMatchObject({ status: 403, code: 'ORIGIN_DENIED' });
    expect(authorize).not.toHaveBeenCalled();
  });

  it('gets CORS headers if its origin is listed, also with errors', async () => {
    const origin = 'https://app.example';
    const preflight = await createRoute(listed)(createRequest({ origin }, '', 'OPTIONS'));
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
    const refused = await createRoute({ ...listed, authorize: () => null })(createRequest({ origin }));
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('vary')).toBe('origin');
  });

  it.each(['*', 'https://app.example/', 'app.example'])('cannot be allowed from the invalid origin %j', (origin) => {
    expect(() => createRoute({ origins: [origin] })).toThrowError(expect.objectContaining({ path: 'origins[0]' }));
  });
});
