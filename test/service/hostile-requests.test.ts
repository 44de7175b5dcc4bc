import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ minimumRate: { bytesPerSecond: 1000, windowSeconds: 1 } });
});
afterAll(() => service.stop());

/** Sends raw bytes in pieces. @returns the response until the service closes the connection or `patience` is over. */
async function raw(pieces: string[], { pause = 0, hangUp = false, patience = 1500 } = {}): Promise<string> {
  const { hostname, port } = new URL(service.ownUrl);
  const socket = connect(Number(port), hostname);
  let response = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => {}));
  socket.on('data', (chunk) => (response += chunk.toString('latin1')));
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(piece);
    // The pause makes the client slow, which is the subject of these tests.
    await sleep(pause);
  }
  if (hangUp) socket.destroy();
  // The client gives up after `patience`. Most responses keep their connection open.
  await Promise.race([closed, sleep(patience)]);
  socket.destroy();
  return response;
}

const head = (method: string, path: string, headers: Record<string, string>) =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Runs requests and checks that they stored no file, no blob and no upload. */
async function expectNothingStored(work: () => Promise<void>): Promise<void> {
  // Resumable uploads may stay open, because clients may continue them.
  const running = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;
  const stored = async () => [await service.paths(), await service.blobs()];
  const [storedBefore, runningBefore] = [await stored(), await running()];
  await work();
  await expect.poll(running).toBe(runningBefore);
  await expect.poll(stored).toEqual(storedBefore);
}

describe('malformed bodies', () => {
  it('that are shorter than announced store nothing', () =>
    expectNothingStored(async () => {
      await raw([head('PUT', '/v1/files/short.bin', { 'Content-Length': '1000' }), 'x'.repeat(500)], {
        hangUp: true,
        pause: 100,
      });
      const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
      const type = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '5000' };
      await raw([head('POST', '/v1/files', type), form], { hangUp: true, pause: 100 });
    }));

  it('that end before the last boundary of a form store nothing', () =>
    expectNothingStored(async () => {
      const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
      const type = {
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': String(form.length),
        Connection: 'close',
      };
      expect(await raw([head('POST', '/v1/files', type), form])).toMatch(/^HTTP\/1\.1 400 [^]*VALIDATION_ERROR/);
    }));

  it.each([
    ['without a name', 'Content-Disposition: form-data'],
    ['in an unknown charset', 'Content-Disposition: form-data; name="visibility"\r\nContent-Type: text/plain; charset=none'],
  ])('of a form with a field %s are rejected', (_what, headers) =>
    expectNothingStored(async () => {
      const body = `--b\r\n${headers}\r\n\r\nv\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n`;
      const response = await service.call('POST', '/v1/files', {
        body,
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      });
      expect([response.status, response.error.path]).toEqual([400, 'body']);
    }),
  );

  it('of a form with a part without headers are rejected while they arrive', () =>
    expectNothingStored(async () => {
      const type = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '500000' };
      const form = `--b\r\nnonsense\r\n\r\n${'x'.repeat(1000)}`;
      expect(await raw([head('POST', '/v1/files', type), form])).toMatch(/^HTTP\/1\.1 400 [^]*VALIDATION_ERROR/);
    }));

  it('with truncated or invalid chunks store nothing', () =>
    expectNothingStored(async () => {
      const chunked = head('PUT', '/v1/files/chunked.bin', { 'Transfer-Encoding': 'chunked' });
      await raw([chunked, '5\r\nhello\r\n'], { hangUp: true, pause: 100 });
      expect(await raw([chunked, 'zz\r\nhello\r\n0\r\n\r\n'])).toMatch(/^(HTTP\/1\.1 400 |$)/);
      await raw([chunked, '5\r\nhello world\r\n0\r\n\r\n']);
    }));

  it('with both Content-Length and Transfer-Encoding are rejected', () =>
    expectNothingStored(async () => {
      const both = head('PUT', '/v1/files/both.bin', { 'Content-Length': '4', 'Transfer-Encoding': 'chunked' });
      const smuggled = `${head('DELETE', '/v1/files/x', {})}`;
      const response = await raw([both, '0\r\n\r\n', smuggled]);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }));

  it.each([
    ['a header that is none', 'GET /healthz HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n', 'are not well-formed'],
    ['a method that is none', 'NONE /healthz HTTP/1.1\r\nHost: a\r\n\r\n', 'are not well-formed'],
    ['headers of 20 kB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 'are too large'],
  ])('get a JSON error: %s', async (_name, request, rule) => {
    const response = await raw([request]);
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(JSON.parse(response.replace(/^[^]*?\r\n\r\n/, ''))).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: `\`headers\` ${rule}.`,
      path: 'headers',
    });
  });

  it('with two lengths or an invalid length are rejected', () =>
    expectNothingStored(async () => {
      for (const length of ['4, 5', '-1', '0x10', '1e3', '99999999999999999999'])
        expect(await raw([head('PUT', '/v1/files/length.bin', { 'Content-Length': length }), 'test'])).toMatch(
          /^(HTTP\/1\.1 400 |$)/,
        );
    }));
});

it('an unknown expectation is ignored', async () => {
  const request = head('PUT', '/v1/files/expected.txt', { 'Content-Length': '1', Expect: 'nonsense', Connection: 'close' });
  expect(await raw([`${request}x`])).toMatch(/^HTTP\/1\.1 201 [^]*"path":"expected.txt"/);
});

describe('slow bodies', () => {
  it('are rejected below the minimum rate and hold no resources', () =>
    expectNothingStored(async () => {
      const { id, token } = await service.mint({ prefix: 'slow' });
      const request = head('PUT', '/v1/files/slow/a.bin', { 'Content-Length': '100000' }).replace(service.key, token);
      const response = await raw([request, ...Array.from({ length: 40 }, () => 'x')], { pause: 100 });
      expect(response).toMatch(/^HTTP\/1\.1 408 [^]*"code":"UPLOAD_TOO_SLOW"/);
      const read = await service.call<{ uses: number }>('GET', `/v1/upload-tokens/${id}`);
      expect(read.response.uses).toBe(0);
    }));

  it('may take long above the minimum rate', async () => {
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(300));
    const request = head('PUT', '/v1/files/steady.bin', { 'Content-Length': '9000', Connection: 'close' });
    expect(await raw([request, ...pieces], { pause: 100 })).toMatch(/^HTTP\/1\.1 201 /);
  });

  const multipart = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '100000' };
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const json = { 'Content-Type': 'application/json', 'Content-Length': '1000' };
  const resumable = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '100000',
    'Upload-Metadata': 'filename YS5iaW4=',
    'Content-Type': 'application/offset+octet-stream',
    'Content-Length': '100000',
  };
  it.each([
    ['a form', '/v1/files', multipart, part],
    ['a batch', '/v1/files/batch', multipart, part],
    ['JSON', '/v1/upload-tokens', json, '{'],
    ['a resumable upload', '/v1/uploads', resumable, 'x'],
  ])('in %s are rejected below the minimum rate', async (_name, path, headers, first) => {
    const files = [await service.paths(), (await service.call<StatsRecord>('GET', '/v1/stats')).response.upload_tokens_active];
    const response = await raw([head('POST', path, headers), first, ...Array.from({ length: 25 }, () => 'x')], { pause: 100 });
    expect(response).toMatch(/^HTTP\/1\.1 408 [^]*"code":"UPLOAD_TOO_SLOW"/);
    // A resumable upload keeps the received bytes but is not a file.
    expect([await service.paths(), (await service.call<StatsRecord>('GET', '/v1/stats')).response.upload_tokens_active]).toEqual(
      files,
    );
  });

  it.each([
    ['a text', 'POST', '/v1/upload-tokens', 'text/plain', undefined, 400],
    ['a text to no address', 'POST', '/nowhere', 'text/plain', null, 404],
    ['JSON without a credential', 'POST', '/v1/upload-tokens', 'application/json', null, 401],
    ['a file without a credential', 'PUT', '/v1/files/a.txt', 'text/plain', null, 401],
    ['a file to no path', 'PUT', '/v1/files/../a.txt', 'text/plain', undefined, 400],
  ])('are disconnected after a rejection: %s', async (_name, method, path, type, credential, status) =>
    expectNothingStored(async () => {
      // Not `service.url`, because the proxy in front of several replicas may keep the connection of its client.
      const { hostname, port } = new URL(service.ownUrl);
      const socket = connect(Number(port), hostname).on('error', () => {});
      // Unlike `once`, this allows a reset, which a byte after the end of the connection causes.
      const closed = new Promise((resolve) => socket.on('close', resolve));
      let response = '';
      socket.on('data', (chunk) => (response += chunk.toString('latin1')));
      const request = head(method, path, { 'Content-Type': type, 'Content-Length': '100000' });
      socket.write(credential === null ? request.replace(/Authorization.*\r\n/, '') : request);
      const drip = setInterval(() => socket.write('x'), 50);
      await expect.poll(() => response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      // The service must close the connection. Otherwise the test times out.
      await closed;
      clearInterval(drip);
    }),
  );

  it('of oversized JSON do not end the process', async () => {
    const request = head('POST', '/nowhere', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
    const large = 1024 * 1024 + 65_536;
    const response = await raw([request, `${large.toString(16)}\r\n${'1'.repeat(large)}\r\n`]);
    expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
    // An unhandled error would end the process within two windows and fail this run.
    await sleep(2500);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });

  it('without a single byte are rejected', () =>
    expectNothingStored(async () => {
      const response = await raw([head('PUT', '/v1/files/silent.bin', { 'Content-Length': '10' })], { patience: 4000 });
      expect(response).toMatch(/^HTTP\/1\.1 408 [^]*"code":"UPLOAD_TOO_SLOW"/);
    }));
});

describe('hostile names', () => {
  it.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system.ini', 'system.ini'],
    ['C:\\fakepath\\a.txt', 'a.txt'],
    ['CON.txt', '-CON.txt'],
    ['a\u202egpj.exe', 'a-gpj.exe'],
    ['a\u0000b\r\nX-Evil: 1.txt', 'a-b--X-Evil- 1.txt'],
    ['<img src=x onerror=alert(1)>.txt', '<img src=x onerror=alert(1)>.txt'],
    ['...', 'file'],
    ['', 'file'],
    ['x'.repeat(1000), 'x'.repeat(255)],
  ])('make the file name %j safe', async (name, path) => {
    const header = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    const response = await service.call<FileRecord>('POST', '/v1/files?overwrite=true', {
      body: 'x',
      headers: { 'Content-Disposition': name === '' ? 'attachment; filename=""' : header },
    });
    expect([response.status, response.response?.path]).toEqual([201, path]);
    const served = await fetch(`${service.url}/v1/files/${response.response.id}/content`, {
      headers: { Authorization: `Bearer ${service.key}` },
    });
    expect(served.headers.get('x-evil')).toBeNull();
    expect(served.headers.get('content-disposition')).toMatch(/^inline; filename="[\x20-\x7e]*"/);
  });

  it('in metadata, types and cache control never break out of their header', async () => {
    for (const [field, value] of [
      ['metadata', JSON.stringify({ a: 'b\r\nSet-Cookie: c' })],
      ['cache_control', 'no-store\r\nSet-Cookie: c'],
      ['content_disposition', 'attachment; filename="a"\r\nSet-Cookie: c'],
    ] as const)
      await expectNothingStored(async () => {
        const response = await service.upload('x', 'evil.txt', { fields: { [field]: value } });
        expect([response.status, response.error.path]).toEqual([400, field]);
      });
    const typed = await service.put('typed.bin', 'x', { headers: { 'Content-Type': 'text/html"><script>' } });
    expect([typed.status, typed.error.path]).toEqual([400, 'content-type']);
  });

  it('that JavaScript objects inherit are keys like others', async () => {
    const response = await service.call('POST', '/v1/upload-tokens', {
      body: '{"__proto__":{"max_uses":50},"constructor":1}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(400);
    const form = await service.upload('x', 'proto.txt', { fields: { __proto__x: '1' } });
    expect(form.error.path).toBe('__proto__x');
  });
});
