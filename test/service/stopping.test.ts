import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { parseTokenRequest } from '../../server/service/identity/token-request.js';
import { createBlobService } from '../../server/service/index.js';
import { storageFor } from './backend.js';

it('a stopping service finishes running uploads and accepts no new connections', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  const storage = await storageFor(dataDir);
  const open = () => createBlobService({ port: 0, s3Port: false, dataDir, ...storage });
  const service = await open();
  const { url } = await service.listen();
  const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:write'] });
  let finish: () => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('first half, '));
      await new Promise<void>((resolve) => (finish = resolve));
      controller.enqueue(new TextEncoder().encode('second half'));
      controller.close();
    },
  });
  const headers = { Authorization: `Bearer ${secret}` };
  const running = fetch(`${url}/v1/files/a.txt`, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit);
  await expect.poll(async () => (await service.core.blobs.usage('main')).uploadsInProgress).toBe(1);

  const stopped = service.close();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  finish();
  const httpResponse = await running;
  expect(httpResponse.status).toBe(201);
  const { response } = (await httpResponse.json()) as { response: FileRecord };
  await stopped;

  const again = await open();
  await again.listen();
  const main = (await again.core.accounts.mainStorage('main'))!;
  expect((await again.core.blobs.getById(main, response.id))?.size).toBe(23);
  await again.close();
  await rm(dataDir, { recursive: true });
});

it('a stopping service responds to a request that has begun on an open connection', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  const service = await createBlobService({ port: 0, s3Port: false, dataDir });
  const { url } = await service.listen();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Both requests are sent at once, so the second one has begun when the first one gets its response.
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPUT /v1/files/a.txt HTTP/1.1\r\nHost: ');
  await once(socket, 'data');
  const ended = text(socket);
  const stopped = service.close();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  socket.write('a\r\nContent-Length: 1\r\n\r\nx');
  expect(await ended).toMatch(/^HTTP\/1\.1 401 [^]*\r\nx-request-id: [^]*"code":"AUTH_TOKEN_MISSING"/i);
  await stopped;
  expect(await readdir(join(dataDir, 'blobs', 'data'))).toEqual([]);
  await rm(dataDir, { recursive: true });
});

describe('a service that drains before it stops', () => {
  /** Opens a connection for several requests. */
  function openConnection(url: string) {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1'))).on('error', () => {});
    const closed = once(socket, 'close');
    return { send: (bytes: string) => socket.write(bytes), received: () => text, closed };
  }

  it('fails /readyz, announces the end of every connection on both ports, and still responds', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-drain-'));
    const service = await createBlobService({ port: 0, s3Port: 0, dataDir });
    const { url, s3Url } = await service.listen();
    const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:write'] });
    const [rest, s3, upload] = [url, s3Url!, url].map((address) => openConnection(address));
    for (const connection of [rest!, s3!]) connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => [rest!.received(), s3!.received()]).toEqual([1, 2].map(() => expect.stringMatching(/^HTTP\/1.1 \d/)));
    upload!.send(
      `PUT /v1/files/a.txt HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`,
    );
    await expect.poll(async () => (await service.core.blobs.usage('main')).uploadsInProgress).toBe(1);

    const stopped = service.close({ drainSeconds: 600 });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    for (const connection of [rest!, s3!]) {
      expect(connection.received()).not.toMatch(/connection: close/i);
      connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await connection.closed;
      expect(connection.received()).toMatch(/HTTP\/1\.1 [^]*HTTP\/1\.1 [^]*connection: close/i);
    }
    // An upload that began before finishes, and its response announces the end of the connection.
    upload!.send('1\r\ny\r\n0\r\n\r\n');
    await upload!.closed;
    expect(upload!.received()).toMatch(/^HTTP\/1\.1 201 [^]*connection: close/i);

    await service.close();
    await stopped;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await rm(dataDir, { recursive: true });
  });
});

it('a stopping service releases uploads that do not end in time', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  const storage = await storageFor(dataDir);
  const open = () => createBlobService({ port: 0, s3Port: false, dataDir, ...storage });
  const service = await open();
  const { url } = await service.listen();
  const { id: keyId } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:write'] });
  const main = (await service.core.accounts.mainStorage('main'))!;
  const request = parseTokenRequest({ path: 'a.txt', max_uses: 1 }, service.core.now());
  const { token, id } = await service.core.tokens.create(main, { ...ADMIN_CREATOR, keyId }, request);
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': 'key-of-the-interrupted-upload' };
  const send = (base: string, body: BodyInit) =>
    fetch(`${base}/v1/files/a.txt`, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit);
  const endless = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
  const interrupted = send(url, endless).catch((cause: unknown) => cause);
  await expect.poll(async () => (await service.core.blobs.usage('main')).uploadsInProgress).toBe(1);
  await service.close();
  expect(await interrupted).toBeInstanceOf(Error);

  // Another replica accepts the repeat at once.
  const again = await open();
  expect((await again.core.blobs.usage('main')).uploadsInProgress).toBe(0);
  expect((await again.core.tokens.get(main, id)).uses).toBe(0);
  const { url: other } = await again.listen();
  expect((await send(other, 'whole')).status).toBe(201);
  await again.close();
  await rm(dataDir, { recursive: true });
});
