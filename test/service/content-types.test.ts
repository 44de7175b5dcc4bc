import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchResult } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { TusClient } from './tus-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

/** A backtracking regular expression would never end on these parameters. */
const EVIL = `a/b${';a=""'.repeat(50)}(`;
const BAD = [EVIL, 'text', 'text/plain,text/html', 'text/html(x', 'text/plain; a="b', `a/${'b'.repeat(260)}`];

const refused = { status: 400, error: { code: 'VALIDATION_ERROR', path: 'content-type' } };
const tusClient = new TusClient(() => service);

describe('an invalid content type', () => {
  it.each(BAD)('is rejected on every upload route: %s', async (type) => {
    const { token } = await service.mint({ max_uses: 9 });
    const raw = { credential: token, body: 'x', headers: { 'Content-Type': type } };
    expect(await service.call('PUT', '/v1/files/raw.bin', raw)).toMatchObject(refused);
    const named = { ...raw.headers, 'Content-Disposition': 'attachment; filename=a.bin' };
    expect(await service.call('POST', '/v1/files', { ...raw, headers: named })).toMatchObject(refused);
    const described = { filename: 'a.bin', filetype: type };
    expect(await tusClient.create({ credential: token, length: 3, describe: described })).toMatchObject(refused);
    const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: ${type}\r\n\r\nx\r\n--b--\r\n`;
    const batch = await service.call<{ results: BatchResult[] }>('POST', '/v1/files/batch', {
      credential: token,
      body: part,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    expect(batch.response.results).toMatchObject([{ code: 'VALIDATION_ERROR', details: { path: 'content-type' } }]);
    expect((await service.call<{ uses: number }>('GET', '/v1/upload-tokens/self', { credential: token })).response.uses).toBe(0);
  });

  it('is ignored in a form, whose parser reads the types of the parts', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="form.bin"\r\nContent-Type: ${EVIL}\r\n\r\nx\r\n--b--\r\n`;
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const httpResponse = await service.call<{ content_type: string }>('POST', '/v1/files', { body, headers });
    expect([httpResponse.status, httpResponse.response.content_type]).toEqual([201, 'text/plain']);
  });

  it('that an earlier version stored is served and copied as bytes', async () => {
    const { core } = service.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const { id: keyId } = await service.newKey(['blob:write']);
    for (const [index, contentType] of BAD.entries()) {
      async function* body() {
        yield Buffer.from('old');
      }
      const { file } = await core.blobs.put(storage, `old/${index}`, body(), {
        contentType,
        visibility: 'public',
        credential: { kind: 'key', id: keyId },
      });
      const record = await service.call<{ content_type: string; url: string }>('GET', `/v1/files/${file.id}`);
      expect(record.response.content_type).toBe('application/octet-stream');
      for (const response of [await fetch(record.response.url), await fetch(record.response.url, { method: 'HEAD' })]) {
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe('application/octet-stream');
        expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
      }
      const copy = await service.call<{ content_type: string }>('POST', `/v1/files/${file.id}/copy`, {
        body: { path: `copy/${index}` },
      });
      expect(copy.response.content_type).toBe('application/octet-stream');
    }
  });
});

describe('a content type that browsers run', () => {
  it.each([
    'text/html',
    'image/svg+xml',
    'video/x+xml',
    'audio/anything+xml',
    'text/xml',
    'video/html',
    'multipart/x-mixed-replace',
  ])('is never shown inline: %s', async (type) => {
    const path = `/v1/files/active-${type.replaceAll('/', '-')}?visibility=public`;
    const { response } = await service.call<{ url: string }>('PUT', path, { body: 'x', headers: { 'Content-Type': type } });
    const httpResponse = await fetch(response.url);
    expect(httpResponse.headers.get('content-type')).toBe(type);
    expect(httpResponse.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(httpResponse.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });
});
