import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestRaw, TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const publish = async (name: string, type: string, fields: Record<string, string> = {}, content = '0123456789') =>
  (await service.upload(content, name, { type, fields: { visibility: 'public', ...fields } })).response;

describe('delivery', () => {
  it('serves a public file to everyone, including scripts of every origin', async () => {
    const file = await publish('a b.txt', 'text/plain');
    const response = await fetch(file.url!);
    expect(await response.text()).toBe('0123456789');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline; filename="a b.txt"',
      'access-control-allow-origin': '*',
      etag: `"${file.etag}"`,
    });
  });

  it.each([
    ['a range outside the file', { Range: 'bytes=99-' }, 416],
    ['If-Match', { 'If-Match': '"other"' }, 412],
    ['If-Unmodified-Since', { 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' }, 412],
  ])('keeps shared caches from storing the error of one client for %s', async (_, headers: Record<string, string>, status) => {
    const cached = { cache_control: 'public, max-age=31536000', overwrite: 'true' };
    const file = await publish('cached.txt', 'text/plain', cached);
    const response = await fetch(file.url!, { headers });
    await response.text();
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'cache-control': 'no-store', etag: `"${file.etag}"` });
    expect([response.status, response.headers.get('content-disposition')]).toEqual([status, null]);
    expect((await fetch(file.url!)).headers.get('cache-control')).toBe('public, max-age=31536000');
  });

  it('responds to HEAD without a body', async () => {
    const file = await publish('head.txt', 'text/plain');
    const response = await fetch(file.url!, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '10', '']);
  });

  it.each([
    '/f/main/public/../secret.txt',
    '/f/main/public/%2e%2e/secret.txt',
    '/f/main/public%2f..%2fsecret.txt',
    '/f/main/public/..%5csecret.txt',
    '/f/main/%c0%ae%c0%ae/secret.txt',
    '/f/main/public/%252e%252e/secret.txt',
    '/f/main//secret.txt',
    '/f/main/./secret.txt',
    '/f/main/public/../../main/secret.txt',
    '/f/../f/main/secret.txt',
    '/f/main/../../etc/passwd',
    '/f/%2e%2e/metadata.db',
    '/f/main/..%2f..%2fmetadata.db',
    '/f/main/secret.txt%00.png',
  ])('finds no file at %s', async (path) => {
    await service.upload('the secret', 'secret.txt', { fields: { overwrite: 'true' } });
    await service.upload('open', 'a.txt', { fields: { prefix: 'public', visibility: 'public', overwrite: 'true' } });
    const { status, text } = await requestRaw(service, 'GET', path);
    expect([400, 404]).toContain(status);
    expect(['INVALID_PATH', 'FILE_NOT_FOUND', 'NOT_FOUND']).toContain(JSON.parse(text).code);
  });

  it('returns its own URLs, whatever host or scheme a header states', async () => {
    const headers = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example;proto=https',
    };
    const file = await service.upload('x', 'own.txt', { fields: { visibility: 'public' }, headers });
    expect(file.response.url).toBe(`${service.url}/f/main/own.txt`);
    const link = await service.call<{ url: string }>('POST', `/v1/files/${file.response.id}/links`, { headers, body: {} });
    expect(link.response.url.startsWith(`${service.url}/f/main/own.txt?`)).toBe(true);
  });

  it('has the same response for private and missing files', async () => {
    await service.upload('secret', 'private.txt');
    for (const path of ['private.txt', 'nothing.txt']) {
      const response = await fetch(`${service.url}/f/main/${path}`);
      expect([response.status, (await response.json()).code]).toEqual([404, 'FILE_NOT_FOUND']);
    }
    expect((await fetch(`${service.url}/f/nobody/private.txt`)).status).toBe(404);
  });

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
  ])('returns the range %s', async (range, status, body, contentRange) => {
    const { id } = (await service.upload('0123456789', `range ${range.replace(/\W/g, '_')}`)).response;
    const response = await fetch(`${service.url}/v1/files/${id}/content`, {
      headers: { Authorization: `Bearer ${service.key}`, Range: range },
    });
    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([status, body, contentRange]);
  });

  it.each(['bytes=10-', 'bytes=-0'])('rejects the range %s', async (range) => {
    const file = await publish(`unsatisfiable ${range.replace(/\W/g, '_')}`, 'text/plain');
    const response = await fetch(file.url!, { headers: { Range: range } });
    expect([response.status, response.headers.get('content-range'), (await response.json()).code]).toEqual([
      416,
      'bytes */10',
      'INVALID_RANGE',
    ]);
  });

  it('handles conditional requests', async () => {
    const file = await publish('cond.txt', 'text/plain');
    const get = async (headers: Record<string, string>) => (await fetch(file.url!, { headers })).status;
    const later = new Date(Date.now() + 60_000).toUTCString();
    expect(await get({ 'If-None-Match': `"${file.etag}"` })).toBe(304);
    expect(await get({ 'If-None-Match': 'W/"other", "x"' })).toBe(200);
    expect(await get({ 'If-Modified-Since': later })).toBe(304);
    expect(await get({ 'If-Match': '"other"' })).toBe(412);
    expect(await get({ 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(412);
    expect(await get({ Range: 'bytes=0-1', 'If-Range': `"${file.etag}"` })).toBe(206);
    expect(await get({ Range: 'bytes=0-1', 'If-Range': '"other"' })).toBe(200);
  });

  it.each([
    ['image/svg+xml', 'attachment'],
    ['text/html', 'attachment'],
    ['application/xhtml+xml', 'attachment'],
    ['text/javascript', 'attachment'],
    ['IMAGE/PNG', 'inline'],
    ['application/pdf', 'inline'],
    ['video/mp4', 'inline'],
    ['text/plain; charset=utf-8', 'inline'],
  ])('serves %s as %s with any stored disposition', async (type, expected) => {
    const file = await publish(`active ${type.replace(/\W/g, '_')}`, type, { content_disposition: 'inline' });
    const response = await fetch(file.url!);
    expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^${expected};`));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('encodes file names by RFC 8187', async () => {
    const file = await publish('x', 'text/plain', {
      content_disposition: "attachment; filename*=UTF-8''%22%0D%0ASet-Cookie%3A%20a%E2%82%AC.txt",
    });
    const header = (await fetch(file.url!)).headers;
    expect(header.get('set-cookie')).toBeNull();
    expect(header.get('content-disposition')).toBe(
      'attachment; filename="___Set-Cookie: a_.txt"; filename*=UTF-8\'\'%22%0D%0ASet-Cookie%3A%20a%E2%82%AC.txt',
    );
  });

  it('limits the header with the name to what proxies accept', async () => {
    const named = (count: number) => ({ content_disposition: `attachment; filename="${'\u{1f4f7}'.repeat(count)}.jpg"` });
    const refused = await service.upload('x', 'x', { fields: named(400) });
    expect([refused.status, refused.error.path, refused.error.details]).toMatchObject([
      400,
      'content_disposition',
      { limit: 3072 },
    ]);
    const { id } = await publish('short.jpg', 'image/jpeg');
    const patch = (body: object) => service.call('PATCH', `/v1/files/${id}`, { body });
    expect((await patch(named(400))).error.code).toBe('VALIDATION_ERROR');
    expect((await patch(named(200))).status).toBe(200);
    // An earlier version stored such names.
    const content_disposition = `attachment; filename*=UTF-8''${'%F0%9F%93%B7'.repeat(400)}.jpg`;
    const { metadata } = service.service.core.blobs.resumable['context'];
    await metadata.write((query) => query.updateTable('files').set({ content_disposition }).where('id', '=', id).execute());
    const response = await fetch(`${service.url}/f/main/short.jpg`);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="short.jpg"');
  });
});
