import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadTokenRecord, UploadTokenSelf } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const create = (body: object) => service.call<UploadTokenRecord & { token: string }>('POST', '/v1/upload-tokens', { body });

describe('creating an upload token', () => {
  it('returns the record and the secret once', async () => {
    const response = await create({ prefix: 'in/', max_size: 5, allowed_extensions: ['.PNG', 'tar.gz'], metadata: { a: 'b' } });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { token, ...record } = response.response;
    expect(token).toMatch(/^svcup_[0-9a-f]{48}$/);
    expect(record).toMatchObject({
      prefix: 'in',
      path: null,
      max_size: 5,
      allowed_extensions: ['png', 'tar.gz'],
      metadata: { a: 'b' },
      overwrite: false,
      uses: 0,
      max_uses: 1,
    });
    expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(900_000);
    const read = await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${record.id}`);
    expect(read.response).toEqual(record);
    expect(JSON.stringify(read.response)).not.toContain(token);
  });

  it.each([
    ['expires_in', { expires_in: 59 }],
    ['expires_in', { expires_in: 3601 }],
    ['expires_in', { expires_in: '900' }],
    ['max_uses', { max_uses: 0 }],
    ['max_uses', { max_uses: 101 }],
    ['max_uses', { max_uses: 1.5 }],
    ['max_size', { max_size: 0 }],
    ['allowed_extensions', { allowed_extensions: [] }],
    ['allowed_extensions', { allowed_extensions: Array.from({ length: 21 }, (_, i) => `e${i}`) }],
    ['allowed_extensions', { allowed_extensions: ['a/b'] }],
    ['allowed_extensions', { path: 'a.txt', allowed_extensions: ['png'] }],
    ['visibility', { visibility: 'secret' }],
    ['overwrite', { overwrite: 'yes' }],
    ['prefix', { path: 'a', prefix: 'b' }],
    ['cache_control', { cache_control: 'a\r\nSet-Cookie: b' }],
    ['content_disposition', { content_disposition: 'form-data' }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }],
    ['metadata', { metadata: { 'Bad Key': 'x' } }],
    ['metadata', { metadata: { a: 'x'.repeat(3000) } }],
    ['surprise', { surprise: 1 }],
  ])('rejects an invalid %s and names it: %j', async (field, body) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(response.error.code).toBe('VALIDATION_ERROR');
    expect(response.error.path).toMatch(new RegExp(`^${field}\\b`));
    expect(response.error.details['path']).toBe(response.error.path);
  });

  it.each([{ expires_in: 60 }, { expires_in: 3600 }, { max_uses: 100 }, { max_size: 1 }, { allowed_extensions: ['a'] }])(
    'accepts the limit %j',
    async (body) => expect((await create(body)).status).toBe(201),
  );

  it.each(['../a', 'a//b', '/a', 'a/./b', 'con', 'a\\b', 'a:b', 'a\u202eb', 'x.'])('rejects the path %j', async (path) => {
    const response = await create({ path });
    expect([response.status, response.error.code]).toEqual([400, 'INVALID_PATH']);
  });
});

describe('the tokens of a storage', () => {
  it('are listed newest first, page by page', async () => {
    const created = [];
    for (let i = 0; i < 3; i++) created.unshift((await service.mint()).id);
    type Page = { upload_tokens: UploadTokenRecord[]; cursor: string };
    const first = await service.call<Page>('GET', '/v1/upload-tokens?limit=2');
    const second = await service.call<Page>('GET', `/v1/upload-tokens?limit=1&cursor=${first.response.cursor}`);
    expect([...first.response.upload_tokens, ...second.response.upload_tokens].map((one) => one.id)).toEqual(created);
  });

  it('can be read with the token itself', async () => {
    const token = await service.mint({ prefix: 'p', max_size: 9, max_uses: 3 });
    await service.upload('x', 'x.txt', { credential: token.token });
    const self = await service.call<UploadTokenSelf>('GET', '/v1/upload-tokens/self', { credential: token.token });
    expect(self.response).toEqual({
      path: null,
      prefix: 'p',
      max_size: 9,
      allowed_extensions: null,
      allow_fetch: false,
      allow_delete: false,
      max_uses: 3,
      uses: 1,
      uses_left: 2,
      expires_at: token.expires_at,
    });
  });

  it('are not listed with an unknown field', async () => {
    const response = await service.call('GET', '/v1/upload-tokens?colour=1');
    expect([response.status, response.error.code, response.error.path]).toEqual([400, 'VALIDATION_ERROR', 'colour']);
  });

  it('return 404 for an unknown id', async () => {
    expect((await service.call('GET', '/v1/upload-tokens/tok_none')).error.code).toBe('NOT_FOUND');
  });

  it('allow only uploads', async () => {
    const { token } = await service.mint();
    for (const [method, path] of [
      ['GET', '/v1/files'],
      ['GET', '/v1/stats'],
      ['POST', '/v1/upload-tokens'],
    ] as const) {
      const response = await service.call(method, path, { credential: token });
      expect([path, response.status, response.error.code]).toEqual([path, 403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT']);
    }
  });
});
