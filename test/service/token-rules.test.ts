import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadTokenRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const usesOf = async (id: string) => (await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`)).response.uses;

/** Runs a rejected upload and checks that it stored nothing. */
async function refused(upload: () => Promise<{ status: number; error: { code: string; details: Record<string, unknown> } }>) {
  const before = [await service.paths(), await service.blobs()];
  const response = await upload();
  expect([await service.paths(), await service.blobs()]).toEqual(before);
  return { status: response.status, code: response.error.code, details: response.error.details };
}

describe('the path of an upload with a token', () => {
  it('has a random suffix on every route if the token has no path', async () => {
    const { token } = await service.mint({ prefix: 'photos', max_uses: 4 });
    const form = await service.upload('a', 'my cat.jpg', { credential: token });
    expect(form.response.path).toMatch(/^photos\/my cat-[a-z2-7]{13,}\.jpg$/);
    const put = await service.put('photos/deep/dog.tar.gz', 'b', { credential: token });
    expect(put.response.path).toMatch(/^photos\/deep\/dog-[a-z2-7]{13,}\.tar\.gz$/);
    const raw = await service.call<{ path: string }>('POST', '/v1/files', {
      credential: token,
      body: 'c',
      headers: { 'Content-Disposition': "attachment; filename*=UTF-8''%C3%A9t%C3%A9.txt" },
    });
    expect(raw.response.path).toMatch(/^photos\/été-[a-z2-7]{13,}\.txt$/);
  });

  it('is the path of the token', async () => {
    const { token } = await service.mint({ path: 'avatars/7.png' });
    const response = await service.upload('a', 'whatever.gif', { credential: token });
    expect(response.response.path).toBe('avatars/7.png');
  });

  it('has a safe file name', async () => {
    const { token } = await service.mint({ prefix: 'n' });
    const response = await service.upload('a', '..\\..\\etc\\pass\u202ewd:1.txt', { credential: token });
    expect(response.response.path).toMatch(/^n\/pass-wd-1-[a-z2-7]+\.txt$/);
  });

  it('must be within the prefix of the token, compared by whole segments', async () => {
    const fixed = await service.mint({ path: 'a/b.txt' });
    expect(await refused(() => service.put('a/c.txt', 'x', { credential: fixed.token }))).toMatchObject({
      status: 403,
      code: 'BLOB_UPLOAD_TOKEN_CONSTRAINT',
      details: { field: 'path' },
    });
    const folder = await service.mint({ prefix: 'a/b' });
    expect(await refused(() => service.put('a/bc/d.txt', 'x', { credential: folder.token }))).toMatchObject({ status: 403 });
    expect(await refused(() => service.put('a/b.txt', 'x', { credential: folder.token }))).toMatchObject({ status: 403 });
    expect(
      await refused(() => service.upload('x', 'd.txt', { credential: folder.token, fields: { prefix: 'a' } })),
    ).toMatchObject({ status: 403, details: { field: 'prefix' } });
  });

  it('takes the file options from the token', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { token } = await service.mint({
      visibility: 'public',
      cache_control: 'max-age=60',
      content_disposition: 'attachment; filename="x.txt"',
      expires_at,
      metadata: { user: '7' },
      max_uses: 2,
    });
    const response = await service.upload('a', 'a.txt', { credential: token, fields: { visibility: 'public' } });
    expect(response.response).toMatchObject({
      visibility: 'public',
      cache_control: 'max-age=60',
      content_disposition: 'attachment; filename="x.txt"',
      expires_at,
      metadata: { user: '7' },
    });
    for (const [field, value] of Object.entries({ visibility: 'private', metadata: '{"user":"8"}', overwrite: 'true' })) {
      expect(await refused(() => service.upload('a', 'a.txt', { credential: token, fields: { [field]: value } }))).toMatchObject({
        status: 403,
        code: 'BLOB_UPLOAD_TOKEN_CONSTRAINT',
        details: { field },
      });
    }
  });
});

describe('the limits of a token', () => {
  it('stop a file at max_size while it streams, without an announced length', async () => {
    const { token, id } = await service.mint({ max_size: 100_000 });
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024));
        if (sent > 50 * 1024 * 1024) controller.close();
      },
    });
    const response = await refused(() => service.put('big.bin', endless, { credential: token }));
    expect(response).toMatchObject({ status: 413, code: 'BLOB_FILE_TOO_LARGE', details: { max_size: 100_000 } });
    expect(await usesOf(id)).toBe(0);
  });

  it('allow a file of exactly max_size', async () => {
    const { token } = await service.mint({ max_size: 10 });
    expect((await service.upload('0123456789', 'a.txt', { credential: token })).status).toBe(201);
  });

  it('reject an announced length over max_size', async () => {
    const { token } = await service.mint({ max_size: 10 });
    const response = await refused(() => service.put('a.txt', '01234567890', { credential: token }));
    expect(response).toMatchObject({ status: 413, code: 'BLOB_FILE_TOO_LARGE' });
  });

  it('compare the extension of the final name in any case', async () => {
    const { token } = await service.mint({ allowed_extensions: ['jpg', 'tar.gz'], max_uses: 9 });
    for (const name of ['a.JPG', 'b.tar.gz']) expect((await service.upload('x', name, { credential: token })).status).toBe(201);
    for (const name of ['a.jpg.exe', 'a', 'b.gz', '.jpg', 'c.jpg ', 'd.jpg.']) {
      const expected = /jpg[ .]$/.test(name) ? 201 : 415;
      const response = await service.upload('x', name, { credential: token });
      expect([name, response.status]).toEqual([name, expected]);
      if (expected === 415) expect(response.error.code).toBe('BLOCKED_FILE_TYPE');
    }
  });

  it('allow replacing a file only with overwrite', async () => {
    await service.put('one.txt', 'first');
    const polite = await service.mint({ path: 'one.txt' });
    expect(await refused(() => service.upload('second', 'x', { credential: polite.token }))).toMatchObject({
      status: 409,
      code: 'FILE_EXISTS',
    });
    expect(await usesOf(polite.id)).toBe(0);
    const bold = await service.mint({ path: 'one.txt', overwrite: true });
    const response = await service.upload('second', 'x', { credential: bold.token });
    expect(new TextDecoder().decode(await service.bytesOf(response.response.id))).toBe('second');
  });
});

describe('the uses of a token', () => {
  it('are taken by success and returned by failure', async () => {
    const { token, id } = await service.mint({ max_uses: 2, max_size: 5 });
    expect((await service.upload('too large', 'a.txt', { credential: token })).status).toBe(413);
    expect(await usesOf(id)).toBe(0);
    expect((await service.upload('ok', 'a.txt', { credential: token })).status).toBe(201);
    expect((await service.upload('ok', 'a.txt', { credential: token })).status).toBe(201);
    const response = await refused(() => service.upload('ok', 'a.txt', { credential: token }));
    expect(response).toMatchObject({ status: 401, code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'exhausted' } });
    expect(await usesOf(id)).toBe(2);
  });

  it('allow one of 200 parallel uploads with a one-use token', async () => {
    const { token, id } = await service.mint({ prefix: 'race' });
    const blobs = (await service.blobs()).length;
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) => service.upload(`${i}`, 'a.txt', { credential: token })),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(new Set(responses.filter((response) => response.status !== 201).map((response) => response.error.code))).toEqual(
      new Set(['BLOB_UPLOAD_TOKEN_INVALID']),
    );
    expect((await service.paths()).filter((path) => path.startsWith('race/'))).toHaveLength(1);
    expect(await service.blobs()).toHaveLength(blobs + 1);
    expect(await usesOf(id)).toBe(1);
  });
});

describe('an invalid token', () => {
  it('is rejected as unknown', async () => {
    const response = await refused(() => service.upload('a', 'a.txt', { credential: `svcup_${'A'.repeat(43)}` }));
    expect(response).toMatchObject({ status: 401, code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'unknown' } });
  });

  it('is rejected after its revocation', async () => {
    const { token, id } = await service.mint();
    expect((await service.call('DELETE', `/v1/upload-tokens/${id}`)).status).toBe(200);
    const response = await refused(() => service.upload('a', 'a.txt', { credential: token }));
    expect(response).toMatchObject({ status: 401, details: { reason: 'revoked' } });
  });

  it('is rejected after its key is revoked, also for a running upload', async () => {
    const key = await service.newKey(['blob:write']);
    const minted = await service.call<{ token: string }>('POST', '/v1/upload-tokens', { credential: key.secret, body: {} });
    let go: () => void = () => {};
    const slow = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new Uint8Array(10));
        await new Promise<void>((resolve) => (go = resolve));
        controller.enqueue(new Uint8Array(10));
        controller.close();
      },
    });
    const before = await service.paths();
    const running = service.put('slow.bin', slow, { credential: minted.response.token });
    await expect
      .poll(async () => (await service.call<{ uploads_in_progress: number }>('GET', '/v1/stats')).response.uploads_in_progress)
      .toBe(1);
    await service.service.core.keys.revoke('main', key.id);
    go();
    const response = await running;
    expect([response.status, response.error.details['reason']]).toEqual([401, 'key_revoked']);
    expect(await service.paths()).toEqual(before);
  });
});
