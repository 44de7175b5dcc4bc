import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { httpRequest, signer, urlOf } from '../s3-endpoint/signing.js';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService } from '../../server/service/index.js';
import { freePort } from '../support/ports.js';

function has(tool: string): boolean {
  try {
    execFileSync(tool, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// The configuration of the documentation with other names, ports and certificates.
describe.skipIf(!has('nginx'))('the service behind nginx with docs/operations/nginx.conf', () => {
  let folder: string;
  let service: BlobService;
  let nginx: ChildProcess;
  let port: number;
  let key: string;
  let pair: { accessKeyId: string; secretAccessKey: string };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-nginx-'));
    port = await freePort();
    const publicUrl = `https://blob.example.com:${port}`;
    const dataDir = join(folder, 'data');
    service = await createBlobService({ port: 0, s3Port: 0, dataDir, publicUrl, trustedProxies: ['127.0.0.1'] });
    const { url, s3Url } = await service.listen();
    const { secret } = await service.core.keys.create('main', {
      name: 'far away',
      scopes: ['blob:read', 'blob:write'],
      allowedIps: ['127.0.0.1'],
    });
    key = secret;
    const credential = await service.core.s3Credentials.create('main', { name: 'nginx' });
    pair = { accessKeyId: credential.id, secretAccessKey: credential.secret };
    nginx = await startNginx(folder, port, { rest: new URL(url).host, s3: new URL(s3Url!).host });
  });

  afterAll(async () => {
    nginx.kill();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Buffer,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername: 'blob.example.com', rejectUnauthorized: false, method, path };
      const all = { host: `blob.example.com:${port}`, authorization: `Bearer ${key}`, ...headers };
      const call = request({ ...options, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      call.on('error', reject).end(body);
    });
  }

  it('stores and returns 32 MiB, also by range, with an escaped name', async () => {
    const bytes = randomBytes(32 * 1024 * 1024);
    const path = '/v1/files/reports/100%25%20%C3%A9%2Bplus.bin?visibility=public';
    const put = await send('PUT', path, { 'content-type': 'application/octet-stream' }, bytes);
    expect(put.status).toBe(201);
    const { response } = JSON.parse(put.body.toString()) as { response: { url: string; sha256: string; path: string } };
    expect(response.path).toBe('reports/100% é+plus.bin');
    expect(response.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const url = new URL(response.url);
    expect(url.origin).toBe(`https://blob.example.com:${port}`);
    const whole = await send('GET', url.pathname);
    expect(whole.body.equals(bytes)).toBe(true);
    const part = await send('GET', url.pathname, { range: 'bytes=1000000-1000009' });
    expect(part.status).toBe(206);
    expect(part.body.equals(bytes.subarray(1_000_000, 1_000_010))).toBe(true);
  });

  it('continues a resumable upload at its public URL', async () => {
    const half = randomBytes(1024 * 1024);
    const tus = { 'tus-resumable': '1.0.0' };
    const name = Buffer.from('film.bin').toString('base64');
    const created = await send('POST', '/v1/uploads', {
      ...tus,
      'upload-length': '2097152',
      'upload-metadata': `filename ${name}`,
    });
    const location = new URL(created.headers['location'] as string, `https://blob.example.com:${port}`);
    expect(location.origin).toBe(`https://blob.example.com:${port}`);
    const patch = (offset: number) => {
      const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
      return send('PATCH', location.pathname, headers, half);
    };
    expect((await patch(0)).status).toBe(204);
    expect((await send('HEAD', location.pathname, tus)).headers['upload-offset']).toBe('1048576');
    expect((await patch(1_048_576)).headers['upload-offset']).toBe('2097152');
  });

  it('trusts only nginx about the client address', async () => {
    const call = (ip: string) => send('GET', '/v1/stats', { 'x-forwarded-for': ip });
    expect((await call('203.0.113.9')).status).toBe(200);
    const other = await service.core.keys.create('main', { name: 'x', scopes: ['blob:read'], allowedIps: ['203.0.113.9'] });
    const lied = await send('GET', '/v1/stats', { 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${other.secret}` });
    expect(lied.status).toBe(403);
  });

  it('trusts only nginx about the client address over S3', async () => {
    const { core } = service;
    const ask = async (allowedIp: string) => {
      const { id } = await core.keys.create('main', {
        name: 'creator',
        scopes: ['blob:read', 'blob:write'],
        allowedIps: [allowedIp],
      });
      const created = await core.s3Credentials.create('main', { creator: { ...ADMIN_CREATOR, keyId: id } });
      const host = `s3.example.com:${port}`;
      const unsigned = httpRequest('GET', host, '/main', {}, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' });
      const signed = await signer({ accessKeyId: created.id, secretAccessKey: created.secret }).presign(unsigned);
      const headers = { host, 'x-forwarded-for': '203.0.113.9' };
      const options = { host: '127.0.0.1', port, servername: 's3.example.com', rejectUnauthorized: false, path: urlOf(signed) };
      return new Promise((resolve, reject) => {
        const call = request({ ...options, headers }, (response) => resolve(response.resume().statusCode));
        call.on('error', reject).end();
      });
    };
    expect([await ask('127.0.0.1'), await ask('203.0.113.9')]).toEqual([200, 403]);
  });

  it('verifies S3 signatures with escaped keys, metadata with underscores and signed chunks', async () => {
    const agent = new Agent({
      rejectUnauthorized: false,
      lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const client = new S3Client({
      endpoint: `https://s3.example.com:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: pair,
      requestHandler: { httpsAgent: agent },
    });
    const object = { Bucket: 'main', Key: 'a b/100% é+plus.txt' };
    await client.send(new PutObjectCommand({ ...object, Body: 'through', Metadata: { my_name: 'kept' } }));
    const received = await client.send(new GetObjectCommand(object));
    expect(await received.Body!.transformToString()).toBe('through');
    expect(received.Metadata).toEqual({ my_name: 'kept' });
    client.destroy();
  });
});

async function startNginx(folder: string, port: number, to: { rest: string; s3: string }): Promise<ChildProcess> {
  const pem = join(folder, 'server.pem');
  const secret = join(folder, 'server.key');
  const subject = ['-subj', '/CN=blob.example.com', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', secret, '-out', pem, ...subject], {
    stdio: 'ignore',
  });
  const ours = readFileSync('docs/operations/nginx.conf', 'utf8')
    .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${secret};`)
    .replaceAll(/ssl_certificate {5}.*;/g, `ssl_certificate ${pem};`)
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:8080', to.rest)
    .replace('127.0.0.1:9000', to.s3);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/tmp;`).join('\n');
  mkdirSync(join(folder, 'tmp'));
  const conf = join(folder, 'nginx.conf');
  const top = `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\n`;
  writeFileSync(conf, `${top}http {\naccess_log off;\n${temp}\n${ours}\n}\n`);
  const nginx = spawn('nginx', ['-p', folder, '-c', conf], { stdio: 'inherit' });
  await vi.waitFor(async () => expect(await isOpen(port)).toBe(true), 30_000);
  return nginx;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
