import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BlobError, createTokenMinter } from '../../server/helper/index.js';
import type { MintOptions } from '../../server/helper/index.js';
import { API_KEY, created, fakeService, json } from './fake-service.js';

async function failure(promise: Promise<unknown>): Promise<BlobError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BlobError);
  return error as BlobError;
}

const refused = (code: string, details: object = {}) => ({ code, message: code, details });

describe('a token minter', () => {
  it('mints with the key in the Authorization header and nowhere else', async () => {
    await using service = await fakeService(json(201, created({ max_uses: 3 })));
    const minter = createTokenMinter({ apiKey: API_KEY, url: `${service.url}/`, workspaceId: 'ws 1' });
    const token = await minter.mint({ prefix: 'inbox', max_uses: 3 });
    expect(token).toMatchObject({ token: 'svcup_secret', max_uses: 3 });
    expect(service.seen).toEqual([
      {
        method: 'POST',
        url: '/v1/upload-tokens?workspace_id=ws+1',
        authorization: `Bearer ${API_KEY}`,
        body: '{"prefix":"inbox","max_uses":3}',
      },
    ]);
  });

  it('checks every bound before it calls', async () => {
    await using service = await fakeService(json(201, created()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    expect(await failure(minter.mint({ prefix: 'inbox', expires_in: 59 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'expires_in',
    });
    expect(await failure(minter.mint({ prefix: 'inbox', max_uses: 101 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'max_uses',
    });
    expect(await failure(minter.mint({ path: '../etc' }))).toMatchObject({ code: 'INVALID_PATH', path: 'path' });
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['no options at all', undefined, undefined],
    ['no place', {}, 'prefix'],
    ['a place of undefined', { prefix: undefined }, 'prefix'],
    ['a path of undefined beside a prefix', { prefix: 'a', path: undefined }, 'path'],
    ['a place of null', { path: null }, 'path'],
    ['a place that is no text', { prefix: 42 }, 'prefix'],
    ['an empty prefix', { prefix: '' }, 'prefix'],
    ['the root as a prefix', { prefix: '/' }, 'prefix'],
    ['slashes alone', { prefix: '//' }, 'prefix'],
    ['an empty path', { path: '' }, 'path'],
    ['a folder of nobody', { prefix: `users/${String(undefined)}` }, 'prefix'],
    ['a folder of an empty text', { prefix: `users/${''}` }, 'prefix'],
    ['a folder of null', { prefix: 'users/null/inbox' }, 'prefix'],
    ['a folder of a promise', { prefix: `users/${String(Promise.resolve(1))}` }, 'prefix'],
    ['a file of NaN', { path: `users/${Number('x')}` }, 'path'],
    ['anywhere that is not true', { anywhere: 'yes' }, 'anywhere'],
    ['a folder that begins with nobody', { prefix: `orgs/${String(undefined)}-files/inbox` }, 'prefix'],
    ['a folder that ends with nobody', { prefix: `orgs/org_${String(null)}` }, 'prefix'],
    ['a file that begins with no number', { path: `invoices/${Number('x')}_2.pdf` }, 'path'],
    ['a folder of an object', { prefix: `orgs/org-${String({})}-files` }, 'prefix'],
    ['anywhere that is undefined', { prefix: 'a', anywhere: undefined }, 'anywhere'],
    ['anywhere with a prefix', { prefix: 'a', anywhere: true }, 'anywhere'],
    ['a limit of undefined', { prefix: 'a', max_size: undefined }, 'max_size'],
    ['a limit of null', { prefix: 'a', allowed_extensions: null }, 'allowed_extensions'],
    ['an unknown name', { prefix: 'a', maxSize: 1 }, 'maxSize'],
    ['a symbol', { prefix: 'a', [Symbol('max_size')]: 1 }, 'Symbol(max_size)'],
    ['a limit that is not enumerable', Object.defineProperty({ prefix: 'a' }, 'max_size', { value: undefined }), 'max_size'],
    ['an inherited prefix', Object.create({ prefix: 'a' }), undefined],
    ['an array', [], undefined],
    ['a map as metadata', { prefix: 'a', metadata: new Map([['a', 'b']]) }, 'metadata'],
  ])('mints nothing for %s', async (_what, options, path) => {
    await using service = await fakeService(json(201, created()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const error = await failure(minter.mint(options as unknown as MintOptions));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', path });
    expect(service.seen).toEqual([]);
  });

  it('says what is wrong with a place, where, and what would be right', async () => {
    const minter = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' });
    const messageFor = async (options: object) => (await failure(minter.mint(options as MintOptions))).message;
    expect(await messageFor({ prefix: '/' })).toBe(
      'prefix: must name a folder; got "/". For the whole storage set anywhere: true instead',
    );
    expect(await messageFor({ max_size: 1 })).toContain('set prefix (a folder) or path (one file), or anywhere: true');
    expect(await messageFor({ prefix: 'users/undefined' })).toContain('contains the segment "undefined"');
    expect(await messageFor({ prefix: 'users/undefined' })).toContain('write it in other case or with other separators');
  });

  it('mints for the whole storage if told so, and for one file', async () => {
    await using service = await fakeService(json(201, created()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    await minter.mint({ anywhere: true, max_size: 9 });
    await minter.mint({ path: 'a/b.txt' });
    await minter.mint(Object.assign(Object.create(null) as object, { prefix: 'nullish/Undefined-behaviour.null' }));
    expect(service.seen.map((one) => one.body)).toEqual([
      '{"max_size":9}',
      '{"path":"a/b.txt"}',
      '{"prefix":"nullish/Undefined-behaviour.null"}',
    ]);
  });

  it('retries 429 and 5xx, then succeeds', async () => {
    await using service = await fakeService(
      json(429, refused('RATE_LIMIT_EXCEEDED', { retry_after: 0 })),
      json(503, refused('INTERNAL_SERVER_ERROR')),
      json(201, created()),
    );
    await createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' });
    expect(service.seen).toHaveLength(3);
  });

  it.each([
    ['details.retry_after', json(429, refused('RATE_LIMIT_EXCEEDED', { retry_after: 60 }))],
    ['Retry-After', json(503, 'gone for lunch', { 'retry-after': '60' })],
  ])('obeys %s: where it is longer than worth waiting, the error comes at once', async (_where, answer) => {
    await using service = await fakeService(answer);
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const error = await failure(minter.mint({ prefix: 'inbox' }));
    expect(error.status).toBeGreaterThanOrEqual(429);
    expect(service.seen).toHaveLength(1);
  });

  it('waits out a Retry-After that is worth it', async () => {
    await using service = await fakeService(json(429, refused('RATE_LIMIT_EXCEEDED', { retry_after: 1 })), json(201, created()));
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
    await using service = await fakeService(json(status, refused(code, { required: 'blob:write' })));
    const error = await failure(createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' }));
    expect(error).toMatchObject({ code, status, details: { required: 'blob:write' } });
    expect(service.seen).toHaveLength(1);
  });

  it('gives up after its tries with the last answer', async () => {
    await using service = await fakeService(json(500, refused('INTERNAL_SERVER_ERROR')));
    const error = await failure(createTokenMinter({ apiKey: API_KEY, url: service.url, retries: 1 }).mint({ prefix: 'inbox' }));
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', status: 500 });
    expect(service.seen).toHaveLength(2);
  });

  it('tells an unreachable service, a silent one and an answer that is not ours apart', async () => {
    const closed = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1', retries: 0 });
    expect(await failure(closed.mint({ prefix: 'inbox' }))).toMatchObject({ code: 'NETWORK_ERROR', status: 0 });
    await using silent = await fakeService(() => {});
    const waiting = createTokenMinter({ apiKey: API_KEY, url: silent.url, retries: 0, timeout: 50 });
    expect((await failure(waiting.mint({ prefix: 'inbox' }))).message).toContain('within 50 ms');
    await using odd = await fakeService(json(200, { ok: true }));
    expect(await failure(createTokenMinter({ apiKey: API_KEY, url: odd.url }).mint({ prefix: 'inbox' }))).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
    });
  });

  it('does not follow a redirect, and says which address to set instead', async () => {
    await using other = await fakeService(json(201, created()));
    await using service = await fakeService((response, { authorization }) => {
      response.writeHead(307, { location: `${other.url}/blobs/v1/upload-tokens?${authorization!.split(' ')[1]}` });
      response.end();
    });
    const error = await failure(createTokenMinter({ apiKey: API_KEY, url: service.url }).mint({ prefix: 'inbox' }));
    expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
    expect(error.message).toContain(`redirects to ${other.url}/blobs/v1/upload-tokens, `);
    expect(error.message).toContain(`set url to ${other.url}/blobs`);
    expect(error.message).not.toContain(API_KEY);
    expect(other.seen).toEqual([]);
    expect(service.seen).toHaveLength(1);
  });

  it('aborts: before the call, during it, and while it waits for the next try', async () => {
    await using service = await fakeService(json(429, refused('RATE_LIMIT_EXCEEDED', { retry_after: 15 })));
    await using silent = await fakeService(() => {});
    const [waiting, sending] = [service, silent].map(({ url }) => createTokenMinter({ apiKey: API_KEY, url }));
    expect(await failure(waiting!.mint({ prefix: 'inbox' }, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORTED' });
    expect(service.seen).toEqual([]);
    const page = new AbortController();
    const failures = [waiting, sending].map((minter) => failure(minter!.mint({ prefix: 'inbox' }, { signal: page.signal })));
    await expect.poll(() => [service.seen.length, silent.seen.length]).toEqual([1, 1]);
    page.abort();
    for (const error of await Promise.all(failures)) expect(error).toMatchObject({ code: 'ABORTED' });
    expect(service.seen).toHaveLength(1);
  });

  it('reads the record of exactly one path', async () => {
    const files = [{ path: 'a/b.txt', size: 3 }];
    await using service = await fakeService(json(200, { response: { files, prefixes: [], cursor: null } }));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    expect(await minter.file('a/b.txt')).toEqual(files[0]);
    expect(await minter.file('a/b')).toBeNull();
    expect(await minter.file('')).toBeNull();
    expect(service.seen.map((one) => one.url)).toEqual(['/v1/files?prefix=a%2Fb.txt&limit=1', '/v1/files?prefix=a%2Fb&limit=1']);
  });
});

describe('the API key', () => {
  it('stays out of every error and of the minter itself', async () => {
    await using echoing = await fakeService((response, { authorization }) =>
      json(403, { code: 'API_KEY_IP_DENIED', message: authorization, details: { header: authorization } })(response, {} as never),
    );
    const minter = createTokenMinter({ apiKey: API_KEY, url: echoing.url });
    const leaky = createTokenMinter({
      apiKey: API_KEY,
      url: echoing.url,
      retries: 0,
      fetch: (_url, init) => Promise.reject(Object.assign(new Error(`sent ${JSON.stringify(init?.headers)}`), { init })),
    });
    const shown = [minter, await failure(minter.mint({ prefix: 'inbox' })), await failure(leaky.mint({ prefix: 'inbox' }))];
    for (const one of shown) {
      expect(inspect(one, { depth: 9, showHidden: true })).not.toContain(API_KEY);
      expect(JSON.stringify(one)).not.toContain(API_KEY);
    }
    expect(shown[1]).toMatchObject({ code: 'API_KEY_IP_DENIED', message: 'Bearer [API key]' });
  });

  it.each(['', 'svcup_abc', 'svc_live_with space', 'svc_live_line\nbreak', undefined])('is refused unquoted: %j', (apiKey) => {
    let error: unknown;
    try {
      createTokenMinter({ apiKey: apiKey as string, url: 'http://localhost:8080' });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', path: 'apiKey' });
    if (apiKey) expect((error as Error).message).not.toContain(apiKey);
  });

  it('is not taken where there is a window', () => {
    const global = globalThis as { window?: unknown };
    global.window = {};
    try {
      expect(() => createTokenMinter({ apiKey: API_KEY, url: 'http://localhost:8080' })).toThrow(/window/);
    } finally {
      delete global.window;
    }
  });

  it.each(['', 'localhost:8080', 'ftp://x', 'http://u:p@x', 'http://x/?a=b', 'http://x/v1'])(
    'needs a base address: %j',
    (url) => {
      expect(() => createTokenMinter({ apiKey: API_KEY, url })).toThrowError(expect.objectContaining({ path: 'url' }));
    },
  );
});
