import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { BlobServiceOptions } from '../../server/service/index.js';
import { bytesOf } from './bytes-of.js';
import { putClockForward, resetClock, untilFreshMinute } from '../support/process-clock.js';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';
import { getSignedUrl } from './presign.js';
import { httpRequest, signer, urlOf } from './signing.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
afterEach(() => endpoint.stop());

/** The head of a signed PUT with an unsigned body. */
async function headOfPut(path: string, length: number, more: Record<string, string> = {}): Promise<string> {
  const headers = { ...more, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-length': String(length) };
  const signed = await signer(endpoint.pair).sign(httpRequest('PUT', endpoint.host, path, {}, headers));
  const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`);
  return [`PUT ${urlOf(signed)} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

describe('/metrics', () => {
  it('counts S3 requests by command, status and code, without names', async () => {
    endpoint = await TestEndpoint.start();
    const s3 = endpoint.client();
    for (const Key of ['secret-name/1', 'secret-name/2']) await s3.send(new PutObjectCommand({ Bucket, Key, Body: '12345' }));
    await bytesOf((await s3.send(new GetObjectCommand({ Bucket, Key: 'secret-name/1' }))).Body);
    await s3.send(new GetObjectCommand({ Bucket, Key: 'secret-name/3' })).catch(() => {});
    await endpoint.fetch('/main/secret-name/1');
    const metrics = async () => (await fetch(`${endpoint.restUrl}/metrics`)).text();
    // A request ends a moment after its response.
    await expect.poll(metrics).toContain('svc_s3_requests_in_progress 0');
    const text = await metrics();
    expect(text).toContain('svc_s3_request_duration_seconds_count{command="PutObject",status="200"} 2');
    expect(text).toContain('svc_s3_request_duration_seconds_count{command="GetObject",status="200"} 1');
    expect(text).toContain('svc_s3_errors_total{code="NoSuchKey"} 1');
    expect(text).toContain('svc_s3_errors_total{code="AccessDenied"} 1');
    expect(Number(/svc_s3_bytes_total\{direction="in"\} (\d+)/.exec(text)![1])).toBeGreaterThanOrEqual(10);
    expect(Number(/svc_s3_bytes_total\{direction="out"\} (\d+)/.exec(text)![1])).toBeGreaterThan(5);
    expect(text).not.toMatch(/secret-name|SVC[A-Z2-7]{17}/);
  });
});

describe('the S3 rate limit', () => {
  afterEach(resetClock);

  /** Starts an endpoint whose clock reaches no full minute within the test. */
  async function start(rateLimits: NonNullable<BlobServiceOptions['rateLimits']>): Promise<void> {
    endpoint = await TestEndpoint.start({ rateLimits });
    putClockForward(untilFreshMinute());
  }

  it('applies to an account and returns Retry-After', async () => {
    await start({ s3: 3, minute: 1 });
    const put = (pair = endpoint.pair) => endpoint.send('PUT', '/main/x', { body: 'x', pair });
    for (const pair of [endpoint.pair, await endpoint.newPair(), endpoint.pair]) expect((await put(pair)).status).toBe(200);
    const refused = await put();
    expect(refused).toMatchObject({ status: 503, code: 'SlowDown' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    const form = signedForm(endpoint.pair, Bucket, { key: 'form' }, [{ key: 'form' }]);
    expect(await endpoint.fetch('/main', { method: 'POST', body: form })).toMatchObject({ status: 503, code: 'SlowDown' });
    expect((await endpoint.stored()).keys).toEqual(['x']);

    // Wrong signatures do not count. Other accounts and REST have their own limits.
    await endpoint.service.core.accounts.ensure('stranger');
    expect((await endpoint.send('GET', '/stranger', { pair: await endpoint.newPair({}, 'stranger') })).status).toBe(200);
    const stats = await fetch(`${endpoint.restUrl}/v1/stats`, { headers: { authorization: `Bearer ${endpoint.apiKey}` } });
    expect(stats.status).toBe(200);
  });

  it('applies to the network for anonymous listings', async () => {
    await start({ route: 2 });
    await endpoint.client().send(new CreateBucketCommand({ Bucket: 'open-bucket', ACL: 'public-read' }));
    await endpoint.client().send(new PutObjectCommand({ Bucket: 'open-bucket', Key: 'x', Body: 'x', ACL: 'public-read' }));
    const list = () => endpoint.fetch('/open-bucket?list-type=2');
    expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
    const refused = await list();
    expect(refused).toMatchObject({ status: 503, code: 'SlowDown' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await endpoint.fetch('/open-bucket/x')).status).toBe(200);
    expect((await endpoint.send('GET', '/open-bucket')).status).toBe(200);
  });

  it('does not count requests with a wrong signature', async () => {
    await start({ s3: 1 });
    const wrong = { ...endpoint.pair, secretAccessKey: 'no' };
    for (let count = 0; count < 3; count++)
      expect(await endpoint.send('GET', '/main', { pair: wrong })).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect((await endpoint.send('GET', '/main')).status).toBe(200);
  });
});

describe('a slow S3 body', () => {
  const minimumRate = { bytesPerSecond: 1000, windowSeconds: 1 };

  /** Sends pieces until the service closes the connection. */
  async function drip(pieces: string[]): Promise<string> {
    const { hostname, port } = new URL(endpoint.url);
    const socket = connect(Number(port), hostname);
    let response = '';
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => {}));
    socket.on('data', (chunk) => (response += chunk.toString('latin1')));
    for (const piece of pieces) {
      if (!socket.writable || response !== '') break;
      socket.write(piece);
      // The pause makes the client slow, which is the subject of these tests.
      await sleep(100);
    }
    // A client that disconnects first gets no response.
    if (response === '') await Promise.race([once(socket, 'data'), closed]);
    socket.end();
    await closed;
    return response;
  }

  it('is rejected with RequestTimeout and holds no resources', async () => {
    endpoint = await TestEndpoint.start({ minimumRate });
    const response = await drip([await headOfPut('/main/slow', 100_000), ...Array.from({ length: 60 }, () => 'x')]);
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*<Code>RequestTimeout<\/Code>/);
    await expect.poll(() => endpoint.stored()).toEqual({ keys: [], reservations: 0 });
  });

  it('may take long above the minimum rate', async () => {
    endpoint = await TestEndpoint.start({ minimumRate });
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(300));
    expect(await drip([await headOfPut('/main/steady', 9000), ...pieces])).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('an unread S3 response', () => {
  it('is closed with its connection', async () => {
    endpoint = await TestEndpoint.start({ minimumRate: { bytesPerSecond: 1000, windowSeconds: 0.3 } });
    const s3 = endpoint.client();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'big', Body: Buffer.alloc(32 * 1024 * 1024) }));
    const { hostname, port, pathname, search } = new URL(await getSignedUrl(endpoint, endpoint.pair, '/main/big', 60));
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    const metrics = async () => (await fetch(`${endpoint.restUrl}/metrics`)).text();
    await expect.poll(metrics).toContain('svc_connections_closed_total{reason="slow"} 1');
    await expect.poll(metrics).toContain('svc_s3_requests_in_progress 0');
    socket.destroy();
  });
});

describe('an S3 body that is rejected before it arrives', () => {
  it.each([
    ['as it begins', 0],
    ['half-way', 1_000_000],
  ])('sends the rejection to a client that continues to send: %s', async (_when, first) => {
    endpoint = await TestEndpoint.start();
    await endpoint.client().send(new PutObjectCommand({ Bucket, Key: 'existing', Body: 'first' }));
    const { hostname, port } = new URL(endpoint.url);
    const socket = connect(Number(port), hostname);
    const failed = new Promise<never>((_, reject) => socket.once('error', reject));
    let responses = '';
    socket.on('data', (chunk) => (responses += chunk.toString('latin1')));
    const write = (bytes: string | Buffer) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    const length = 12_000_000;
    const head = await headOfPut('/main/existing', length, { 'if-none-match': '*' });
    await Promise.race([write(Buffer.concat([Buffer.from(head), Buffer.alloc(first)])), failed]);
    await expect.poll(() => responses).toMatch(/^HTTP\/1\.1 412 [^]*<Code>PreconditionFailed<\/Code>[^]*<\/Error>$/);
    // The rest of the body arrives, and the connection can be used again.
    await Promise.race([write(Buffer.alloc(length - first)), failed]);
    await write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 412', 'HTTP/1.1 403']);
    socket.destroy();
    expect(await endpoint.stored()).toEqual({ keys: ['existing'], reservations: 0 });
  });

  it('is disconnected if it continues slowly', async () => {
    endpoint = await TestEndpoint.start({ minimumRate: { bytesPerSecond: 1000, windowSeconds: 1 } });
    const { hostname, port } = new URL(endpoint.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    let response = '';
    socket.on('data', (chunk) => (response += chunk.toString('latin1')));
    socket.write('PUT /main/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n');
    const dripping = setInterval(() => socket.write('x'), 50);
    // `once` would reject if a byte meets the closed connection.
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dripping);
    expect(response).toMatch(/^HTTP\/1\.1 403 [^]*<Code>AccessDenied<\/Code>/);
    expect(await endpoint.stored()).toEqual({ keys: [], reservations: 0 });
  });
});

describe('a stopping S3 endpoint', () => {
  it('finishes running uploads and downloads and accepts no new connections', async () => {
    endpoint = await TestEndpoint.start();
    const large = randomBytes(40_000_000);
    await endpoint.client().send(new PutObjectCommand({ Bucket, Key: 'large', Body: large }));
    const { hostname, port } = new URL(endpoint.url);
    const agent = new Agent({ keepAlive: true });
    const signed = await getSignedUrl(endpoint, endpoint.pair, '/main/large', 60);
    const download = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request(signed, { agent }, resolve).on('error', reject).end();
    });
    const upload = connect(Number(port), hostname);
    let response = '';
    upload.on('data', (chunk) => (response += chunk.toString('latin1')));
    const ended = new Promise<void>((resolve) => upload.once('close', () => resolve()));
    const half = 'x'.repeat(200_000);
    upload.write(`${await headOfPut('/main/running', 2 * half.length)}${half}`);
    await expect.poll(async () => (await endpoint.stored()).reservations).toBe(1);

    const stopped = endpoint.service.close();
    await expect(fetch(`${endpoint.url}/main`)).rejects.toThrow();
    upload.write(half);
    await ended;
    expect(response).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i);
    const chunks: Buffer[] = [];
    for await (const chunk of download) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
    await stopped;
    agent.destroy();

    const { dataDir } = endpoint;
    endpoint = await TestEndpoint.start({ dataDir });
    expect((await endpoint.stored()).keys).toEqual(['large', 'running']);
  });
});

describe('the S3 request log', () => {
  it('contains every request without credentials, signatures and policies', async () => {
    const lines: string[] = [];
    const write = (...fields: unknown[]) => void lines.push(inspect(fields, { depth: 10, maxStringLength: 100_000 }));
    const logger = { level: 'trace', silent: () => {}, child: () => logger } as unknown as Record<string, unknown>;
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace']) logger[level] = write;
    endpoint = await TestEndpoint.start({ logger: logger as never });
    const { pair } = endpoint;
    const secrets = [pair.secretAccessKey, endpoint.apiKey];

    const s3 = endpoint.client();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'logged', Body: 'x' }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'none' }));
    for (const path of ['/main/logged', '/main/not-there']) {
      const url = await getSignedUrl(endpoint, pair, path, 60);
      secrets.push(new URL(url).searchParams.get('X-Amz-Signature')!);
      await fetch(url);
      await fetch(`${url}&x=1`);
    }
    const form = signedForm(pair, Bucket, { key: 'form' }, [{ key: 'form' }]);
    secrets.push(String(form.get('policy')), String(form.get('x-amz-signature')));
    await endpoint.fetch('/main', { method: 'POST', body: form });
    const link = await fetch(`${endpoint.restUrl}/v1/files?limit=1`, { headers: { authorization: `Bearer ${endpoint.apiKey}` } });
    expect(link.status).toBe(200);
    await fetch(`${endpoint.restUrl}/f/main/logged?expires=9999999999&signature=abcdef`);
    secrets.push('signature=', 'X-Amz-Signature', 'Authorization', 'AWS4-HMAC');

    const logText = lines.join('\n');
    for (const command of ['PutObject', 'DeleteObject', 'GetObject', 'PostObject'])
      expect(logText).toContain(`command: '${command}'`);
    expect(logText.match(new RegExp(`accessKeyId: '${pair.accessKeyId}'`, 'g'))).toHaveLength(5);
    for (const secret of secrets) expect(logText).not.toContain(secret);
  });

  it('does not log an unsupported operation as a failure', async () => {
    const levels: string[] = [];
    const logger = { level: 'trace', silent: () => {}, child: () => logger } as unknown as Record<string, unknown>;
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      logger[level] = (fields: { s3?: object }) => void (fields.s3 && levels.push(level));
    endpoint = await TestEndpoint.start({ logger: logger as never });
    expect((await endpoint.fetch('/main?policy')).status).toBe(501);
    await expect.poll(() => levels).toEqual(['info']);
  });
});
