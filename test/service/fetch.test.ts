// Long because each hostile response is one row.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { expectStatus } from './workspace-client.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** The server whose files are fetched. Some responses are hostile. */
let respond: Respond;
let requests: IncomingMessage[] = [];
const source = createServer((request, response) => {
  requests.push(request);
  response.on('error', () => {});
  respond(request, response);
});
let service: TestService;
let base: string;
beforeAll(async () => {
  source.listen(0, '127.0.0.1');
  await once(source, 'listening');
  base = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  service = await TestService.start({
    fetch: true,
    outboundAllow: ['127.0.0.1'],
    minimumRate: { bytesPerSecond: 100, windowSeconds: 1 },
  });
});
afterAll(async () => {
  await service.stop();
  source.closeAllConnections();
  source.close();
});
beforeEach(() => {
  requests = [];
  respond = (_request, response) => response.end('hello');
});

type Options = Parameters<TestService['call']>[2];
const fetchUrl = (body: object, options: Options = {}) =>
  service.call<FileRecord>('POST', '/v1/files/fetch', { ...options, body: { url: `${base}/file.txt`, ...body } });

/** @returns code and reason of a fetch that fails. */
async function failure(body: object): Promise<unknown[]> {
  const { status, error } = await fetchUrl(body);
  return [status, error.code, error.details['reason']].filter((part) => part !== undefined);
}

const state = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response;

/** Sends bytes until the connection ends. */
function sendForEver(response: ServerResponse, chunk: Uint8Array): void {
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}

describe('a fetch', () => {
  it('stores the response like an upload, without any credential in its request', async () => {
    respond = (_request, response) => response.setHeader('Content-Type', 'text/plain; charset=utf-8').end('hello');
    const fetched = await fetchUrl({ url: `${base}/a/caf%C3%A9.txt?x=1#y`, prefix: 'in', metadata: { from: 'web' } });
    expectStatus(fetched, 201);
    expect(fetched.response).toMatchObject({
      path: 'in/café.txt',
      size: 5,
      content_type: 'text/plain; charset=utf-8',
      metadata: { from: 'web' },
    });
    expect(new TextDecoder().decode(await service.bytesOf(fetched.response.id))).toBe('hello');
    expect(fetched.headers.get('location')).toBe(`/v1/files/${fetched.response.id}`);
    const { headers, url } = requests[0]!;
    expect(url).toBe('/a/caf%C3%A9.txt?x=1');
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect((await fetchUrl({ path: 'in/café.txt' })).error.code).toBe('FILE_EXISTS');
    expectStatus(await fetchUrl({ path: 'in/café.txt', overwrite: true }), 201);
  });

  it('takes a safe form of the name that the response states', async () => {
    respond = (_request, response) =>
      response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpass%00wd`).end('x');
    expect(expectStatus(await fetchUrl({ prefix: 'named' }), 201).path).toBe('named/pass-wd');
  });

  it('is repeated with its idempotency key without a second request', async () => {
    const headers = { 'Idempotency-Key': 'fetch-0123456789abcdef' };
    const body = { prefix: 'once' };
    const first = await fetchUrl(body, { headers });
    respond = (_request, response) => response.end('other bytes');
    const second = await fetchUrl(body, { headers });
    expect([second.status, second.response.id]).toEqual([201, first.response.id]);
    expect(requests).toHaveLength(1);
    const other = await fetchUrl({ ...body, url: `${base}/other` }, { headers });
    expect(other.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    [{ path: 'a/../b' }, 'INVALID_PATH'],
    [{ path: 'a', prefix: 'b' }, 'VALIDATION_ERROR'],
    [{ path: 'a', expires_at: '2001-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
    [{ path: 'a', allowed_types: ['image'] }, 'VALIDATION_ERROR'],
    [{ path: 'a', timeout: 301 }, 'VALIDATION_ERROR'],
  ])('is refused before its request with %j', async (body, code) => {
    expect((await fetchUrl(body)).error.code).toBe(code);
    expect(requests).toEqual([]);
  });

  it.each([
    ['http://10.0.0.1/', 'must be on the public internet'],
    ['http://[::1]/', 'must be on the public internet'],
    ['ftp://example.org/a', 'must begin with https:// or http://'],
    ['https://user:secret@example.org/', 'must not contain a user name or password'],
  ])('is refused for %s', async (url, problem) => {
    const { status, error } = await fetchUrl({ url });
    expect([status, error.code, error.path]).toEqual([400, 'VALIDATION_ERROR', 'url']);
    expect(error.message).toContain(problem);
  });
});

describe('a fetch from a hostile server', () => {
  const refusals: [name: string, respond: Respond, expected: unknown[]][] = [
    [
      'that never ends its body',
      (_request, response) => sendForEver(response, new Uint8Array(65_536)),
      [413, 'BLOB_FILE_TOO_LARGE'],
    ],
    [
      'that announces a huge body',
      (_request, response) => response.writeHead(200, { 'Content-Length': '9000000000000' }).write('x'),
      [413, 'BLOB_FILE_TOO_LARGE'],
    ],
    ['that sends almost nothing', (_request, response) => response.write('x'), [422, 'FETCH_FAILED', 'too_slow']],
    [
      'that ends before the announced length',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('ten bytes.', () => response.destroy());
      },
      [422, 'FETCH_FAILED', 'connection'],
    ],
    ['that sends no response', (request) => request.destroy(), [422, 'FETCH_FAILED', 'connection']],
    [
      'that compresses',
      (_request, response) => response.setHeader('Content-Encoding', 'gzip').end(gzipSync(new Uint8Array(1e6))),
      [422, 'FETCH_FAILED', 'encoding'],
    ],
    ['that has no such file', (_request, response) => response.writeHead(404).end('no'), [422, 'FETCH_FAILED', 'status']],
    [
      'that redirects to a metadata service',
      (_request, response) => response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      [422, 'FETCH_FAILED', 'address'],
    ],
    [
      'that redirects to another scheme',
      (_request, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
      [422, 'FETCH_FAILED', 'redirect'],
    ],
    [
      'that always redirects',
      (_request, response) => response.writeHead(307, { Location: '/again' }).end(),
      [422, 'FETCH_FAILED', 'redirect'],
    ],
    ['that redirects without a target', (_request, response) => response.writeHead(301).end(), [422, 'FETCH_FAILED', 'redirect']],
  ];

  it.each(refusals)('%s fails and stores nothing', async (_name, hostile, expected) => {
    const before = await state();
    respond = hostile;
    expect(await failure({ path: 'hostile', max_size: 1_000_000 })).toEqual(expected);
    expect(await state()).toMatchObject({ files: before.files, bytes: before.bytes, uploads_in_progress: 0 });
    expect(requests.length).toBeLessThanOrEqual(6);
    await expect.poll(() => requests.every(({ socket }) => socket.destroyed)).toBe(true);
  });

  it('fails after its time', async () => {
    const timers: NodeJS.Timeout[] = [];
    respond = (_request, response) => {
      timers.push(setInterval(() => response.write(new Uint8Array(1000)), 20));
    };
    expect(await failure({ path: 'hostile', timeout: 1 })).toEqual([422, 'FETCH_FAILED', 'timeout']);
    for (const timer of timers) clearInterval(timer);
  });

  it('fails with another content type', async () => {
    respond = (_request, response) => response.setHeader('Content-Type', 'text/html').end('<p>');
    expect(await failure({ path: 'page', allowed_types: ['image/*', 'text/plain'] })).toEqual([415, 'BLOCKED_FILE_TYPE']);
    expectStatus(await fetchUrl({ path: 'page', allowed_types: ['TEXT/*'] }), 201);
  });

  it('ends at the quota', async () => {
    const { core } = service.service;
    const { bytes } = await core.blobs.usage('main');
    await core.accounts.setQuota('main', bytes + 500_000);
    respond = (_request, response) => sendForEver(response, new Uint8Array(65_536));
    expect(await failure({ path: 'full' })).toEqual([507, 'STORAGE_FULL']);
    await core.accounts.setQuota('main', null);
    expect((await core.blobs.usage('main')).bytes).toBe(bytes);
  });
});

describe('a fetch that reports its progress', () => {
  const headers = { Accept: 'text/event-stream' };
  /** @param onEvents runs when events have arrived. */
  async function eventsOf(body: object, onEvents = () => {}): Promise<[name: string, data: Record<string, unknown>][]> {
    const response = await fetch(`${service.url}/v1/files/fetch`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      onEvents();
    }
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)];
    return events.map(([, name, data]) => [name!, JSON.parse(data!) as Record<string, unknown>]);
  }

  it('sends the bytes and then the file', async () => {
    let finish = () => {};
    respond = (_request, response) => {
      const type = { 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename="ten.txt"' };
      response.writeHead(200, { 'Content-Length': '10', ...type }).write('12345');
      finish = () => response.end('67890');
    };
    const events = await eventsOf({ url: `${base}/ten`, prefix: 'events' }, () => finish());
    const head = { name: 'ten.txt', content_type: 'text/plain' };
    expect(events.length).toBeGreaterThan(2);
    expect(events[0]).toEqual(['progress', { bytes: expect.any(Number) as unknown, total: 10, ...head }]);
    expect(events.slice(-2)).toEqual([
      ['progress', { bytes: 10, total: 10, ...head }],
      ['done', { file: expect.objectContaining({ path: 'events/ten.txt', size: 10 }) as unknown }],
    ]);
  });

  it('sends an error', async () => {
    respond = (_request, response) => response.writeHead(500).end();
    const details = { reason: 'status', status: 500 };
    expect(await eventsOf({ url: `${base}/x` })).toEqual([['error', expect.objectContaining({ code: 'FETCH_FAILED', details })]]);
  });

  it('is refused without events', async () => {
    const { status, error } = await fetchUrl({ url: 'http://10.0.0.1/' }, { headers });
    expect([status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a fetch with an upload token', () => {
  it('needs a token that allows it, and keeps to its limits', async () => {
    const plain = await service.mint({ prefix: 'tokens' });
    expect((await fetchUrl({}, { credential: plain.token })).error.details).toEqual({ field: 'allow_fetch' });
    const token = await service.mint({ prefix: 'tokens', allow_fetch: true, max_size: 10, allowed_extensions: ['txt'] });
    expect(token.allow_fetch).toBe(true);
    const credential = { credential: token.token };
    expect((await fetchUrl({ prefix: 'elsewhere' }, credential)).error.code).toBe('BLOB_UPLOAD_TOKEN_CONSTRAINT');
    expect((await fetchUrl({ url: `${base}/a.html` }, credential)).error.code).toBe('BLOCKED_FILE_TYPE');
    respond = (_request, response) => response.end('eleven byte');
    expect((await fetchUrl({}, credential)).error.code).toBe('BLOB_FILE_TOO_LARGE');
    respond = (_request, response) => response.end('ten bytes.');
    expect(expectStatus(await fetchUrl({}, credential), 201).path).toMatch(/^tokens\/file-\w+\.txt$/);
    requests = [];
    expect((await fetchUrl({}, credential)).error).toMatchObject({ details: { reason: 'exhausted' } });
    expect(requests).toEqual([]);
  });
});

describe('running fetches', () => {
  /** Responses that have begun and do not end. */
  const hang: Respond = (_request, response) => {
    const timer = setInterval(() => response.write(new Uint8Array(1000)), 100);
    response.on('close', () => clearInterval(timer));
  };

  function start(url: string, options: { signal?: AbortSignal; accept?: string } = {}): Promise<Response> {
    const { signal, accept = '*/*' } = options;
    return fetch(`${url}/v1/files/fetch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ url: `${base}/hangs`, path: `hangs-${Math.random()}` }),
      ...(signal && { signal }),
    });
  }

  it('are limited, and end when their clients leave', async () => {
    respond = hang;
    const leave = new AbortController();
    const started = Array.from({ length: 9 }, () => start(service.url, { signal: leave.signal }));
    const refused = await Promise.race(started);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'FETCH_LIMIT_REACHED']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    leave.abort();
    await Promise.allSettled(started);
    await expect
      .poll(() => requests.length > 0 && requests.every(({ socket }) => socket.destroyed), { timeout: 10_000 })
      .toBe(true);
    await expect.poll(async () => (await state()).uploads_in_progress, { timeout: 10_000 }).toBe(0);
    respond = (_request, response) => response.end('free again');
    expectStatus(await fetchUrl({ path: 'after' }), 201);
  });

  it('end when the service stops', async () => {
    respond = hang;
    const response = await start(service.ownUrl, { accept: 'text/event-stream' });
    await expect.poll(() => requests.length).toBe(1);
    const [text] = await Promise.all([response.text(), service.service.close()]);
    expect(text).toMatch(/event: error\ndata: {"code":"SERVICE_UNAVAILABLE"/);
    await expect.poll(() => requests[0]!.socket.destroyed).toBe(true);
  });
});
