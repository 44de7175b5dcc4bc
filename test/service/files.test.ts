import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord } from '../../src/protocol/types.js';
import { requestRaw, TestService } from './support.js';
import type { ServiceResponse } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterEach(() => service.advanceClock(0));
afterAll(() => service.stop());

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const md5 = (bytes: Uint8Array | string) => createHash('md5').update(bytes).digest('hex');

describe('a URL with scheme and host, as sent by proxies', () => {
  const asked = async (method: string, target: string, body = '') => {
    const { hostname, port } = new URL(service.url);
    const headers = { Authorization: `Bearer ${service.key}` };
    const request = send({ hostname, port, method, path: target, headers, agent: false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode, text: await text(response) };
  };

  it('is read as its path', async () => {
    const put = await asked('PUT', 'http://elsewhere.example/v1/files/absolute/a.txt?visibility=public', 'absolute');
    expect([put.status, JSON.parse(put.text)]).toMatchObject([201, { response: { path: 'absolute/a.txt' } }]);
    const read = { status: 200, text: 'absolute' };
    expect(await asked('GET', 'HTTP://elsewhere.example:80/f/main/absolute/a.txt')).toEqual(read);
    const share = await service.call<{ id: string }>('POST', '/v1/shares', { body: { prefix: 'absolute' } });
    expect(await asked('GET', `http://elsewhere.example/s/${share.response.id}/a.txt`)).toEqual(read);
  });

  it('stores nothing if it has no path', async () => {
    const before = [await service.paths(), await service.blobs()];
    for (const [target, status] of [
      ['http://elsewhere.example', 404],
      ['http://elsewhere.example?a=/v1/files/a.txt', 404],
      ['http://elsewhere.example/v1/files/', 400],
      ['http://elsewhere.example/v1/files/../a.txt', 400],
    ] as const)
      expect((await asked('PUT', target, 'x')).status).toBe(status);
    expect([await service.paths(), await service.blobs()]).toEqual(before);
  });
});

describe('an upload with an API key', () => {
  it('stores a form’s file under its own name, private', async () => {
    const httpResponse = await service.upload('hello', 'Grüße 🎉.txt');
    expect(httpResponse.status).toBe(201);
    expect(httpResponse.response).toMatchObject({
      path: 'Grüße 🎉.txt',
      name: 'Grüße 🎉.txt',
      size: 5,
      content_type: 'text/plain',
      visibility: 'private',
      url: null,
      sha256: sha256('hello'),
      etag: md5('hello'),
    });
    expect(httpResponse.headers.get('location')).toBe(`/v1/files/${httpResponse.response.id}`);
    expect(new TextDecoder().decode(await service.bytesOf(httpResponse.response.id))).toBe('hello');
  });

  it.each([0, 1, 10_240, 5_000_001])('stores all of %i bytes', async (size) => {
    const bytes = new Uint8Array(size).map((_, i) => (i * 31) % 251);
    const httpResponse = await service.put(`sizes/${size}.bin`, bytes);
    expect(httpResponse.response).toMatchObject({ size, sha256: sha256(bytes) });
    expect(sha256(await service.bytesOf(httpResponse.response.id))).toBe(sha256(bytes));
  });

  it('reads the options of the file from the form', async () => {
    const httpResponse = await service.upload('x', 'a.txt', {
      fields: { prefix: 'opt/', visibility: 'public', cache_control: 'no-store', metadata: '{"k":"v"}' },
    });
    expect(httpResponse.response).toMatchObject({
      path: 'opt/a.txt',
      visibility: 'public',
      url: `${service.url}/f/main/opt/a.txt`,
      cache_control: 'no-store',
      metadata: { k: 'v' },
    });
  });

  it('replaces a file only with overwrite=true and keeps its id', async () => {
    const first = await service.put('again.txt', 'one');
    expect([first.status, (await service.put('again.txt', 'two')).error.code]).toEqual([201, 'FILE_EXISTS']);
    const second = await service.put('again.txt?overwrite=true', 'two');
    expect([second.status, second.response.id]).toEqual([200, first.response.id]);
    expect(new TextDecoder().decode(await service.bytesOf(first.response.id))).toBe('two');
  });

  it('succeeds for only one of many uploads to the same new path', async () => {
    const httpResponses = await Promise.all(Array.from({ length: 30 }, (_, i) => service.put('contested.txt', `${i}`)));
    expect(httpResponses.map((response) => response.status).sort()).toEqual([201, ...Array.from({ length: 29 }, () => 409)]);
    const winner = httpResponses.find((response) => response.status === 201)!;
    expect(sha256(await service.bytesOf(winner.response.id))).toBe(winner.response.sha256);
  });

  it.each([
    'a/../b',
    '..%2Fb',
    'a%2F..%2F..%2Fb',
    '%2e%2e/b',
    'a//b',
    'a%5Cb',
    'con.txt',
    'x%3Ay',
    'a%00b',
    'end.',
    '%E2%80%AEx',
    '%ff',
    'a%',
    // Overlong encodings of dots and slashes.
    '%c0%ae%c0%ae/b',
    'a%c0%afb',
    '%e0%80%ae%e0%80%ae/b',
  ])('rejects the path %s', async (path) => {
    const before = [await service.paths(), await service.blobs()];
    const { status, text } = await requestRaw(service, 'PUT', `/v1/files/${path}`, { credential: service.key, body: 'x' });
    expect([status, JSON.parse(text).code]).toEqual([400, 'INVALID_PATH']);
    expect([await service.paths(), await service.blobs()]).toEqual(before);
  });

  it('finds the path in a URL with a percent-encoded route', async () => {
    const { status, text } = await requestRaw(service, 'PUT', '/v1/%66iles/letters/a%20b', {
      credential: service.key,
      body: 'x',
    });
    expect([status, (JSON.parse(text) as { response: FileRecord }).response.path]).toEqual([201, 'letters/a b']);
  });

  it('decodes a path only once', async () => {
    const { status, text } = await requestRaw(service, 'PUT', '/v1/files/twice/%252e%252e%252fb', {
      credential: service.key,
      body: 'x',
    });
    expect([status, JSON.parse(text).response.path]).toEqual([201, 'twice/%2e%2e%2fb']);
  });

  it.each([
    ['path', { path: '../x' }, 'INVALID_PATH'],
    ['prefix', { path: 'a', prefix: 'b' }, 'VALIDATION_ERROR'],
    ['metadata', { metadata: 'no json' }, 'VALIDATION_ERROR'],
    ['metadata', { metadata: '{"a":1}' }, 'VALIDATION_ERROR'],
    ['visibility', { visibility: 'half' }, 'VALIDATION_ERROR'],
    ['expires_at', { expires_at: '2000-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
    ['expires_at', { expires_at: '2090-02-31T00:00:00Z' }, 'VALIDATION_ERROR'],
    ['expires_at', { expires_at: '2090-01-31T00:00:00' }, 'VALIDATION_ERROR'],
    ['colour', { colour: 'red' }, 'VALIDATION_ERROR'],
  ])('rejects an invalid field %s: %j', async (field, fields, code) => {
    const before = await service.blobs();
    const httpResponse = await service.upload('x', 'bad.txt', { fields: fields as unknown as Record<string, string> });
    expect([httpResponse.status, httpResponse.error.code, httpResponse.error.path]).toEqual([400, code, field]);
    expect(await service.blobs()).toEqual(before);
  });

  it('rejects a form without a file, with two files, with options after the file', async () => {
    const form = (...parts: [string, string | Blob][]) => {
      const data = new FormData();
      for (const [name, value] of parts) data.append(name, value);
      return service.call('POST', '/v1/files', { body: data });
    };
    const before = await service.blobs();
    expect((await form(['visibility', 'public'])).error.code).toBe('NO_FILE_UPLOADED');
    expect((await form(['file', new Blob(['a'])], ['file', new Blob(['b'])])).error).toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'file',
    });
    expect((await form(['file', new Blob(['a'])], ['visibility', 'public'])).error).toMatchObject({ path: 'visibility' });
    expect((await form(['document', new Blob(['a'])])).error).toMatchObject({ path: 'document' });
    expect(await service.blobs()).toEqual(before);
  });

  it('compares the digest of the client', async () => {
    const right = `sha-256=:${createHash('sha256').update('abc').digest('base64')}:`;
    expect((await service.put('digest.txt', 'abc', { headers: { 'Repr-Digest': right } })).status).toBe(201);
    const before = await service.blobs();
    const wrong = await service.put('digest2.txt', 'abd', { headers: { 'Repr-Digest': right } });
    expect([wrong.status, wrong.error.code]).toEqual([422, 'CHECKSUM_MISMATCH']);
    expect((await service.put('digest3.txt', 'abc', { headers: { 'Repr-Digest': 'sha-256=abc' } })).error.path).toBe(
      'repr-digest',
    );
    expect(await service.blobs()).toEqual(before);
    expect(await service.paths()).not.toContain('digest2.txt');
  });
});

describe('the files of a storage', () => {
  it('are listed by prefix and delimiter, page by page', async () => {
    for (const path of [
      'l/a.txt',
      'l/b/1.txt',
      'l/b/2.txt',
      'l/b0.txt',
      'l/c/d/e.txt',
      'l/z.txt',
      'l/é.txt',
      'l/😀.txt',
      'l/｡.txt',
    ])
      await service.put(encodeURI(path), 'x');
    type Page = { files: FileRecord[]; prefixes: string[]; cursor: string | null };
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `prefix=l/&delimiter=/&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { response }: ServiceResponse<Page> = await service.call<Page>('GET', `/v1/files?${query}`);
      expect(response.files.length + response.prefixes.length).toBeLessThanOrEqual(2);
      seen.push(...response.files.map((file) => file.path), ...response.prefixes);
      cursor = response.cursor;
    } while (cursor !== null);
    expect(seen.sort()).toEqual(['l/a.txt', 'l/b/', 'l/b0.txt', 'l/c/', 'l/z.txt', 'l/é.txt', 'l/😀.txt', 'l/｡.txt'].sort());
    const flat = await service.call<Page>('GET', '/v1/files?prefix=l/');
    // The order is that of UTF-8 bytes, not of UTF-16 units.
    expect(flat.response.files.map((file) => file.path).slice(-3)).toEqual(['l/é.txt', 'l/｡.txt', 'l/😀.txt']);
  });

  it('are counted', async () => {
    const fresh = await TestService.start();
    await fresh.put('a.txt?visibility=public', '12345');
    const { response: file } = await fresh.put('b.txt', '123');
    await fresh.mint();
    const stats = async () => (await fresh.call<StatsRecord>('GET', '/v1/stats')).response;
    expect(await stats()).toEqual({
      files: 2,
      bytes: 8,
      quota_bytes: null,
      public_files: 1,
      private_files: 1,
      uploads_in_progress: 0,
      upload_tokens_active: 1,
    });
    expect(await fresh.call('DELETE', `/v1/files/${file.id}`)).toMatchObject({ status: 200, response: null });
    expect(await stats()).toMatchObject({ files: 1, bytes: 5 });
    expect((await fresh.call('GET', `/v1/files/${file.id}`)).error.code).toBe('FILE_NOT_FOUND');
    await fresh.stop();
  });

  it('are deleted when they expire', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { response } = await service.put(`gone.txt?expires_at=${expires_at}`, 'x');
    expect((await service.call('GET', `/v1/files/${response.id}`)).status).toBe(200);
    await service.advanceClock(3_601_000);
    expect((await service.call('GET', `/v1/files/${response.id}`)).status).toBe(404);
    expect(await service.paths()).not.toContain('gone.txt');
    expect((await service.put('gone.txt', 'y')).status).toBe(201);
  });

  it('leave no bytes behind when they are deleted', async () => {
    const fresh = await TestService.start();
    const { response } = await fresh.put('a.txt', '1');
    await fresh.put('a.txt?overwrite=true', '2');
    expect(await fresh.blobs()).toHaveLength(2);
    await fresh.call('DELETE', `/v1/files/${response.id}`);
    await fresh.service.core.blobs.sweep({ aloneSince: Date.now() });
    expect(await fresh.blobs()).toEqual([]);
    await fresh.stop();
  });
});
