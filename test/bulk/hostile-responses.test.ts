import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NodeHttpClient } from '../../src/bulk/node/http/http-client.js';
import { originOf } from '../../src/bulk/http/http-client.js';
import type { HttpResponse } from '../../src/bulk/http/http-client.js';

const GOOD = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood';
const EVIL = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil';
const MiB = 1024 * 1024;
/** Ends the connection in the place of a piece. */
const END = Symbol('end');

/** A line that is repeated for 64 MiB, or until the client closes the connection. */
const endless = (line: string): string[] => Array.from({ length: 64 }, () => line.repeat(Math.ceil(MiB / line.length)));

let server: Server | undefined;
let client: NodeHttpClient | undefined;
afterEach(() => {
  client?.close();
  server?.close();
});

/** Starts a server that sends the given pieces on its first connection and a good response on every other. */
async function serve(...pieces: (string | typeof END)[]) {
  const sockets: Socket[] = [];
  const started = createServer((socket) => {
    const isFirst = sockets.push(socket) === 1;
    socket.on('error', () => {});
    socket.on('data', () => (isFirst ? void sendPieces(socket, pieces) : socket.write(GOOD)));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const origin = originOf(new URL(`http://127.0.0.1:${(started.address() as AddressInfo).port}`));
  const connected = new NodeHttpClient({ stallSeconds: 5 });
  client = connected;
  const request = (method = 'GET'): Promise<HttpResponse> =>
    connected.send({ method, origin, target: '/', headers: { host: 'store' }, signal: new AbortController().signal });
  return { request, sockets };
}

async function sendPieces(socket: Socket, pieces: (string | typeof END)[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (piece === END) return void socket.end();
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(piece, 'latin1', () => (socket.off('close', resolve), resolve()));
    });
  }
}

const text = ({ body }: HttpResponse): string => new TextDecoder().decode(body);

/** A server that stays silent fails requests as well, but with the code `Stalled`. */
const expectRejection = (request: Promise<HttpResponse>, message: string) =>
  expect(request).rejects.toMatchObject({ code: 'ConnectionFailed', message: expect.stringContaining(message) });

describe('the HTTP client rejects a smuggled response', () => {
  it.each([
    [
      'has a length and a transfer coding',
      'Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'both Content-Length',
    ],
    ['has two lengths', 'Content-Length: 4\r\nContent-Length: 40\r\n\r\ngood', 'content length 4, 40'],
    ['has a signed length', 'Content-Length: +4\r\n\r\ngood', 'content length +4'],
    ['has a hexadecimal length', 'Content-Length: 0x4\r\n\r\ngood', 'content length 0x4'],
    ['has a length beyond all integers', 'Content-Length: 99999999999999999999\r\n\r\ngood', 'content length 9999'],
    [
      'is chunked twice',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'transfer coding chunked, chunked',
    ],
    ['has an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n', 'transfer coding xchunked'],
    ['has a space before a colon', 'Content-Length : 4\r\n\r\ngood', 'header without a valid name'],
    ['has a folded header', 'X: a\r\n Content-Length: 4\r\n\r\ngood', 'header without a valid name'],
    ['has a header without a name', ': 4\r\n\r\ngood', 'header without a valid name'],
    ['has a signed chunk size', 'Transfer-Encoding: chunked\r\n\r\n+4\r\ngood\r\n0\r\n\r\n', 'chunk without a valid size'],
    ['has an empty chunk size', 'Transfer-Encoding: chunked\r\n\r\n;a\r\ngood\r\n0\r\n\r\n', 'chunk without a valid size'],
    [
      'has a bare line feed in a chunk line',
      'Transfer-Encoding: chunked\r\n\r\n4;\ngood\r\n0\r\n\r\n',
      'chunk without a valid size',
    ],
    [
      'has a chunk longer than its size',
      'Transfer-Encoding: chunked\r\n\r\n3\r\ngood\r\n0\r\n\r\n',
      'chunk longer than its size',
    ],
  ])('that %s', async (_, rest, message) => {
    const { request } = await serve(`HTTP/1.1 200 OK\r\n${rest}`);
    await expectRejection(request(), message);
    expect(text(await request())).toBe('good');
  });

  it.each([
    [
      'is chunked in HTTP/1.0',
      'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n',
      'transfer coding in HTTP/1.0',
    ],
    ['upgrades the connection', `HTTP/1.1 101 Switching Protocols\r\n\r\n${EVIL}`, 'upgrade'],
    ['has a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 4\r\n\r\ngood', 'no HTTP response'],
    ['is of another protocol', 'HTTP/2 200 OK\r\nContent-Length: 4\r\n\r\ngood', 'no HTTP response'],
  ])('that %s', async (_, response, message) => {
    const { request } = await serve(response);
    await expectRejection(request(), message);
    expect(text(await request())).toBe('good');
  });
});

describe('the HTTP client discards a split response', () => {
  it.each([
    ['after a length', `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst${EVIL}`, 'GET', 'first'],
    [
      'after the last chunk',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n${EVIL}`,
      'GET',
      'first',
    ],
    ['after an empty body', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${EVIL}`, 'GET', ''],
    ['after 204', `HTTP/1.1 204 No Content\r\n\r\n${EVIL}`, 'GET', ''],
    ['after 304', `HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n${EVIL}`, 'GET', ''],
    ['after a response to HEAD', `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n${EVIL}`, 'HEAD', ''],
  ])('%s in one packet', async (_, response, method, body) => {
    const { request, sockets } = await serve(response);
    expect(text(await request(method))).toBe(body);
    expect(text(await request())).toBe('good');
    expect(sockets).toHaveLength(2);
  });

  it('that arrives while the connection is idle', async () => {
    const { request, sockets } = await serve('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst');
    expect(text(await request())).toBe('first');
    sockets[0]!.write(EVIL);
    await expect.poll(() => sockets[0]!.destroyed).toBe(true);
    expect(text(await request())).toBe('good');
  });

  it.each([
    ['a line feed', 'X: a\nContent-Length: 4'],
    ['a carriage return', 'X: a\rContent-Length: 4'],
    ['a null byte', 'X: a\0b'],
  ])('that %s in a header value would begin', async (_, header) => {
    const { request } = await serve(`HTTP/1.1 200 OK\r\n${header}\r\n\r\ngood`);
    await expectRejection(request(), 'line break in the header x');
    expect(text(await request())).toBe('good');
  });
});

describe('the HTTP client bounds', () => {
  const START = 'HTTP/1.1 200 OK\r\n';
  const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`;
  it.each([
    ['headers', [START, ...endless('X-Header: value\r\n')], 'head or chunk line longer than 64 KiB'],
    ['one header', [`${START}X: `, ...endless('x')], 'head or chunk line longer than 64 KiB'],
    ['interim responses', endless('HTTP/1.1 100 Continue\r\n\r\n'), 'interim responses without end'],
    ['a chunk extension', [`${CHUNKED}4;`, ...endless('x')], 'head or chunk line longer than 64 KiB'],
    ['trailers', [`${CHUNKED}0\r\n`, ...endless('X-Trailer: value\r\n')], 'trailers longer than 64 KiB'],
  ])('endless %s', async (_, pieces, message) => {
    const { request } = await serve(...pieces);
    await expectRejection(request(), message);
    expect(text(await request())).toBe('good');
  });

  it('a body that it has to hold', async () => {
    const { request } = await serve(`${START}\r\n`, ...endless('x'), ...endless('x'));
    await expect(request()).rejects.toMatchObject({ code: 'UnexpectedAnswer', message: expect.stringContaining('too large') });
  });
});

describe('the HTTP client rejects a body of the wrong length', () => {
  it.each([
    ['shorter than its length', 'Content-Length: 9\r\n\r\nshort'],
    ['without its last chunk', 'Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n'],
    ['cut within a chunk', 'Transfer-Encoding: chunked\r\n\r\n9\r\nshort'],
    ['cut within its trailers', 'Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\nX: '],
    ['cut within its head', 'Content-Le'],
  ])('that is %s', async (_, rest) => {
    const { request } = await serve(`HTTP/1.1 200 OK\r\n${rest}`, END);
    await expectRejection(request(), 'closed the connection before');
    expect(text(await request())).toBe('good');
  });

  it('that is longer than its length', async () => {
    const { request, sockets } = await serve('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngoodbye');
    expect(text(await request())).toBe('good');
    expect(text(await request())).toBe('good');
    expect(sockets).toHaveLength(2);
  });
});
