import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../server/service/identity/scopes.js';
import type { CreatedUploadToken, FileRecord, UploadTokenOptions, UploadTokenSelf } from '../../src/protocol/types.js';
import { withMetadata } from './change-key.js';
import { requestRaw, TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const tusClient = new TusClient(() => service);
const OPTIONS: UploadTokenOptions = { prefix: 'inbox', max_uses: 9, allow_delete: true };
const mint = (options: UploadTokenOptions = {}) => service.mint({ ...OPTIONS, ...options });
const NOT_FOUND = [404, 'FILE_NOT_FOUND'];

/** Stores a file with a token. */
async function store({ token }: CreatedUploadToken, text = 'hello'): Promise<FileRecord> {
  const { status, response } = await service.upload(text, 'a.txt', { credential: token });
  expect(status).toBe(201);
  return response;
}

/** Deletes a file. @returns the status, and the code and details of an error. */
async function remove(id: string, { token }: { token: string }, headers: Record<string, string> = {}): Promise<unknown[]> {
  const { status, error } = await service.call('DELETE', `/v1/files/${id}`, { credential: token, headers });
  return status === 200 ? [200] : [status, error.code];
}

const exists = async (id: string): Promise<boolean> => (await service.call('GET', `/v1/files/${id}`)).status === 200;

describe('an upload token with allow_delete', () => {
  it('states the option in its record, and to the page', async () => {
    const [without, token] = [await service.mint(), await mint()];
    expect([without.allow_delete, token.allow_delete]).toEqual([false, true]);
    for (const { token: credential, allow_delete } of [without, token]) {
      const { response } = await service.call<UploadTokenSelf>('GET', '/v1/upload-tokens/self', { credential });
      expect(response.allow_delete).toBe(allow_delete);
    }
    const refused = await service.call('POST', '/v1/upload-tokens', { body: { allow_delete: 'yes' } });
    expect([refused.status, refused.error.path]).toEqual([400, 'allow_delete']);
  });

  it('deletes a file that it stored, and nothing twice', async () => {
    const token = await mint();
    const [file, kept] = [await store(token), await store(token)];
    expect(await remove(file.id, token)).toEqual([200]);
    expect(await remove(file.id, token)).toEqual(NOT_FOUND);
    expect([await exists(file.id), await exists(kept.id)]).toEqual([false, true]);
  });

  it('deletes files of every upload route, also when its uses are spent', async () => {
    const token = await service.mint({ max_uses: 4, allow_delete: true });
    const credential = token.token;
    const raw = await service.put('raw.txt', 'raw', { credential });
    const form = new FormData();
    form.append('file', new Blob(['in a batch']), 'batch.txt');
    const batch = await service.call<{ results: { file: FileRecord }[] }>('POST', '/v1/files/batch', { credential, body: form });
    const resumable = await tusClient.create({ credential, length: 3, body: new TextEncoder().encode('tus') });
    const described = await service.call<{ file: FileRecord }>('GET', locationOf(resumable), { credential });
    const files = [await store(token), raw.response, batch.response.results[0]!.file, described.response.file];
    expect((await service.upload('x', 'a.txt', { credential })).error.details).toEqual({ reason: 'exhausted' });
    for (const { id } of files) expect([id, await remove(id, token)]).toEqual([id, [200]]);
    for (const { id } of files) expect(await exists(id)).toBe(false);
  });

  it('finds no file of another credential, as if there were none', async () => {
    const [token, samePrefix, withoutOption] = [await mint(), await mint(), await service.mint({ prefix: 'inbox' })];
    const files = [await store(samePrefix), await store(withoutOption), (await service.put('inbox/key.txt', 'x')).response];
    const unknown = await service.call('DELETE', '/v1/files/file_unknown', { credential: token.token });
    expect(unknown.status).toBe(404);
    for (const { id } of files) {
      const { status, error } = await service.call('DELETE', `/v1/files/${id}`, { credential: token.token });
      const asUnknown = JSON.parse(JSON.stringify(unknown.error).replaceAll('file_unknown', id)) as object;
      expect([status, error]).toEqual([404, asUnknown]);
      // A condition must not tell a file of another credential from an unknown one.
      expect(await remove(id, token, { 'If-Match': '"another"' })).toEqual(NOT_FOUND);
      expect(await exists(id)).toBe(true);
    }
  });

  it('finds no file of another account', async () => {
    const file = await store(await mint());
    const { core } = service.service;
    await core.accounts.ensure('second');
    const { secret } = await core.keys.create('second', { name: 'second', scopes: ['blob:read', 'blob:write'] });
    const { response } = await service.call<CreatedUploadToken>('POST', '/v1/upload-tokens', {
      credential: secret,
      body: OPTIONS,
    });
    expect(await remove(file.id, response)).toEqual(NOT_FOUND);
    expect(await exists(file.id)).toBe(true);
  });

  it('loses a file that another credential replaced, moved or copied', async () => {
    const token = await service.mint({ max_uses: 9, allow_delete: true });
    const credential = token.token;
    const put = async (name: string) => (await service.put(`${name}.txt`, 'first', { credential })).response;
    const [byKey, byToken] = [await put('replaced-by-key'), await put('replaced-by-token')];
    const [moved, renamed, copied] = [await put('moved'), await put('renamed'), await put('copied')];
    const replacing = await service.mint({ path: byToken.path, overwrite: true, allow_delete: true });
    expect((await service.put(`${byKey.path}?overwrite=true`, 'second')).response.id).toBe(byKey.id);
    expect((await service.put(byToken.path, 'second', { credential: replacing.token })).response.id).toBe(byToken.id);
    await service.call('POST', `/v1/files/${moved.id}/move`, { body: { path: 'archive/moved.txt' } });
    await service.call('PATCH', `/v1/files/${renamed.id}`, { body: { path: 'archive/renamed.txt' } });
    const copy = await service.call<FileRecord>('POST', `/v1/files/${copied.id}/copy`, { body: { path: 'archive/copy.txt' } });
    for (const { id, path } of [byKey, byToken, moved, renamed, copy.response]) {
      expect([path, await remove(id, token)]).toEqual([path, NOT_FOUND]);
      expect(await exists(id)).toBe(true);
    }
    expect(await remove(byToken.id, replacing)).toEqual([200]);
    expect(await remove(copied.id, token)).toEqual([200]);
    expect(await exists(copy.response.id)).toBe(true);
  });

  it('keeps a file whose properties its owner changes', async () => {
    const token = await mint();
    const file = await store(token);
    await service.call('PATCH', `/v1/files/${file.id}`, { body: { metadata: { state: 'seen' } } });
    expect(await remove(file.id, token)).toEqual([200]);
  });

  it('respects If-Match', async () => {
    const token = await mint();
    const file = await store(token);
    expect(await remove(file.id, token, { 'If-Match': '"another"' })).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await remove(file.id, token, { 'If-Match': `"${file.etag}"` })).toEqual([200]);
  });

  it('deletes nothing once it is expired or revoked, or its key is', async () => {
    const { id: keyId, secret } = await service.newKey([...SCOPES]);
    const created = await service.call<CreatedUploadToken>('POST', '/v1/upload-tokens', { credential: secret, body: OPTIONS });
    const tokens = { expired: await mint({ expires_in: 60 }), revoked: await mint(), key_revoked: created.response };
    const files = { expired: '', revoked: '', key_revoked: '' };
    for (const reason of ['expired', 'revoked', 'key_revoked'] as const) files[reason] = (await store(tokens[reason])).id;
    await service.call('DELETE', `/v1/upload-tokens/${tokens.revoked.id}`);
    await service.service.core.keys.revoke('main', keyId);
    await service.advanceClock(60_000);
    for (const reason of ['expired', 'revoked', 'key_revoked'] as const) {
      for (const id of [files[reason], 'file_unknown']) {
        const { status, error } = await service.call('DELETE', `/v1/files/${id}`, { credential: tokens[reason].token });
        expect([status, error.code, error.details]).toEqual([401, 'BLOB_UPLOAD_TOKEN_INVALID', { reason }]);
      }
      expect(await exists(files[reason])).toBe(true);
    }
  });

  it('opens no other route and no other form of the path', async () => {
    const token = await mint();
    const { id } = await store(token);
    const credential = token.token;
    const denied = async (method: string, path: string, body?: object) =>
      (await service.call(method, path, { credential, ...(body && { body }) })).error.details;
    for (const [method, path, body] of [
      ['GET', `/v1/files/${id}`],
      ['GET', `/v1/files/${id}/content`],
      ['GET', '/v1/files'],
      ['PATCH', `/v1/files/${id}`, { metadata: {} }],
      ['POST', `/v1/files/${id}/copy`, { path: 'x' }],
      ['POST', `/v1/files/${id}/move`, { path: 'x' }],
      ['POST', `/v1/files/${id}/links`, { expires_in: 60 }],
      ['POST', '/v1/files/delete', { ids: [id] }],
    ] as const)
      expect([path, await denied(method, path, body)]).toEqual([path, { field: 'route' }]);
    const variants = [
      `${id}/`,
      `${id}/content`,
      `${id}/../${id}x`,
      `%2e%2e/${id}`,
      `${id}%00`,
      `${id},x`,
      id.toUpperCase(),
      'inbox%2Fa.txt',
      '*',
      '%',
    ];
    for (const variant of variants) {
      const { status } = await requestRaw(service, 'DELETE', `/v1/files/${variant}`, { credential });
      expect([variant, status]).toEqual([variant, expect.toSatisfy((code: number) => code >= 400 && code < 500)]);
    }
    const elsewhere = await service.call('DELETE', `/v1/files/${id}?workspace_id=ws_x`, { credential });
    expect([elsewhere.status, elsewhere.error.code]).toEqual([404, 'WORKSPACE_NOT_FOUND']);
    expect(await exists(id)).toBe(true);
  });

  it('is named in the activity log with its key', async () => {
    const { id: keyId, secret } = await service.newKey([...SCOPES]);
    const { response } = await service.call<CreatedUploadToken>('POST', '/v1/upload-tokens', {
      credential: secret,
      body: OPTIONS,
    });
    const file = await store(response);
    expect(await remove(file.id, response)).toEqual([200]);
    const row = await withMetadata(service.dataDir, ({ db }) =>
      db
        .selectFrom('activities')
        .select(['action', 'author_id', 'author', 'details_json'])
        .where('action', '=', 'files.deleted')
        .where('author_id', '=', keyId)
        .executeTakeFirstOrThrow(),
    );
    const details = { count: 1, paths: [file.path], upload_token: response.id };
    expect({ ...row, details_json: JSON.parse(row.details_json) }).toEqual({
      action: 'files.deleted',
      author_id: keyId,
      author: 'another',
      details_json: details,
    });
  });
});

describe('an upload token without allow_delete', () => {
  it('deletes nothing, not even its own files', async () => {
    const token = await service.mint();
    const file = await store(token);
    for (const id of [file.id, 'file_unknown']) {
      const { status, error } = await service.call('DELETE', `/v1/files/${id}`, { credential: token.token });
      expect([status, error.code, error.details]).toEqual([403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT', { field: 'allow_delete' }]);
    }
    expect(await exists(file.id)).toBe(true);
  });
});
