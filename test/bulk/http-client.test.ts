import { randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NodeHttpClient } from '../../src/bulk/node/http/http-client.js';
import { originOf } from '../../src/bulk/http/http-client.js';
import type { HttpRequest } from '../../src/bulk/http/http-client.js';
import { createCertificate } from '../support/certificate.js';

const never = new AbortController().signal;
const MiB = 1024 * 1024;
const bytes = randomBytes(3 * MiB + 1);
const folder = mkdtempSync(join(tmpdir(), 'wire-'));
const servers: Server[] = [];
const origins: Record<string, HttpRequest['origin']> = {};
let client: NodeHttpClient;

/** Returns the bytes, with a content length for `/counted` and in chunks otherwise. */
const respond: RequestListener = (request, response) => {
  if (request.url === '/last') response.setHeader('connection', 'close');
  if (request.url === '/counted') response.setHeader('content-length', bytes.length);
  else for (let offset = 0; offset < bytes.length; offset += 100_000) response.write(bytes.subarray(offset, offset + 100_000));
  response.end(request.url === '/counted' ? bytes : undefined);
};

async function listen(name: string, server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  origins[name] = originOf(new URL(`${name}://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

beforeAll(async () => {
  const certificate = createCertificate(folder);
  const cert = readFileSync(certificate.cert, 'utf8');
  await listen('http', createHttp(respond));
  await listen('https', createHttps({ key: readFileSync(certificate.key), cert }, respond));
  client = new NodeHttpClient({ tls: { ca: [cert] } });
});
afterAll(() => {
  client.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const sendGet = (name: string, target: string, more: Pick<HttpRequest, 'onData' | 'room'>) =>
  client.send({ method: 'GET', origin: origins[name]!, target, headers: { host: 'store' }, signal: never, ...more });

describe.each(['http', 'https'])('a response body over %s', (name) => {
  it.each([
    ['at once', false],
    ['slowly', true],
  ])('is read directly into the given buffer by a caller that handles pieces %s', async (_, slowly) => {
    const into = Buffer.alloc(bytes.length);
    // The second response uses the same connection.
    for (let run = 1; run <= 2; run++) {
      let [offset, inPlace] = [0, 0];
      into.fill(0);
      const { status } = await sendGet(name, '/counted', {
        room: () => into.subarray(offset, offset + 500_000),
        onData(piece) {
          if (piece.buffer === into.buffer && piece.byteOffset === into.byteOffset + offset) inPlace += piece.length;
          else into.set(piece, offset);
          offset += piece.length;
          return slowly ? delay(1) : undefined;
        },
      });
      expect(status).toBe(200);
      expect(offset).toBe(bytes.length);
      expect(into.equals(bytes)).toBe(true);
      if (!slowly) expect(inPlace).toBeGreaterThan(bytes.length / 2);
    }
  });

  it('is complete if the connection closes after it and the caller is slow', async () => {
    const got: Buffer[] = [];
    await sendGet(name, '/last', {
      async onData(piece) {
        got.push(Buffer.from(piece));
        await delay(2);
      },
    });
    expect(Buffer.concat(got).equals(bytes)).toBe(true);
  });

  it('uses its own memory if it is chunked or the caller gives no buffer', async () => {
    for (const target of ['/counted', '/chunked']) {
      const unused = Buffer.alloc(500_000, 7);
      const got: Buffer[] = [];
      await sendGet(name, target, {
        room: () => (target === '/chunked' ? unused : undefined),
        onData: (piece) => void got.push(Buffer.from(piece)),
      });
      expect(Buffer.concat(got).equals(bytes)).toBe(true);
      expect(unused.every((byte) => byte === 7)).toBe(true);
    }
  });
});

describe('NodeHttpClient', () => {
  it.each([[100_000], [100_001], [1]])('discards bytes after a body with room for %i bytes', async (room) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      const first = connections === 1;
      const forged = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged';
      socket
        .on('error', () => {})
        .on('data', () => {
          if (first)
            socket.write(
              Buffer.concat([
                Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
                bytes.subarray(0, 100_000),
                Buffer.from(forged),
              ]),
            );
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nreal');
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = originOf(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    const ask = { method: 'GET', origin, target: '/', headers: {}, signal: never };
    const into = Buffer.alloc(100_001);
    let offset = 0;
    await client.send({
      ...ask,
      room: () => into.subarray(offset, room === 1 ? offset + 1 : room),
      onData: (piece) => void (offset += piece.length),
    });
    expect(offset).toBe(100_000);
    const next = await client.send(ask);
    expect(Buffer.from(next.body).toString()).toBe('real');
    expect(connections).toBe(2);
    server.close();
  });

  it('removes its abort listener when a request ends', async () => {
    const stop = new AbortController();
    const signals = Array.from({ length: 3 }, () => AbortSignal.any([stop.signal]));
    for (const signal of signals)
      await client.send({ method: 'HEAD', origin: origins['http']!, target: '/counted', headers: { host: 'store' }, signal });
    await vi.waitFor(() => expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]), 30_000);
    // A new request with the signal listens again.
    const repeated = client.send({
      method: 'GET',
      origin: origins['http']!,
      target: '/counted',
      headers: { host: 'store' },
      signal: signals[0]!,
      onData: () => stop.abort(),
    });
    await expect(repeated).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('waits for onData before it passes the next piece', async () => {
    const pieces = Array.from({ length: 40 }, (_, i) => `piece ${i};`);
    const server = createServer((socket) => {
      const chunks = pieces.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = originOf(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    let [busy, text] = [0, ''];
    const { status } = await client.send({
      method: 'GET',
      origin,
      target: '/',
      headers: {},
      signal: never,
      onData: async (piece) => {
        expect(++busy).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        text += Buffer.from(piece).toString();
        busy--;
      },
    });
    expect(status).toBe(200);
    expect(text).toBe(pieces.join(''));
    server.close();
  });

  it('rejects stalled requests after close, and keeps no connection', async () => {
    const open = new Set<object>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.on('error', () => {});
      socket.on('data', (data) => data.includes('/silent') || socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = originOf(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const ownClient = new NodeHttpClient({ stallSeconds: 5 });
    const ask = (target: string) => ownClient.send({ method: 'GET', origin, target, headers: {}, signal: never });
    try {
      for (let i = 0; i < 2; i++) {
        const stalled = expect(ask('/silent')).rejects.toMatchObject({ code: 'Stalled' });
        ownClient.close();
        vi.advanceTimersByTime(7000);
        await stalled;
      }
      expect(await ask('/')).toMatchObject({ status: 200 });
      await vi.waitFor(() => expect(open.size).toBe(0), 30_000);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      server.close();
    }
  });
});
