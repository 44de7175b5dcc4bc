import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateCacheControl } from '../../server/service/http/cache-control.js';
import { TestEndpoint } from './start-endpoint.js';
import { getSignedUrl } from './presign.js';
import { httpRequest, signer, urlOf } from './signing.js';

let endpoint: TestEndpoint;
beforeAll(async () => void (endpoint = await TestEndpoint.start()));
afterAll(() => endpoint.stop());

/** Values of owners and the resulting Cache-Control of a private file. */
const STATED: [stated: string, expected: string][] = [
  ['public, max-age=31536000, private=set-cookie', 'private, no-cache'],
  ['private, s-maxage=600', 'private'],
  ['public, no-cache, max-age=60', 'private, no-cache, max-age=60'],
  ['Private, PUBLIC, S-MaxAge=60, max-age=5', 'private, max-age=5'],
  ['no-store', 'private, no-store'],
  ['no-cache="set-cookie", public', 'private, no-cache'],
  ['max-age=60', 'private, no-cache'],
  ['extension="private", s-maxage=60', 'private, no-cache'],
  ['x-private, public', 'private, no-cache'],
  ['public private', 'private, no-cache'],
  ['private, extension="a, public, b"', 'private, extension="a, public, b"'],
  [',, private ,\t, max-age=1, max-age=2,', 'private, max-age=1'],
  ['private, bad="', 'private, no-cache'],
  ['private; max-age=1', 'private, no-cache'],
];

describe('the Cache-Control of a private file', () => {
  it.each(STATED)('%s becomes %s', (stated, expected) => {
    expect(privateCacheControl(stated)).toBe(expected);
    // A value that was produced is not changed again.
    expect(privateCacheControl(expected)).toBe(expected);
  });

  it('is the default if the owner set none or a too long one', () => {
    expect(privateCacheControl(null)).toBe('private, no-cache');
    expect(privateCacheControl(`private${', a'.repeat(1000)}`)).toBe('private, no-cache');
    expect(privateCacheControl(`private${' '.repeat(900)}"`)).toBe('private, no-cache');
  });
});

describe('a private file with a public Cache-Control', () => {
  const call = async (method: string, path: string, body: BodyInit | object) =>
    fetch(endpoint.restUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${endpoint.apiKey}`,
        ...(typeof body === 'object' && { 'content-type': 'application/json' }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('is never publicly cacheable by its content route, a link, a share or a presigned URL', async () => {
    const query = new URLSearchParams({ cache_control: 'public, s-maxage=600, max-age=60, no-cache="x"' });
    const { response: file } = (await (await call('PUT', `/v1/files/folder/secret.txt?${query}`, 'secret')).json()) as {
      response: { id: string };
    };
    const link = (await (await call('POST', `/v1/files/${file.id}/links`, {})).json()) as { response: { url: string } };
    const share = (await (await call('POST', '/v1/shares', { prefix: 'folder' })).json()) as { response: { url: string } };
    const addresses = [
      [`${endpoint.restUrl}/v1/files/${file.id}/content`, { authorization: `Bearer ${endpoint.apiKey}` }],
      [link.response.url, {}],
      [`${share.response.url.replace(/\/$/, '')}/secret.txt`, {}],
      [await getSignedUrl(endpoint, endpoint.pair, '/main/folder/secret.txt', 60), {}],
    ] as const;
    for (const [address, headers] of addresses) {
      const httpResponse = await fetch(address, { headers });
      expect([address, httpResponse.status, await httpResponse.text()]).toEqual([address, 200, 'secret']);
      expect([address, httpResponse.headers.get('cache-control')]).toEqual([address, 'private, no-cache']);
    }
  });

  it('is not made cacheable by a presigned URL', async () => {
    await endpoint.send('PUT', '/main/signed.txt', { body: 'x' });
    const request = httpRequest(
      'GET',
      endpoint.host,
      '/main/signed.txt',
      { 'response-cache-control': 'public, max-age=600' },
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    );
    const httpResponse = await fetch(endpoint.url + urlOf(await signer(endpoint.pair).presign(request, { expiresIn: 60 })));
    expect([httpResponse.status, httpResponse.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  });

  it('keeps its value only for requests that sign their headers', async () => {
    const stated = 'public, max-age=14400';
    await endpoint.send('PUT', '/main/exact.txt', { body: 'x', headers: { 'cache-control': stated } });
    for (const method of ['GET', 'HEAD']) {
      const httpResponse = await endpoint.send(method, '/main/exact.txt');
      expect([httpResponse.headers.get('cache-control'), httpResponse.headers.get('vary')]).toEqual([stated, 'Authorization']);
    }
  });
});

describe('the Cache-Control of a public file', () => {
  it('is the value of its owner unless it is invalid in a header', async () => {
    for (const [stated, expected] of [
      ['public, max-age=60', 'public, max-age=60'],
      [Buffer.from('日本').toString('latin1'), 'public, max-age=0, must-revalidate'],
    ] as const) {
      const headers = { 'cache-control': stated, 'x-amz-acl': 'public-read' };
      expect((await endpoint.send('PUT', '/main/open.txt', { body: 'x', headers })).status).toBe(200);
      const httpResponse = await fetch(`${endpoint.restUrl}/f/main/open.txt`);
      expect([httpResponse.status, httpResponse.headers.get('cache-control')]).toEqual([200, expected]);
    }
  });
});
