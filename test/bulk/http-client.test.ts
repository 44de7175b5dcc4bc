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
let wire: NodeHttpClient;

/** All of the bytes, with their length said beforehand, or in chunks. */
const answer: RequestListener = (request, response) => {
  if (request.url === '/last') response.setHeader('connection', 'close');
  if (request.url === '/counted') response.setHeader('content-length', bytes.length);
  else for (let at = 0; at < bytes.length; at += 100_000) response.write(bytes.subarray(at, at + 100_000));
  response.end(request.url === '/counted' ? bytes : undefined);
};

async function listen(name: string, server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  origins[name] = originOf(new URL(`${name}://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

beforeAll(async () => {
  const made = createCertificate(folder);
  const cert = readFileSync(made.cert, 'utf8');
  await listen('http', createHttp(answer));
  await listen('https', createHttps({ key: readFileSync(made.key), cert }, answer));
  wire = new NodeHttpClient({ tls: { ca: [cert] } });
});
afterAll(() => {
  wire.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = (name: string, target: string, more: Pick<HttpRequest, 'onData' | 'room'>) =>
  wire.send({ method: 'GET', origin: origins[name]!, target, headers: { host: 'store' }, signal: never, ...more });

describe.each(['http', 'https'])('a body over %s', (name) => {
  it.each([
    ['at once', false],
    ['in its own time', true],
  ])('is read to where it is wanted, taken %s', async (_, slowly) => {
    const into = Buffer.alloc(bytes.length);
    // Twice: the connection is the same, and its next answer begins anew.
    for (let again = 0; again < 2; again++) {
      let [at, inPlace] = [0, 0];
      into.fill(0);
      const { status } = await take(name, '/counted', {
        room: () => into.subarray(at, at + 500_000),
        onData(piece) {
          if (piece.buffer === into.buffer && piece.byteOffset === into.byteOffset + at) inPlace += piece.length;
          else into.set(piece, at);
          at += piece.length;
          return slowly ? new Promise((resolve) => setTimeout(resolve, 1)) : undefined;
        },
      });
      expect(status).toBe(200);
      expect(at).toBe(bytes.length);
      expect(into.equals(bytes)).toBe(true);
      if (!slowly) expect(inPlace).toBeGreaterThan(bytes.length / 2);
    }
  });

  it('that is the last of its connection is whole, however long its pieces are being taken', async () => {
    const got: Buffer[] = [];
    await take(name, '/last', {
      async onData(piece) {
        got.push(Buffer.from(piece));
        await new Promise((resolve) => setTimeout(resolve, 2));
      },
    });
    expect(Buffer.concat(got).equals(bytes)).toBe(true);
  });

  it('comes with memory of its own while there is no room, or what comes is not only the body', async () => {
    for (const target of ['/counted', '/chunked']) {
      const theirs = Buffer.alloc(500_000, 7);
      const got: Buffer[] = [];
      await take(name, target, {
        room: () => (target === '/chunked' ? theirs : undefined),
        onData: (piece) => void got.push(Buffer.from(piece)),
      });
      expect(Buffer.concat(got).equals(bytes)).toBe(true);
      expect(theirs.every((byte) => byte === 7)).toBe(true);
    }
  });
});

describe('the wire', () => {
  it.each([[100_000], [100_001], [1]])(
    'takes nothing that came behind a body for the next answer, with room for %i bytes',
    async (room) => {
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
      let at = 0;
      await wire.send({
        ...ask,
        room: () => into.subarray(at, room === 1 ? at + 1 : room),
        onData: (piece) => void (at += piece.length),
      });
      expect(at).toBe(100_000);
      const next = await wire.send(ask);
      expect(Buffer.from(next.body).toString()).toBe('real');
      expect(connections).toBe(2);
      server.close();
    },
  );

  it('listens to no signal whose request is over, or Node would keep each that is made of another', async () => {
    const stop = new AbortController();
    const signals = Array.from({ length: 3 }, () => AbortSignal.any([stop.signal]));
    for (const signal of signals)
      await wire.send({ method: 'HEAD', origin: origins['http']!, target: '/counted', headers: { host: 'store' }, signal });
    await vi.waitFor(() => expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]), 10_000);
    // Heard again when there is another.
    const again = wire.send({
      method: 'GET',
      origin: origins['http']!,
      target: '/counted',
      headers: { host: 'store' },
      signal: signals[0]!,
      onData: () => stop.abort(),
    });
    await expect(again).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('hands over no piece while the last one is still being taken', async () => {
    const pieces = Array.from({ length: 40 }, (_, i) => `piece ${i};`);
    const server = createServer((socket) => {
      const chunks = pieces.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = originOf(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    let [busy, text] = [0, ''];
    const { status } = await wire.send({
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

  it('gives up on a server that says nothing also when it was closed, and keeps no connection then', async () => {
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
    const own = new NodeHttpClient({ stallSeconds: 5 });
    const ask = (target: string) => own.send({ method: 'GET', origin, target, headers: {}, signal: never });
    try {
      for (let i = 0; i < 2; i++) {
        const stalled = expect(ask('/silent')).rejects.toMatchObject({ code: 'Stalled' });
        own.close();
        vi.advanceTimersByTime(7000);
        await stalled;
      }
      expect(await ask('/')).toMatchObject({ status: 200 });
      await vi.waitFor(() => expect(open.size).toBe(0), 10_000);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      server.close();
    }
  });
});
