import { mkdtemp } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBlobService } from '../../server/service/index.js';
import { TestService } from './support.js';

const MAIN = 'main.example.org';
const FILES = 'files.example.org';

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ publicUrl: `https://${MAIN}`, deliveryUrl: `https://${FILES}/` });
});
afterAll(() => service.stop());

/** Sends a request to the address of a URL, with its host in the `Host` header. */
function send(url: string, { method = 'GET', headers = {}, body = '' } = {}): Promise<Reply> {
  const { host, pathname, search } = new URL(url);
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path: pathname + search, headers: { ...headers, host } };
    httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    })
      .once('error', reject)
      .end(body);
  });
}

const onMain = (url: string) => url.replace(FILES, MAIN);

describe('an origin for stored files', () => {
  it('serves public files, temporary links and shares, and their addresses name it', async () => {
    const { response: file } = await service.put('public/a.txt?visibility=public', 'public');
    const link = await service.call<{ url: string }>('POST', `/v1/files/${file.id}/links`, { body: { expires_in: 60 } });
    const share = await service.call<{ url: string }>('POST', '/v1/shares', { body: { path: 'public/a.txt' } });

    for (const url of [file.url!, link.response.url, share.response.url]) {
      expect(new URL(url).origin).toBe(`https://${FILES}`);
      expect(await send(url)).toMatchObject({ status: 200, text: 'public' });
      const moved = await send(onMain(url));
      expect([moved.status, moved.headers.location]).toEqual([308, url]);
    }
  });

  it('opens a share with its password, and refuses the form on the other origin', async () => {
    await service.put('public/secret.txt', 'secret');
    const body = { path: 'public/secret.txt', password: 'open sesame' };
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', { body });
    const submit = (url: string, origin: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin };
      return send(url, { method: 'POST', headers, body: 'password=open+sesame' });
    };

    expect((await submit(response.url, `https://${MAIN}`)).status).toBe(403);
    expect((await submit(onMain(response.url), `https://${MAIN}`)).status).toBe(404);
    const unlocked = await submit(response.url, `https://${FILES}`);
    expect(unlocked.status).toBe(303);
    const cookie = unlocked.headers['set-cookie']![0]!.split(';')[0]!;
    expect(await send(response.url, { headers: { cookie } })).toMatchObject({ status: 200, text: 'secret' });
  });

  it('serves pages of upload requests, which load the element and upload elsewhere', async () => {
    const body = { prefix: 'inbox', mode: 'upload' };
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', { body });

    const page = await send(response.url, { headers: { accept: 'text/html' } });

    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain(`script-src https://${MAIN}/element/`);
    expect(page.headers['content-security-policy']).toContain(`connect-src 'self' https://${MAIN}`);
    expect(page.text).toContain(`https://${MAIN}/element/svc-uploader.js`);
    const granted = await send(`${response.url}/upload-tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `https://${FILES}` },
      body: JSON.stringify({ files: [{ name: 'a.txt', size: 1, type: '' }], reason: 'start' }),
    });
    expect(JSON.parse(granted.text)).toMatchObject({ url: `https://${MAIN}` });
  });

  it.each(['/v1/files', '/v1/stats', '/console', '/sign-in', '/docs', '/metrics', '/unknown', '/'])(
    'does not serve %s',
    async (path) => {
      expect((await send(`https://${FILES}${path}`)).status).toBe(404);
    },
  );

  it('responds to load balancers, which use any name', async () => {
    expect((await send(`https://${FILES}/readyz`)).status).toBe(200);
  });

  it('leaves reading with a key on the other origin', async () => {
    const { response: file } = await service.put('public/b.txt', 'b');
    const headers = { authorization: `Bearer ${service.key}` };

    expect((await send(`https://${MAIN}/v1/files/${file.id}/content`, { headers })).text).toBe('b');
    expect((await send(`https://${FILES}/v1/files/${file.id}/content`, { headers })).status).toBe(404);
  });
});

it.each([
  [{ deliveryUrl: `https://${FILES}` }, 'deliveryUrl needs publicUrl'],
  [{ publicUrl: `https://${MAIN}/`, deliveryUrl: `https://${MAIN}` }, 'must have another host'],
  [{ publicUrl: `https://${MAIN}`, deliveryUrl: `https://${FILES}/files` }, 'must be an origin without a path'],
])('the service refuses to start with %j', async (options, message) => {
  await expect(createBlobService({ dataDir: await mkdtemp(join(tmpdir(), 'svc-origin-')), ...options })).rejects.toThrow(message);
});
