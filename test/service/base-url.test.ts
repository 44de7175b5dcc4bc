import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobServiceOptions } from '../../server/service/index.js';
import { TestService } from './support.js';

/** Uploads a public file with these header lines. @returns the status and the `url` of the file. */
function put(service: TestService, headers: string[]): Promise<{ status: number; url: string | undefined; text: string }> {
  const { hostname, port } = new URL(service.ownUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `PUT /v1/files/a.txt?visibility=public&overwrite=true HTTP/1.1\r\nAuthorization: Bearer ${service.key}\r\n` +
          `Content-Type: text/plain\r\nContent-Length: 1\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\nx`,
      ),
    );
    socket.on('data', (data) => (text += data.toString()));
    socket.once('error', reject);
    socket.once('close', () => {
      resolve({ status: Number(text.split(' ')[1]), url: /"url":"([^"]*)"/.exec(text)?.[1], text });
    });
  });
}

async function withService(options: BlobServiceOptions, work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await TestService.start(options);
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

describe('the base URL of responses without --public-url', () => {
  let service: TestService;
  beforeAll(async () => void (service = await TestService.start()));
  afterAll(() => service.stop());

  it.each(['localhost:8080', 'blob.localhost', '127.0.0.1:81', '[::1]:80', '192.168.1.9', 'blob:8080'])(
    'is the local host %s that the client names',
    async (host) => expect((await put(service, [`Host: ${host}`])).url).toBe(`http://${host}/f/main/a.txt`),
  );

  it.each([
    'evil.example',
    'evil.example:80',
    '203.0.113.9',
    'localhost.evil.example',
    'a@evil.example',
    'a/b',
    '"><',
    '[::1',
    '',
  ])('is the address of the connection if the Host header is %j', async (host) => {
    const { status, url } = await put(service, [`Host: ${host}`, 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https']);
    expect([201, 200]).toContain(status);
    expect(url).toBe(`${service.ownUrl}/f/main/a.txt`);
  });

  it('is the host that a trusted proxy forwards', () =>
    withService({ trustedProxies: ['127.0.0.1'] }, async (behind) => {
      const forwarded = ['Host: evil.example', 'X-Forwarded-Host: files.example.org', 'X-Forwarded-Proto: https'];
      expect((await put(behind, forwarded)).url).toBe('https://files.example.org/f/main/a.txt');
      expect((await put(behind, ['Host: evil.example'])).url).toBe(`${behind.ownUrl}/f/main/a.txt`);
    }));

  it('is never the Host header with --public-url', () =>
    withService({ publicUrl: 'https://files.example.org/' }, async (named) =>
      expect((await put(named, ['Host: localhost'])).url).toBe('https://files.example.org/f/main/a.txt'),
    ));
});

describe('a header that may appear only once', () => {
  let service: TestService;
  beforeAll(async () => void (service = await TestService.start()));
  afterAll(() => service.stop());

  it.each([
    ['Host', ['Host: localhost', 'Host: evil.example']],
    ['Host, the same twice', ['Host: localhost', 'host: localhost']],
    ['Authorization', ['Host: localhost', 'Authorization: Bearer other']],
  ])('is rejected if it is repeated: %s', async (_, headers) => {
    const { status, text } = await put(service, headers);
    expect([status, text]).toEqual([400, expect.stringContaining('VALIDATION_ERROR')]);
  });
});
