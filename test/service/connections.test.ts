import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Connections } from '../../server/service/http/connections.js';
import type { CloseReason, ConnectionOptions } from '../../server/service/http/connections.js';
import { TestService } from './support.js';

const MB = 1024 * 1024;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A client that collects what it receives and can stop reading. */
class Client {
  readonly socket: Socket;
  text = '';
  /** Counted only by `readSlowly`. */
  bytesRead = 0;
  isClosed = false;

  constructor(url: string, { reads = true, allowHalfOpen = false } = {}) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
    this.socket.on('error', () => {}).on('close', () => (this.isClosed = true));
    if (reads) this.read();
    cleanups.push(() => this.socket.destroy());
  }

  read(): void {
    this.socket.on('data', (chunk) => (this.text += chunk.toString('latin1')));
    this.socket.resume();
  }

  /** Stops reading for some time after each chunk. @param pause ms */
  readSlowly(pause: number): void {
    this.socket.on('data', (chunk) => {
      this.bytesRead += chunk.length;
      this.socket.pause();
      // The pause is the slow client that these tests are about.
      setTimeout(() => this.socket.resume(), pause);
    });
    this.socket.resume();
  }

  get(path: string, headers = ''): this {
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    return this;
  }
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** Starts an HTTP server whose connections are limited. */
async function guarded(options: ConnectionOptions, onRequest: RequestListener = (_request, response) => response.end('ok')) {
  const reasons: CloseReason[] = [];
  const connections = new Connections({ ...options, onClose: (reason) => reasons.push(reason) });
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  connections.watch(server);
  await once(server, 'listening');
  cleanups.push(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });
  return { connections, server, reasons, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('connection limits', () => {
  it.each<[string, ConnectionOptions, CloseReason]>([
    ['in total', { limits: { total: 2 } }, 'total'],
    ['of one network', { limits: { perNetwork: 2 }, localRanges: [] }, 'network'],
  ])('close a third connection %s and accept another one after a connection has ended', async (_what, options, reason) => {
    const { url, reasons, connections } = await guarded(options);
    const [first, second] = [new Client(url).get('/'), new Client(url).get('/')];
    await expect.poll(() => [first.text, second.text]).toEqual([1, 2].map(() => expect.stringContaining('200 OK')));
    const third = new Client(url).get('/');
    await expect.poll(() => reasons).toEqual([reason]);
    await expect.poll(() => third.isClosed).toBe(true);
    expect(third.text).toBe('');
    first.socket.destroy();
    await expect.poll(() => connections.count).toBe(1);
    const fourth = new Client(url).get('/');
    await expect.poll(() => fourth.text).toContain('200 OK');
  });

  it.each<[string, ConnectionOptions]>([
    ['loopback addresses', { limits: { perNetwork: 1 } }],
    ['a trusted proxy', { limits: { perNetwork: 1 }, localRanges: [], trustedProxies: ['127.0.0.0/24'] }],
    ['everyone if switched off', { limits: { perNetwork: null, total: null }, localRanges: [] }],
  ])('for one network do not apply to %s', async (_who, options) => {
    const { url, reasons } = await guarded(options);
    const clients = Array.from({ length: 5 }, () => new Client(url).get('/'));
    await expect.poll(() => clients.filter((client) => client.text.includes('200 OK')).length).toBe(5);
    expect(reasons).toEqual([]);
  });

  it('close a connection that pipelines more than 32 running requests', async () => {
    const { url, reasons } = await guarded({}, () => {});
    const patient = new Client(url);
    patient.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(32));
    const greedy = new Client(url);
    greedy.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(33));
    await expect.poll(() => reasons).toEqual(['pipelined']);
    await expect.poll(() => [patient.isClosed, greedy.isClosed]).toEqual([false, true]);
  });
});

describe('a client that reads too slowly', () => {
  // The rate is measured over two seconds.
  const minimumRate = { bytesPerSecond: 10_000, windowSeconds: 0.3 };

  it('is disconnected during texts and streams', async () => {
    const { url, reasons, server } = await guarded({ minimumRate }, (request, response) => {
      if (request.url === '/text') return response.end('x'.repeat(32 * MB));
      for (let count = 0; count < 32; count++) response.write(Buffer.alloc(MB));
      return response.end();
    });
    for (const path of ['/text', '/stream']) new Client(url, { reads: false }).get(path);
    await expect.poll(() => reasons).toEqual(['slow', 'slow']);
    await expect.poll(() => openConnections(server)).toBe(0);
  });

  it('gets a whole text if it reads steadily', async () => {
    const { url, reasons } = await guarded({ minimumRate }, (_request, response) => response.end('x'.repeat(16 * MB)));
    const client = new Client(url, { reads: false });
    client.get('/');
    client.readSlowly(5);
    await expect.poll(() => client.bytesRead).toBeGreaterThan(16 * MB);
    expect(reasons).toEqual([]);
  });

  it('is not disconnected while the kernel hides its progress', async () => {
    const { url, reasons } = await guarded({ minimumRate }, (_request, response) => response.end('x'.repeat(32 * MB)));
    const client = new Client(url, { reads: false });
    client.get('/');
    // Far more than the minimum rate, and far less than a third of the kernel's buffer in a window.
    client.readSlowly(300);
    await expect.poll(() => client.bytesRead > 2 * MB || client.isClosed).toBe(true);
    expect(reasons).toEqual([]);
    client.socket.destroy();
  });

  it('is disconnected early if too many bytes are pending', async () => {
    const { url, reasons, connections } = await guarded({ pendingBytes: 40 * MB }, (_request, response) =>
      response.end('x'.repeat(32 * MB)),
    );
    for (let count = 0; count < 4; count++) new Client(url, { reads: false }).get('/');
    await expect.poll(() => connections.count).toBe(1);
    expect(reasons).toEqual(['memory', 'memory', 'memory']);
  });

  it('is disconnected on both download routes without disturbing others', async () => {
    const service = await TestService.start({ minimumRate });
    cleanups.push(() => service.stop());
    const content = new Uint8Array(24 * MB);
    const { response } = await service.put('big.bin?visibility=public', content);
    const paths = [new URL(response.url!).pathname, `/v1/files/${response.id}/content`];
    const silent = paths.map((path) =>
      new Client(service.ownUrl, { reads: false }).get(path, `Authorization: Bearer ${service.key}\r\n`),
    );
    // Clients notice the end of a connection only when they read.
    await expect
      .poll(async () =>
        (await (await fetch(`${service.ownUrl}/metrics`)).text()).includes('svc_connections_closed_total{reason="slow"} 2'),
      )
      .toBe(true);
    for (const client of silent) client.read();
    await expect.poll(() => silent.map((client) => client.isClosed)).toEqual([true, true]);
    for (const client of silent) expect(client.text.length).toBeLessThan(24 * MB);
    expect((await service.bytesOf(response.id)).length).toBe(24 * MB);
  });
});

describe('a connection after a malformed request', () => {
  it('is closed by the service even if the client keeps its side open', async () => {
    const service = await TestService.start({ s3Port: 0 });
    cleanups.push(() => service.stop());
    const client = new Client(service.ownUrl, { allowHalfOpen: true });
    client.socket.write('nonsense\r\n\r\n');
    await expect.poll(() => client.text).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => openConnections(service.service.app.server)).toBe(0);
  });
});

describe('the Expect header', () => {
  const headers = ['Host: a', 'Connection: close', 'Content-Length: 2'];
  const send = (url: string, request: string, expectation: string, more: string[] = []): Client => {
    const client = new Client(url);
    client.socket.write([request, ...headers, ...more, `Expect: ${expectation}`].join('\r\n') + '\r\n\r\nhi');
    return client;
  };

  it.each(['100-continue', 'something-else'])('%s is handled', async (expectation) => {
    const { url } = await guarded({});
    const client = send(url, 'PUT / HTTP/1.1', expectation);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.text).toMatch(
      expectation === '100-continue' ? /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 / : /^HTTP\/1\.1 417 /,
    );
  });

  it('is handled on both ports', async () => {
    const service = await TestService.start({ s3Port: 0 });
    cleanups.push(() => service.stop());
    const token = [`Authorization: Bearer ${service.key}`];
    const upload = send(service.ownUrl, 'PUT /v1/files/expected.txt HTTP/1.1', '100-continue', token);
    const others = [service.ownUrl, service.s3Url!].map((url) => send(url, 'PUT /main/x HTTP/1.1', 'something-else'));
    await expect.poll(() => [upload, ...others].map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    expect(upload.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(others.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 404 /),
      expect.stringMatching(/^HTTP\/1\.1 417 /),
    ]);
  });
});

describe('an unusual request', () => {
  let service: TestService;
  beforeAll(async () => void (service = await TestService.start({ s3Port: 0 })));
  afterAll(() => service.stop());

  /** Sends the text of a request and returns the response. */
  async function responseTo(url: string, text: string): Promise<string> {
    const client = new Client(url);
    client.socket.write(text);
    await expect.poll(() => client.isClosed).toBe(true);
    return client.text;
  }

  it('with a second Host header after 2,000 others is rejected on both ports', async () => {
    const text = `GET /v1/files HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'a:b\r\n'.repeat(2100)}Host: b\r\n\r\n`;
    for (const url of [service.ownUrl, service.s3Url!]) expect(await responseTo(url, text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('with a compressed transfer coding is rejected', async () => {
    const head = `PUT /v1/files/packed.bin HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\n`;
    const text = `${head}Transfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`;
    expect(await responseTo(service.ownUrl, text)).toMatch(/^HTTP\/1\.1 400 [^]*transfer-encoding/);
    expect(await service.paths()).not.toContain('packed.bin');
  });

  it('that is malformed adds no bytes to a running response', async () => {
    const { response } = await service.put('running.bin', Buffer.alloc(64 * MB, 'x'));
    const client = new Client(service.url, { reads: false });
    client.get(`/v1/files/${response.id}/content`, `Authorization: Bearer ${service.key}\r\n`);
    await once(client.socket, 'readable');
    client.socket.write('no request\r\n\r\n');
    client.read();
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.text.slice(client.text.indexOf('\r\n\r\n') + 4)).toMatch(/^x*$/);
  });
});
