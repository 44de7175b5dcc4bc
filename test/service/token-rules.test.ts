import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadTokenRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const usesOf = async (id: string) => (await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`)).response.uses;

/** Runs a refused upload and makes sure that it left nothing behind. */
async function refused(upload: () => Promise<{ status: number; error: { code: string; details: Record<string, unknown> } }>) {
  const before = [await service.paths(), await service.blobs()];
  const answer = await upload();
  expect([await service.paths(), await service.blobs()]).toEqual(before);
  return { status: answer.status, code: answer.error.code, details: answer.error.details };
}

describe('where a token puts files', () => {
  it('appends a random suffix without a fixed path, whatever the route', async () => {
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

  it('uses a fixed path as it is', async () => {
    const { token } = await service.mint({ path: 'avatars/7.png' });
    const answer = await service.upload('a', 'whatever.gif', { credential: token });
    expect(answer.response.path).toBe('avatars/7.png');
  });

  it('makes a person’s file name safe', async () => {
    const { token } = await service.mint({ prefix: 'n' });
    const answer = await service.upload('a', '..\\..\\etc\\pass\u202ewd:1.txt', { credential: token });
    expect(answer.response.path).toMatch(/^n\/pass-wd-1-[a-z2-7]+\.txt$/);
  });

  it('refuses another path and another folder, on segment boundaries', async () => {
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

  it('fixes the options of the file', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { token } = await service.mint({
      visibility: 'public',
      cache_control: 'max-age=60',
      content_disposition: 'attachment; filename="x.txt"',
      expires_at,
      metadata: { user: '7' },
      max_uses: 2,
    });
    const answer = await service.upload('a', 'a.txt', { credential: token, fields: { visibility: 'public' } });
    expect(answer.response).toMatchObject({
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

describe('what a token admits', () => {
  it('stops a file at max_size while it streams, though its length was never announced', async () => {
    const { token, id } = await service.mint({ max_size: 100_000 });
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024));
        if (sent > 50 * 1024 * 1024) controller.close();
      },
    });
    const answer = await refused(() => service.put('big.bin', endless, { credential: token }));
    expect(answer).toMatchObject({ status: 413, code: 'BLOB_FILE_TOO_LARGE', details: { max_size: 100_000 } });
    expect(await usesOf(id)).toBe(0);
  });

  it('admits a file of exactly max_size', async () => {
    const { token } = await service.mint({ max_size: 10 });
    expect((await service.upload('0123456789', 'a.txt', { credential: token })).status).toBe(201);
  });

  it('refuses an announced length over max_size', async () => {
    const { token } = await service.mint({ max_size: 10 });
    const answer = await refused(() => service.put('a.txt', '01234567890', { credential: token }));
    expect(answer).toMatchObject({ status: 413, code: 'BLOB_FILE_TOO_LARGE' });
  });

  it('judges the extension of the final name, case-folded', async () => {
    const { token } = await service.mint({ allowed_extensions: ['jpg', 'tar.gz'], max_uses: 9 });
    for (const name of ['a.JPG', 'b.tar.gz']) expect((await service.upload('x', name, { credential: token })).status).toBe(201);
    for (const name of ['a.jpg.exe', 'a', 'b.gz', '.jpg', 'c.jpg ', 'd.jpg.']) {
      const expected = /jpg[ .]$/.test(name) ? 201 : 415;
      const answer = await service.upload('x', name, { credential: token });
      expect([name, answer.status]).toEqual([name, expected]);
      if (expected === 415) expect(answer.error.code).toBe('BLOCKED_FILE_TYPE');
    }
  });

  it('replaces a file only when it says so', async () => {
    await service.put('one.txt', 'first');
    const polite = await service.mint({ path: 'one.txt' });
    expect(await refused(() => service.upload('second', 'x', { credential: polite.token }))).toMatchObject({
      status: 409,
      code: 'FILE_EXISTS',
    });
    expect(await usesOf(polite.id)).toBe(0);
    const bold = await service.mint({ path: 'one.txt', overwrite: true });
    const answer = await service.upload('second', 'x', { credential: bold.token });
    expect(new TextDecoder().decode(await service.bytesOf(answer.response.id))).toBe('second');
  });
});

describe('uses', () => {
  it('are spent by success and given back by failure', async () => {
    const { token, id } = await service.mint({ max_uses: 2, max_size: 5 });
    expect((await service.upload('too large', 'a.txt', { credential: token })).status).toBe(413);
    expect(await usesOf(id)).toBe(0);
    expect((await service.upload('ok', 'a.txt', { credential: token })).status).toBe(201);
    expect((await service.upload('ok', 'a.txt', { credential: token })).status).toBe(201);
    const answer = await refused(() => service.upload('ok', 'a.txt', { credential: token }));
    expect(answer).toMatchObject({ status: 401, code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'exhausted' } });
    expect(await usesOf(id)).toBe(2);
  });

  it('let one of 200 parallel uploads through on a one-use token', async () => {
    const { token, id } = await service.mint({ prefix: 'race' });
    const blobs = (await service.blobs()).length;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => service.upload(`${i}`, 'a.txt', { credential: token })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.filter((answer) => answer.status !== 201).map((answer) => answer.error.code))).toEqual(
      new Set(['BLOB_UPLOAD_TOKEN_INVALID']),
    );
    expect((await service.paths()).filter((path) => path.startsWith('race/'))).toHaveLength(1);
    expect(await service.blobs()).toHaveLength(blobs + 1);
    expect(await usesOf(id)).toBe(1);
  });
});

describe('the end of a token', () => {
  it('is unknown when it never was', async () => {
    const answer = await refused(() => service.upload('a', 'a.txt', { credential: `svcup_${'A'.repeat(43)}` }));
    expect(answer).toMatchObject({ status: 401, code: 'BLOB_UPLOAD_TOKEN_INVALID', details: { reason: 'unknown' } });
  });

  it('comes by revocation', async () => {
    const { token, id } = await service.mint();
    expect((await service.call('DELETE', `/v1/upload-tokens/${id}`)).status).toBe(200);
    const answer = await refused(() => service.upload('a', 'a.txt', { credential: token }));
    expect(answer).toMatchObject({ status: 401, details: { reason: 'revoked' } });
  });

  it('comes with its key, also for an upload that runs', async () => {
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
    const answer = await running;
    expect([answer.status, answer.error.details['reason']]).toEqual([401, 'key_revoked']);
    expect(await service.paths()).toEqual(before);
  });
});
