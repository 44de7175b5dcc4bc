// Long because each rule of the tus protocol is one case.
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { assertPiecesLeft } from '../../server/service/storage/resumable/upload-pieces.js';
import { ThreadedHash } from '../../server/service/runtime/threads/threaded-hash.js';
import type { UploadTokenRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { offsetOf, locationOf, TusClient } from './tus-client.js';
import type { Creation } from './tus-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const tusClient = new TusClient(() => service);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const stats = async () => (await service.call<{ files: number; bytes: number }>('GET', '/v1/stats')).response;
const usesOf = async (id: string) => (await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`)).response.uses;

describe('checksums of a tus upload', () => {
  const checksum = (algorithm: string, text: string) => `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`;

  it.each(['sha1', 'sha256', 'md5'])('accept a part with the right %s', async (algorithm) => {
    const created = await tusClient.create({ length: 3, describe: { filename: `${algorithm}.txt` } });
    const response = await tusClient.send(locationOf(created), 0, 'abc', {
      headers: { 'Upload-Checksum': checksum(algorithm, 'abc') },
    });
    expect(response.status).toBe(200);
  });

  it('discard a part with a wrong checksum with status 460', async () => {
    const created = await tusClient.create({ length: 6, describe: { filename: 'wrong.txt' } });
    await tusClient.send(locationOf(created), 0, 'abc');
    const response = await tusClient.send(locationOf(created), 3, 'xyz', {
      headers: { 'Upload-Checksum': checksum('sha1', 'def') },
    });
    expect([response.status, response.error.code]).toEqual([460, 'CHECKSUM_MISMATCH']);
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(3);
    expect((await tusClient.send(locationOf(created), 3, 'def')).response.sha256).toBe(sha256(Buffer.from('abcdef')));
  });

  it('reject an unknown algorithm', async () => {
    const created = await tusClient.create();
    const response = await tusClient.send(locationOf(created), 0, 'abc', { headers: { 'Upload-Checksum': 'crc99 AAAA' } });
    expect([response.status, response.error.path]).toEqual([400, 'upload-checksum']);
  });

  it('end an upload whose file differs from its Repr-Digest', async () => {
    const { token, id } = await service.mint();
    const digest = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
    const created = await tusClient.create({ credential: token, length: 3, headers: { 'Repr-Digest': digest } });
    const response = await tusClient.send(locationOf(created), 0, 'abc', { credential: token });
    expect([response.status, response.error.code]).toEqual([422, 'CHECKSUM_MISMATCH']);
    expect((await tusClient.head(locationOf(created), { credential: token })).status).toBe(404);
    expect(await usesOf(id)).toBe(0);
  });
});

describe('the number of parts of a tus upload', () => {
  const setPieces = (id: string, pieces: number) =>
    service.service.core.blobs.resumable['context'].metadata.write((query) =>
      query.updateTable('resumables').set({ pieces }).where('id', '=', id).execute(),
    );

  it('is limited, so that tiny requests cannot create a file that takes seconds to finish', async () => {
    const created = await tusClient.create({ length: 6, describe: { filename: 'tiny.txt' } });
    const id = locationOf(created).split('/').at(-1)!;
    await tusClient.send(locationOf(created), 0, 'abc');
    await setPieces(id, 1001);
    const refused = await tusClient.send(locationOf(created), 3, 'd');
    expect([refused.status, refused.error.path, refused.error.details]).toMatchObject([400, 'upload-offset', { limit: 1001 }]);
    await setPieces(id, 1000);
    expect((await tusClient.send(locationOf(created), 3, 'def')).status).toBe(200);
  });

  it.each([
    [1000, 0, false],
    [1000, 1, true],
    [16_384 + 999, 1024 ** 3, true],
    [16_384 + 1000, 1024 ** 3, false],
  ])('is %i after %i bytes: allowed %s', (pieces, stored, isAllowed) => {
    const assertAllowed = () => assertPiecesLeft(pieces, stored);
    if (isAllowed) expect(assertAllowed).not.toThrow();
    else expect(assertAllowed).toThrow('too small');
  });
});

describe('a tus upload with an idempotency key', () => {
  it('is found again without a second use', async () => {
    const { token, id } = await service.mint({ prefix: 'once' });
    const key = randomUUID();
    const first = await tusClient.create({ credential: token, key, length: 6 });
    await tusClient.send(locationOf(first), 0, 'abc', { credential: token });
    const again = await tusClient.create({ credential: token, key, length: 6, body: Buffer.alloc(0) });
    expect([again.status, locationOf(again), offsetOf(again)]).toEqual([201, locationOf(first), 3]);
    expect(await usesOf(id)).toBe(1);
    const done = await tusClient.send(locationOf(first), 3, 'def', { credential: token });
    const finished = await tusClient.create({ credential: token, key, length: 6 });
    expect([finished.status, finished.response.id, offsetOf(finished)]).toEqual([200, done.response.id, 6]);
    expect(await usesOf(id)).toBe(1);
  });

  it('ignores bytes of a repeated creation', async () => {
    const key = randomUUID();
    const first = await tusClient.create({ key, length: 6, body: Buffer.from('abc'), describe: { filename: 'again.txt' } });
    const again = await tusClient.create({ key, length: 6, body: Buffer.from('abc'), describe: { filename: 'again.txt' } });
    expect([locationOf(again), offsetOf(again)]).toEqual([locationOf(first), 3]);
  });

  it('is created once by parallel creations', async () => {
    const { token, id } = await service.mint({ max_uses: 10 });
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 8 }, () => tusClient.create({ credential: token, key })));
    expect(new Set(responses.map(locationOf)).size).toBe(1);
    expect(await usesOf(id)).toBe(1);
  });

  it('rejects another sample of the content', async () => {
    const key = randomUUID();
    const create = (sample?: string) =>
      tusClient.create({ key, length: 6, describe: { filename: 'sample.txt', ...(sample !== undefined && { sample }) } });
    const created = await create('one');
    await tusClient.send(locationOf(created), 0, 'abc');
    const other = await create('two');
    expect([other.status, other.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect([offsetOf(await create('one')), offsetOf(await create())]).toEqual([3, 3]);
    await tusClient.send(locationOf(created), 3, 'def');
    expect([(await create('two')).status, (await create('one')).status]).toEqual([409, 200]);
  });

  it('rejects another name or length', async () => {
    const key = randomUUID();
    await tusClient.create({ key });
    for (const other of [{ length: 11 }, { describe: { filename: 'b.txt' } }]) {
      const response = await tusClient.create({ key, ...other });
      expect([response.status, response.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('never takes more uses than the token has', async () => {
    const { token, id } = await service.mint({ max_uses: 3 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => tusClient.create({ credential: token })));
    expect(responses.filter((response) => response.status === 201)).toHaveLength(3);
    expect(await usesOf(id)).toBe(3);
  });

  it('returns the use and the key when it is aborted', async () => {
    const { token, id } = await service.mint({ prefix: 'leave' });
    const key = randomUUID();
    const created = await tusClient.create({ credential: token, key });
    await tusClient.send(locationOf(created), 0, 'abc', { credential: token });
    const headers = { 'Tus-Resumable': '1.0.0' };
    expect((await service.call('DELETE', locationOf(created), { credential: token, headers })).status).toBe(204);
    expect((await tusClient.head(locationOf(created), { credential: token })).status).toBe(404);
    expect(await usesOf(id)).toBe(0);
    const next = await tusClient.create({ credential: token, key });
    expect(next.status).toBe(201);
    expect(locationOf(next)).not.toBe(locationOf(created));
  });
});

describe('the token of a tus upload', () => {
  it('restricts extension, size, path and options at the creation', async () => {
    const { token } = await service.mint({ prefix: 'p', allowed_extensions: ['png'], max_size: 100, visibility: 'private' });
    const refused = async (creation: Creation) => {
      const { status, error } = await tusClient.create({ credential: token, ...creation });
      return [status, error.code];
    };
    expect(await refused({ describe: { filename: 'a.txt' } })).toEqual([415, 'BLOCKED_FILE_TYPE']);
    expect(await refused({ describe: { filename: 'a.png' }, length: 101 })).toEqual([413, 'BLOB_FILE_TOO_LARGE']);
    expect(await refused({ describe: { path: 'q/a.png' } })).toEqual([403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT']);
    expect(await refused({ describe: { filename: 'a.png', visibility: 'public' } })).toEqual([
      403,
      'BLOB_UPLOAD_TOKEN_CONSTRAINT',
    ]);
    const created = await tusClient.create({ credential: token, describe: { filename: 'a.png' }, length: 1 });
    expect((await tusClient.send(locationOf(created), 0, 'x', { credential: token })).response.path).toMatch(
      /^p\/a-[a-z2-7]{13,}\.png$/,
    );
  });

  it('lets a fresh token go on only with the idempotency key, under its own rules', async () => {
    const key = randomUUID();
    const first = await service.mint({ prefix: 'resume/a' });
    const created = await tusClient.create({ credential: first.token, key, length: 6 });
    await tusClient.send(locationOf(created), 0, 'abc', { credential: first.token });
    const fresh = await service.mint({ prefix: 'resume' });
    const withKey = { headers: { 'Idempotency-Key': key } };
    expect((await tusClient.head(locationOf(created), { credential: fresh.token })).status).toBe(404);
    expect((await tusClient.send(locationOf(created), 3, 'xyz', { credential: fresh.token })).status).toBe(404);
    const guessed = { headers: { 'Idempotency-Key': randomUUID() } };
    expect((await tusClient.head(locationOf(created), { credential: fresh.token, ...guessed })).status).toBe(404);
    const elsewhere = await service.mint({ prefix: 'elsewhere' });
    const barred = await tusClient.send(locationOf(created), 3, 'def', { credential: elsewhere.token, ...withKey });
    expect([barred.status, barred.error.details['field']]).toEqual([403, 'prefix']);
    const small = await service.mint({ prefix: 'resume', max_size: 5 });
    const tooSmall = await tusClient.send(locationOf(created), 3, 'def', { credential: small.token, ...withKey });
    expect([tooSmall.status, tooSmall.error.details['field']]).toEqual([403, 'max_size']);
    const done = await tusClient.send(locationOf(created), 3, 'def', { credential: fresh.token, ...withKey });
    expect(done.response.sha256).toBe(sha256(Buffer.from('abcdef')));
    expect([await usesOf(first.id), await usesOf(fresh.id)]).toEqual([1, 0]);
  });

  it('keeps other tokens from reading, writing and ending it', async () => {
    const { token, id } = await service.mint();
    const created = await tusClient.create({ length: 6, describe: { filename: 'guessed.txt' } });
    await tusClient.send(locationOf(created), 0, 'abc');
    const before = await stats();
    const others = Array.from(
      { length: 20 },
      () =>
        `/v1/uploads/up_${randomUUID()
          .replace(/[^a-f]/g, '')
          .padEnd(26, 'a')}`,
    );
    const headers = { 'Tus-Resumable': '1.0.0' };
    const bytes = { ...headers, 'Upload-Offset': '3', 'Content-Type': 'application/offset+octet-stream' };
    for (const place of [locationOf(created), ...others])
      for (const response of [
        await service.call('GET', place, { credential: token }),
        await service.call('PATCH', place, { credential: token, headers: bytes, body: 'xyz' }),
        await service.call('POST', place, {
          credential: token,
          headers: { ...bytes, 'X-HTTP-Method-Override': 'PATCH' },
          body: 'xyz',
        }),
        await service.call('POST', place, { credential: token, headers: { ...headers, 'X-HTTP-Method-Override': 'DELETE' } }),
        await service.call('DELETE', place, { credential: token, headers }),
      ])
        expect([response.status, response.error]).toEqual([404, { code: 'NOT_FOUND', message: 'There is no such upload.' }]);
    expect([await stats(), await usesOf(id)]).toEqual([before, 0]);
    expect((await tusClient.send(locationOf(created), 3, 'def')).response.sha256).toBe(sha256(Buffer.from('abcdef')));
  });

  it('hides it from other tokens', async () => {
    const { token } = await service.mint();
    const created = await tusClient.create({ length: 6, describe: { filename: 'mine.txt' } });
    const stranger = await tusClient.head(locationOf(created), { credential: token });
    const nowhere = await tusClient.head('/v1/uploads/up_aaaaaaaaaaaaaaaaaaaaaaaaaa', { credential: token });
    expect([stranger.status, nowhere.status]).toEqual([404, 404]);
    expect((await tusClient.head(locationOf(created), { credential: 'svcup_unknown' })).status).toBe(401);
    expect(
      (await service.call('HEAD', locationOf(created), { credential: null, headers: { 'Tus-Resumable': '1.0.0' } })).status,
    ).toBe(401);
  });

  it('stores nothing after it is revoked', async () => {
    const { token, id } = await service.mint();
    const key = randomUUID();
    const created = await tusClient.create({ credential: token, key, length: 6 });
    await tusClient.send(locationOf(created), 0, 'abc', { credential: token });
    await service.call('DELETE', `/v1/upload-tokens/${id}`);
    const own = await tusClient.send(locationOf(created), 3, 'def', { credential: token });
    expect([own.status, own.error.details['reason']]).toEqual([401, 'revoked']);
    const before = (await stats()).files;
    const fresh = await service.mint();
    const other = await tusClient.send(locationOf(created), 3, 'def', {
      credential: fresh.token,
      headers: { 'Idempotency-Key': key },
    });
    expect([other.status, other.error.details['reason']]).toEqual([401, 'revoked']);
    expect((await stats()).files).toBe(before);
  });

  it('discards a complete upload if it is revoked', async () => {
    const { token, id } = await service.mint();
    const created = await tusClient.create({ credential: token, length: 6 });
    await tusClient.send(locationOf(created), 0, 'abc', { credential: token });
    // The state after a process ended between the last part and the commit of the file.
    const { metadata } = service.service.core.blobs.resumable['context'];
    const upload = locationOf(created).split('/').pop()!;
    await metadata.write((query) => query.updateTable('resumables').set({ length: 3 }).where('id', '=', upload).execute());
    await service.call('DELETE', `/v1/upload-tokens/${id}`);
    const asked = await service.call('GET', locationOf(created));
    expect([asked.status, asked.error.details['reason']]).toEqual([401, 'revoked']);
    expect((await service.call('GET', locationOf(created))).status).toBe(404);
    expect(await usesOf(id)).toBe(0);
  });

  it('releases the hash if another request finished the file', async () => {
    const created = await tusClient.create({ length: 3 });
    const { blobs, accounts } = service.service.core;
    const { resumable } = blobs;
    const storage = (await accounts.mainStorage('main'))!;
    const upload = (await resumable.find(storage, locationOf(created).split('/').pop()!))!;
    const { metadata } = resumable['context'];
    const real = metadata.write.bind(metadata);
    const drop = vi.spyOn(ThreadedHash.prototype, 'discard');
    const write = vi.spyOn(metadata, 'write').mockImplementation(async (...order: Parameters<typeof real>) => {
      const result = await real(...order);
      const now = (await resumable.find(storage, upload.id))!;
      if (now.offset < 3) return result;
      write.mockRestore();
      await resumable.finish(now, upload.credential);
      return result;
    });
    const { credential } = upload;
    const done = await resumable.append(upload, Readable.from([Buffer.from('abc')]), { credential, offset: 0 });
    expect(done.file).toBeTruthy();
    expect(drop).toHaveBeenCalledOnce();
    drop.mockRestore();
  });

  it('checks overwrite at the creation and at the end', async () => {
    const one = await tusClient.create({ length: 3, describe: { path: 'taken.txt' } });
    const two = await tusClient.create({ length: 3, describe: { path: 'taken.txt' } });
    expect((await tusClient.send(locationOf(one), 0, 'abc')).status).toBe(200);
    const late = await tusClient.send(locationOf(two), 0, 'xyz');
    expect([late.status, late.error.code]).toEqual([409, 'FILE_EXISTS']);
    const early = await tusClient.create({ length: 3, describe: { path: 'taken.txt' } });
    expect([early.status, early.error.code]).toEqual([409, 'FILE_EXISTS']);
    const over = await tusClient.create({ length: 3, describe: { path: 'taken.txt', overwrite: 'true' } });
    expect((await tusClient.send(locationOf(over), 0, 'new')).response.sha256).toBe(sha256(Buffer.from('new')));
  });
});

describe('the expiry of a tus upload', () => {
  it.each([
    ['a token an hour after that', true, 3600 + 900],
    ['an API key after a day without bytes', false, 86_400],
  ])('deletes an abandoned upload of %s and returns its use, storage and key', async (_name, byToken, seconds) => {
    const { token, id } = await service.mint({ prefix: 'abandoned', expires_in: 900 });
    const key = randomUUID();
    const credential = byToken ? token : service.key;
    const created = await tusClient.create({ credential, key, length: 6, describe: { filename: 'abandoned.txt' } });
    await tusClient.send(locationOf(created), 0, 'abc', { credential });
    const { blobs } = service.service.core;
    const storage = (await service.service.core.accounts.mainStorage('main'))!;
    const upload = (await blobs.resumable.find(storage, locationOf(created).split('/').pop()!))!;
    expect(Math.abs(upload.expiresAt - Date.now() - seconds * 1000)).toBeLessThan(30_000);
    await service.advanceClock((seconds + 60) * 1000);
    try {
      await blobs.sweep();
    } finally {
      await service.advanceClock(0);
    }
    expect((await tusClient.head(locationOf(created), { credential })).status).toBe(404);
    expect(await usesOf(id)).toBe(0);
    expect(locationOf(await tusClient.create({ credential, key, length: 6, describe: { filename: 'abandoned.txt' } }))).not.toBe(
      locationOf(created),
    );
  });
});
