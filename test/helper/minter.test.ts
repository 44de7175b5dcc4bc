import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BlobError, createTokenMinter } from '../../server/helper/index.js';
import type { MintOptions } from '../../server/helper/index.js';
import { API_KEY, tokenResponse, startFakeService, respondJson } from './fake-service.js';

/** Waits for the BlobError that a promise rejects with. */
async function getRejection(promise: Promise<unknown>): Promise<BlobError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BlobError);
  return error as BlobError;
}

/** Creates the body of an error response. */
const errorBody = (code: string, details: object = {}) => ({ code, message: code, details });

describe('a token minter', () => {
  it('sends the key in the Authorization header only', async () => {
    await using service = await startFakeService(respondJson(201, tokenResponse({ max_uses: 3 })));
    const minter = createTokenMinter({ apiKey: API_KEY, url: `${service.url}/`, workspaceId: 'ws 1' });
    const token = await minter.mint({ prefix: 'inbox', max_uses: 3 });
    expect(token).toMatchObject({ token: 'svcup_secret', max_uses: 3 });
    expect(service.requests).toEqual([
      {
        method: 'POST',
        url: '/v1/upload-tokens?workspace_id=ws+1',
        authorization: `Bearer ${API_KEY}`,
        body: '{"prefix":"inbox","max_uses":3}',
      },
    ]);
  });

  it('creates temporary links for the address of browsers', async () => {
    const link = (url: string) => respondJson(201, { response: { url, expires_at: '2030-01-01T00:00:00.000Z' } });
    let address = '';
    await using service = await startFakeService(
      (response, request) => link(`${address}/f/a.png?signature=1`)(response, request),
      link('https://files.example/f/a.png'),
    );
    address = service.url;
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url, publicUrl: 'https://blob.example.com' });
    expect((await minter.link('file1', { expires_in: 60 })).url).toBe('https://blob.example.com/f/a.png?signature=1');
    expect((await minter.link('file1')).url).toBe('https://files.example/f/a.png');
    expect(service.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v1/files/file1/links', '{"expires_in":60}'],
      ['POST', '/v1/files/file1/links', '{}'],
    ]);
    for (const id of ['', '../stats', undefined as never])
      expect(await getRejection(minter.link(id))).toMatchObject({ code: 'VALIDATION_ERROR', path: 'id' });
    expect(await getRejection(minter.fileById('a/b'))).toMatchObject({ code: 'VALIDATION_ERROR', path: 'id' });
    expect(service.requests).toHaveLength(2);
  });

  it('validates all options before it sends a request', async () => {
    await using service = await startFakeService(respondJson(201, tokenResponse()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    expect(await getRejection(minter.mint({ prefix: 'inbox', expires_in: 59 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'expires_in',
    });
    expect(await getRejection(minter.mint({ prefix: 'inbox', max_uses: 101 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'max_uses',
    });
    expect(await getRejection(minter.mint({ path: '../etc' }))).toMatchObject({ code: 'INVALID_PATH', path: 'path' });
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['no options at all', undefined, undefined],
    ['no place', {}, 'prefix'],
    ['an undefined place', { prefix: undefined }, 'prefix'],
    ['an undefined path beside a prefix', { prefix: 'a', path: undefined }, 'path'],
    ['a place that is null', { path: null }, 'path'],
    ['a place that is not a string', { prefix: 42 }, 'prefix'],
    ['an empty prefix', { prefix: '' }, 'prefix'],
    ['the root as a prefix', { prefix: '/' }, 'prefix'],
    ['a prefix of slashes', { prefix: '//' }, 'prefix'],
    ['an empty path', { path: '' }, 'path'],
    ['the folder of undefined', { prefix: `users/${String(undefined)}` }, 'prefix'],
    ['the folder of an empty string', { prefix: `users/${''}` }, 'prefix'],
    ['the folder of null', { prefix: 'users/null/inbox' }, 'prefix'],
    ['the folder of a promise', { prefix: `users/${String(Promise.resolve(1))}` }, 'prefix'],
    ['the file of NaN', { path: `users/${Number('x')}` }, 'path'],
    ['anywhere that is not true', { anywhere: 'yes' }, 'anywhere'],
    ['a folder with undefined before a separator', { prefix: `orgs/${String(undefined)}-files/inbox` }, 'prefix'],
    ['a folder with null after a separator', { prefix: `orgs/org_${String(null)}` }, 'prefix'],
    ['a file with NaN before a separator', { path: `invoices/${Number('x')}_2.pdf` }, 'path'],
    ['the folder of an object', { prefix: `orgs/org-${String({})}-files` }, 'prefix'],
    ['an undefined anywhere', { prefix: 'a', anywhere: undefined }, 'anywhere'],
    ['anywhere with a prefix', { prefix: 'a', anywhere: true }, 'anywhere'],
    ['an undefined limit', { prefix: 'a', max_size: undefined }, 'max_size'],
    ['a limit that is null', { prefix: 'a', allowed_extensions: null }, 'allowed_extensions'],
    ['an unknown option', { prefix: 'a', maxSize: 1 }, 'maxSize'],
    ['an option with a symbol as its name', { prefix: 'a', [Symbol('max_size')]: 1 }, 'Symbol(max_size)'],
    ['a limit that is not enumerable', Object.defineProperty({ prefix: 'a' }, 'max_size', { value: undefined }), 'max_size'],
    ['an inherited prefix', Object.create({ prefix: 'a' }), undefined],
    ['an array', [], undefined],
    ['a map as metadata', { prefix: 'a', metadata: new Map([['a', 'b']]) }, 'metadata'],
  ])('mints nothing for %s', async (_case, options, path) => {
    await using service = await startFakeService(respondJson(201, tokenResponse()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const error = await getRejection(minter.mint(options as unknown as MintOptions));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', path });
    expect(service.requests).toEqual([]);
  });

  it('explains what is wrong with a place and what would be right', async () => {
    const minter = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' });
    const messageFor = async (options: object) => (await getRejection(minter.mint(options as MintOptions))).message;
    expect(await messageFor({ prefix: '/' })).toBe(
      '`prefix` must name a folder; got "/". For the whole storage set anywhere: true.',
    );
    expect(await messageFor({ max_size: 1 })).toContain('Set prefix (a folder), path (one file), or anywhere: true');
    expect(await messageFor({ prefix: 'users/undefined' })).toContain('contains the segment "undefined"');
    expect(await messageFor({ prefix: 'users/undefined' })).toContain('use other letter case or other separators');
  });

  it('mints a token for the whole storage, one file or a folder', async () => {
    await using service = await startFakeService(respondJson(201, tokenResponse()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    await minter.mint({ anywhere: true, max_size: 9 });
    await minter.mint({ path: 'a/b.txt' });
    await minter.mint(Object.assign(Object.create(null) as object, { prefix: 'nullish/Undefined-behaviour.null' }));
    expect(service.requests.map(({ body }) => body)).toEqual([
      '{"max_size":9}',
      '{"path":"a/b.txt"}',
      '{"prefix":"nullish/Undefined-behaviour.null"}',
    ]);
  });

  it('retries 429 and 5xx, then succeeds', async () => {
    await using service = await startFakeService(
      respondJson(429, errorBody('RATE_LIMIT_EXCEEDED', { retry_after: 0 })),
      respondJson(503, errorBody('INTERNAL_SERVER_ERROR')),
      respondJson(201, tokenResponse()),
    );
    await createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' });
    expect(service.requests).toHaveLength(3);
  });

  it.each([
    ['details.retry_after', respondJson(429, errorBody('RATE_LIMIT_EXCEEDED', { retry_after: 60 }))],
    ['Retry-After', respondJson(503, 'gone for lunch', { 'retry-after': '60' })],
  ])('fails at once if %s demands a longer delay than `maxWait`', async (_name, response) => {
    await using service = await startFakeService(response);
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const error = await getRejection(minter.mint({ prefix: 'inbox' }));
    expect(error.status).toBeGreaterThanOrEqual(429);
    expect(service.requests).toHaveLength(1);
  });

  it('waits as long as Retry-After demands, up to `maxWait`', async () => {
    await using service = await startFakeService(
      respondJson(429, errorBody('RATE_LIMIT_EXCEEDED', { retry_after: 1 })),
      respondJson(201, tokenResponse()),
    );
    const started = performance.now();
    await createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it.each([
    [401, 'API_KEY_INVALID'],
    [403, 'API_KEY_SCOPE_DENIED'],
    [400, 'VALIDATION_ERROR'],
    [507, 'STORAGE_FULL'],
  ])('never retries %i %s', async (status, code) => {
    await using service = await startFakeService(respondJson(status, errorBody(code, { required: 'blob:write' })));
    const error = await getRejection(createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' }));
    expect(error).toMatchObject({ code, status, details: { required: 'blob:write' } });
    expect(service.requests).toHaveLength(1);
  });

  it('fails with the last error after all retries', async () => {
    await using service = await startFakeService(respondJson(500, errorBody('INTERNAL_SERVER_ERROR')));
    const error = await getRejection(
      createTokenMinter({ apiKey: API_KEY, url: service.url, retries: 1 }).mint({ prefix: 'inbox' }),
    );
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', status: 500 });
    expect(service.requests).toHaveLength(2);
  });

  it('fails differently for an unreachable service, a silent one and an unknown response', async () => {
    const closed = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1', retries: 0 });
    expect(await getRejection(closed.mint({ prefix: 'inbox' }))).toMatchObject({ code: 'NETWORK_ERROR', status: 0 });
    await using silent = await startFakeService(() => {});
    const waiting = createTokenMinter({ apiKey: API_KEY, url: silent.url, retries: 0, timeout: 50 });
    expect((await getRejection(waiting.mint({ prefix: 'inbox' }))).message).toContain('within 50 ms');
    await using other = await startFakeService(respondJson(200, { ok: true }));
    expect(await getRejection(createTokenMinter({ apiKey: API_KEY, url: other.url }).mint({ prefix: 'inbox' }))).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
    });
  });

  it('does not follow a redirect and suggests which address to set', async () => {
    await using other = await startFakeService(respondJson(201, tokenResponse()));
    await using service = await startFakeService((response, { authorization }) => {
      response.writeHead(307, { location: `${other.url}/blobs/v1/upload-tokens?${authorization!.split(' ')[1]}` });
      response.end();
    });
    const error = await getRejection(createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' }));
    expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
    expect(error.message).toContain(`redirects to ${other.url}/blobs/v1/upload-tokens, `);
    expect(error.message).toContain(`set url to ${other.url}/blobs`);
    expect(error.message).not.toContain(API_KEY);
    expect(other.requests).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  it('can be aborted before the request, during it and before a retry', async () => {
    await using service = await startFakeService(respondJson(429, errorBody('RATE_LIMIT_EXCEEDED', { retry_after: 15 })));
    await using silent = await startFakeService(() => {});
    const [waiting, sending] = [service, silent].map(({ url }) => createTokenMinter({ apiKey: API_KEY, url }));
    expect(await getRejection(waiting!.mint({ prefix: 'inbox' }, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'ABORTED',
    });
    expect(service.requests).toEqual([]);
    const page = new AbortController();
    const failures = [waiting, sending].map((minter) => getRejection(minter!.mint({ prefix: 'inbox' }, { signal: page.signal })));
    await expect.poll(() => [service.requests.length, silent.requests.length]).toEqual([1, 1]);
    page.abort();
    for (const error of await Promise.all(failures)) expect(error).toMatchObject({ code: 'ABORTED' });
    expect(service.requests).toHaveLength(1);
  });

  it('finds the file of exactly one path', async () => {
    const files = [{ path: 'a/b.txt', size: 3 }];
    await using service = await startFakeService(respondJson(200, { response: { files, prefixes: [], cursor: null } }));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    expect(await minter.file('a/b.txt')).toEqual(files[0]);
    expect(await minter.file('a/b')).toBeNull();
    expect(await minter.file('')).toBeNull();
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/v1/files?prefix=a%2Fb.txt&limit=1',
      '/v1/files?prefix=a%2Fb&limit=1',
    ]);
  });
});

describe('the API key', () => {
  it('is in no error and in no property of the minter', async () => {
    await using echoing = await startFakeService((response, { authorization }) =>
      respondJson(403, { code: 'API_KEY_IP_DENIED', message: authorization, details: { header: authorization } })(
        response,
        {} as never,
      ),
    );
    const minter = createTokenMinter({ apiKey: API_KEY, url: echoing.url });
    const leaky = createTokenMinter({
      apiKey: API_KEY,
      url: echoing.url,
      retries: 0,
      fetch: (_url, init) => Promise.reject(Object.assign(new Error(`sent ${JSON.stringify(init?.headers)}`), { init })),
    });
    const denied = await getRejection(minter.mint({ prefix: 'inbox' }));
    const failed = await getRejection(leaky.mint({ prefix: 'inbox' }));
    for (const value of [minter, denied, failed]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(API_KEY);
      expect(JSON.stringify(value)).not.toContain(API_KEY);
    }
    expect(denied).toMatchObject({ code: 'API_KEY_IP_DENIED', message: 'Bearer [API key]' });
  });

  it.each(['', 'svcup_abc', 'svc_live_with space', 'svc_live_line\nbreak', undefined])(
    'is not quoted by the error about an invalid key: %j',
    (apiKey) => {
      let error: unknown;
      try {
        createTokenMinter({ apiKey: apiKey as string, url: 'http://localhost:8080' });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', path: 'apiKey' });
      if (apiKey) expect((error as Error).message).not.toContain(apiKey);
    },
  );

  it('is refused in a browser', () => {
    const global = globalThis as { window?: unknown };
    global.window = {};
    try {
      expect(() => createTokenMinter({ apiKey: API_KEY, url: 'http://localhost:8080' })).toThrow(/window/);
    } finally {
      delete global.window;
    }
  });

  it.each(['', 'localhost:8080', 'ftp://x', 'http://u:p@x', 'http://x/?a=b', 'http://x/v1'])(
    'is not sent to an invalid base address: %j',
    (url) => {
      expect(() => createTokenMinter({ apiKey: API_KEY, url })).toThrowError(expect.objectContaining({ path: 'url' }));
    },
  );
});
