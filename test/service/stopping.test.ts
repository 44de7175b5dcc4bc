import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { createBlobService } from '../../server/service/index.js';
import { storageFor } from './backend.js';

it('a service that is told to stop finishes what runs, and takes nothing new', async () => {
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
  const answer = await running;
  expect(answer.status).toBe(201);
  const { response } = (await answer.json()) as { response: FileRecord };
  await stopped;

  const again = await open();
  await again.listen();
  const main = (await again.core.accounts.mainStorage('main'))!;
  expect((await again.core.blobs.getById(main, response.id))?.size).toBe(23);
  await again.close();
  await rm(dataDir, { recursive: true });
});

it('and answers in its own words what still comes on a connection that it keeps', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  const service = await createBlobService({ port: 0, s3Port: false, dataDir });
  const { url } = await service.listen();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The second request has begun when the first is answered: they came in one piece.
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
