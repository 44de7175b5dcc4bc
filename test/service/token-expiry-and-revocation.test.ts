import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UploadTokenRecord } from '../../src/protocol/types.js';
import { BACKEND } from './backend.js';
import { TestService } from './support.js';
import { offsetOf, locationOf, TusClient } from './tus-client.js';
import { countWaiting } from '../support/count-waiting.js';

const MIB = 1024 * 1024;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const tusClient = new TusClient(() => service);
const usesOf = async (id: string) => (await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`)).response.uses;
const revoke = (id: string) => service.call('DELETE', `/v1/upload-tokens/${id}`);
const advanceClock = (time: number) => service.advanceClock(time);

/** Creates a body whose second half is sent after `release`. */
function createBodyInTwo(first: number, second: number) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(first));
      await released;
      controller.enqueue(new Uint8Array(second));
      controller.close();
    },
  });
  return { body, release };
}

/** Runs an upload that must be rejected and store no file and no blob. */
async function leavesNothing(upload: () => Promise<{ status: number; error: { code: string; details: object } }>) {
  const before = [await service.paths(), await service.blobs()];
  const { status, error } = await upload();
  expect([await service.paths(), await service.blobs()]).toEqual(before);
  return [status, error.code, error.details];
}
const invalid = (reason: string) => [401, 'BLOB_UPLOAD_TOKEN_INVALID', { reason }];

const inProgress = async () =>
  (await service.call<{ uploads_in_progress: number }>('GET', '/v1/stats')).response.uploads_in_progress;
/** Waits until the first bytes of a resumable upload are stored. Uses GET, because HEAD would interrupt the sending request. */
const hasPiece = (place: string) =>
  expect.poll(async () => (await service.call<{ offset: number }>('GET', place)).response.offset).toBeGreaterThanOrEqual(8 * MIB);

describe('an expired token', () => {
  it('starts no upload on any route', async () => {
    const { token, id } = await service.mint({ expires_in: 60, max_size: 5, max_uses: 9 });
    await advanceClock(MINUTE);
    const credential = token;
    for (const upload of [
      () => service.upload('x', 'a.txt', { credential }),
      () => service.put('a.txt', 'x', { credential }),
      // The expiry is reported before the size of the file.
      () => service.put('a.txt', 'too large', { credential }),
      () => tusClient.create({ credential, length: 3 }),
      () => tusClient.create({ credential, length: 10 }),
    ])
      expect(await leavesNothing(upload)).toEqual(invalid('expired'));
    expect((await service.call('GET', '/v1/upload-tokens/self', { credential })).error.details).toEqual({ reason: 'expired' });
    await advanceClock(0);
    expect(await usesOf(id)).toBe(0);
  });

  it('starts uploads until its expiry', async () => {
    const { token } = await service.mint({ expires_in: 60 });
    await advanceClock(MINUTE / 2);
    expect((await service.upload('x', 'a.txt', { credential: token })).status).toBe(201);
  });

  it('lets a running upload finish within an hour of its start', async () => {
    const { token } = await service.mint({ prefix: 'running', expires_in: 60, max_uses: 2 });
    for (const [time, status] of [
      [HOUR - MINUTE, 201],
      [HOUR + MINUTE, 401],
    ] as const) {
      const { body, release } = createBodyInTwo(10, 10);
      const before = await inProgress();
      const running = service.put('running/a.bin', body, { credential: token });
      await expect.poll(inProgress).toBe(before + 1);
      await advanceClock(time);
      release();
      const httpResponse = await running;
      await advanceClock(0);
      expect([httpResponse.status, httpResponse.error.details]).toEqual([
        status,
        status === 401 ? { reason: 'expired' } : undefined,
      ]);
    }
    expect((await service.paths()).filter((path) => path.startsWith('running/'))).toHaveLength(1);
  });

  it('may repeat its own upload but not that of another token', async () => {
    const first = await service.mint({ expires_in: 60 });
    const other = await service.mint({ expires_in: 60 });
    const headers = { 'Idempotency-Key': randomUUID() };
    const done = await service.upload('x', 'a.txt', { credential: first.token, headers });
    await advanceClock(MINUTE);
    const again = await service.upload('x', 'a.txt', { credential: first.token, headers });
    expect([again.status, again.response.id]).toEqual([201, done.response.id]);
    expect(await leavesNothing(() => service.upload('x', 'a.txt', { credential: other.token, headers }))).toEqual(
      invalid('expired'),
    );
  });

  it('continues its resumable upload for an hour after its creation', async () => {
    const { token } = await service.mint({ expires_in: 60, max_uses: 2 });
    const created = await tusClient.create({ credential: token, length: 20 * MIB });
    const { body, release } = createBodyInTwo(8 * MIB, 12 * MIB);
    const running = tusClient.send(locationOf(created), 0, body, { credential: token });
    await hasPiece(locationOf(created));
    await advanceClock(HOUR + MINUTE / 2);
    release();
    const late = await running;
    expect([late.status, late.error.details]).toEqual([401, { reason: 'expired' }]);
    // Other credentials may continue.
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(8 * MIB);
    expect((await tusClient.head(locationOf(created), { credential: token })).status).toBe(401);
  });

  it('ends its resumable upload an hour later for all tokens', async () => {
    const { token } = await service.mint({ expires_in: 60 });
    const key = randomUUID();
    const created = await tusClient.create({ credential: token, length: 20, key });
    expect(Date.parse(created.headers.get('upload-expires')!)).toBeLessThanOrEqual(Date.now() + HOUR + MINUTE);
    await tusClient.send(locationOf(created), 0, new Uint8Array(10), { credential: token });
    const before = await inProgress();
    await advanceClock(HOUR + 2 * MINUTE);
    expect((await tusClient.head(locationOf(created))).status).toBe(404);
    // Its idempotency key can be used again, also before a sweep.
    const again = await tusClient.create({ length: 20, key });
    expect([again.status, locationOf(again) === locationOf(created), offsetOf(again)]).toEqual([201, false, 0]);
    expect(await inProgress()).toBe(before);
  });

  it('keeps its resumable upload while a newer token continues it', async () => {
    const first = await service.mint({ expires_in: 60 });
    const key = randomUUID();
    const created = await tusClient.create({ credential: first.token, length: 20, key });
    await advanceClock(50 * MINUTE);
    const second = await service.mint({ expires_in: 3600 });
    const headers = { 'Idempotency-Key': key };
    expect((await tusClient.send(locationOf(created), 0, new Uint8Array(10), { credential: second.token, headers })).status).toBe(
      204,
    );
    await advanceClock(160 * MINUTE);
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(10);
    await advanceClock(180 * MINUTE);
    expect((await tusClient.head(locationOf(created))).status).toBe(404);
  });
});

describe('a revoked token', () => {
  it('stores nothing of a running upload', async () => {
    const { token, id } = await service.mint();
    const { body, release } = createBodyInTwo(10, 10);
    const httpResponse = await leavesNothing(async () => {
      const before = await inProgress();
      const running = service.put('slow.bin', body, { credential: token });
      await expect.poll(inProgress).toBe(before + 1);
      await revoke(id);
      release();
      return running;
    });
    expect(httpResponse).toEqual(invalid('revoked'));
    expect(await usesOf(id)).toBe(0);
  });

  it.each(['token', 'API key'])('stores nothing of an upload of another token that it continues (%s)', async (kind) => {
    const maker = await service.mint();
    const key = randomUUID();
    const created = await tusClient.create({ credential: maker.token, key, length: 12 * MIB });
    const token = await service.mint();
    const apiKey = await service.newKey(['blob:write']);
    const credential = kind === 'token' ? token.token : apiKey.secret;
    const { body, release } = createBodyInTwo(8 * MIB, 4 * MIB);
    const before = await service.paths();
    const running = tusClient.send(locationOf(created), 0, body, { credential, headers: { 'Idempotency-Key': key } });
    await hasPiece(locationOf(created));
    if (kind === 'token') await revoke(token.id);
    else await service.service.core.keys.revoke('main', apiKey.id);
    release();
    const httpResponse = await running;
    expect([httpResponse.status, httpResponse.error.code]).toEqual([
      401,
      kind === 'token' ? 'BLOB_UPLOAD_TOKEN_INVALID' : 'API_KEY_INVALID',
    ]);
    expect(await service.paths()).toEqual(before);
    // The earlier bytes belong to the creator of the upload, which can finish it.
    expect(
      (await tusClient.send(locationOf(created), 8 * MIB, new Uint8Array(4 * MIB), { credential: maker.token })).status,
    ).toBe(200);
  });
});

// SQLite runs one transaction at a time, so no commit waits.
describe.skipIf(BACKEND === 'sqlite')('a credential that is revoked while a commit waits', () => {
  let admin: pg.Client;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: service.databaseUrl! });
    await admin.connect();
  });
  afterAll(() => admin.end());

  const running = (event: string) => countWaiting(admin, event);
  const newCredential = async (kind: string, path: string) => {
    if (kind === 'token') {
      const { id, token } = await service.mint({ path, overwrite: true });
      return { secret: token, revoke: () => revoke(id) };
    }
    const { id, secret } = await service.newKey(['blob:write']);
    return { secret, revoke: () => service.service.core.keys.revoke('main', id) };
  };

  it.each(['token', 'API key'])('for a row lock stores nothing (%s)', async (kind) => {
    const path = `waits-${kind.length}.txt`;
    const { response: before } = await service.put(path, 'before');
    const { secret, revoke: end } = await newCredential(kind, path);
    await admin.query('begin');
    await admin.query('select from files where id = $1 for update', [before.id]);
    const sent = service.put(`${path}?overwrite=true`, 'after', { credential: secret });
    await expect.poll(() => running('transactionid')).toBe(1);
    await end();
    await admin.query('commit');
    const httpResponse = await sent;
    expect([httpResponse.status, httpResponse.error.code]).toEqual([
      401,
      kind === 'token' ? 'BLOB_UPLOAD_TOKEN_INVALID' : 'API_KEY_INVALID',
    ]);
    expect(new TextDecoder().decode(await service.bytesOf(before.id))).toBe('before');
  });

  const commitSlowly = async () => {
    await admin.query(
      `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end'`,
    );
    await admin.query(`create constraint trigger slowly after insert or update on files
      deferrable initially deferred for each row execute function slowly()`);
  };

  it.each(['token', 'API key'])('for the disk is revoked after that commit (%s)', async (kind) => {
    const path = `commits-${kind.length}.txt`;
    const { secret, revoke: end } = await newCredential(kind, path);
    await commitSlowly();
    const sent = service.put(path, 'content', { credential: secret });
    await expect.poll(() => running('PgSleep')).toBe(1);
    await end();
    expect(await service.paths()).toContain(path);
    expect((await sent).status).toBe(201);
    await admin.query('drop function slowly cascade');
  });

  // Parallel uploads with a credential cannot delay its revocation.
  it('for the disk is revoked before any later commit', async () => {
    const { secret, revoke: end } = await newCredential('API key', '');
    await commitSlowly();
    const first = service.put('passes-1.txt', 'content', { credential: secret });
    await expect.poll(() => running('PgSleep')).toBe(1);
    const ending = end();
    await expect.poll(async () => (await running('advisory'))! + (await running('transactionid'))!).toBe(1);
    const second = await service.put('passes-2.txt', 'later', { credential: secret });
    await ending;
    await admin.query('drop function slowly cascade');
    expect([(await first).status, second.status]).toEqual([201, 401]);
  });
});
