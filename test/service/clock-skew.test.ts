import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCore } from '../../server/service/core.js';
import type { Core } from '../../server/service/core.js';
import type { StatsRecord } from '../../src/protocol/types.js';
import { BACKEND, storageFor } from './backend.js';
import { TestService } from './support.js';
import { countWaiting } from '../support/count-waiting.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const AHEAD = 5 * 60_000;
const HOUR = 3_600_000;

/** Runs the sweep of another replica with a fast clock. */
async function sweepAhead() {
  const { dataDir } = service;
  const other = await openCore({ dataDir, ...(await storageFor(dataDir)) });
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD);
  const swept = await other.blobs.sweep();
  clock.mockRestore();
  await other.close();
  return swept;
}

it('a replica with a fast clock does not abort the uploads of another', async () => {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(300_000));
      await ended;
      controller.enqueue(new Uint8Array(300_000));
      controller.close();
    },
  });
  const running = service.put('skewed.bin', body);
  const inProgress = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;
  await expect.poll(inProgress).toBe(1);
  expect(await sweepAhead()).toMatchObject({ abandonedUploads: 0 });
  end();
  const { status, response } = await running;
  expect([status, response.size]).toEqual([201, 600_000]);
});

it('a replica with a fast clock does not delete files that others may read', async () => {
  const { response } = await service.put('read.bin', 'read');
  await service.call('DELETE', `/v1/files/${response.id}`);
  const before = await service.blobs();
  expect(await sweepAhead()).toMatchObject({ deletedBlobs: 0 });
  expect(await service.blobs()).toEqual(before);
});

// With SQLite there is only one clock.
describe.skipIf(BACKEND === 'sqlite')('a replica with a clock hours ahead', () => {
  /** Opens another replica with a wrong clock. */
  async function withClockAhead<T>(work: (other: Core) => Promise<T>): Promise<T> {
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3 * HOUR);
    const { dataDir } = service;
    const other = await openCore({ dataDir, ...(await storageFor(dataDir)) });
    try {
      return await work(other);
    } finally {
      clock.mockRestore();
      await other.close();
    }
  }

  it('does not delete, hide or replace a file before its expiry', async () => {
    const expires = new Date(Date.now() + HOUR).toISOString();
    const { response } = await service.put(`lives-an-hour.txt?expires_at=${encodeURIComponent(expires)}`, 'still here');
    const storage = (await service.service.core.accounts.mainStorage('main'))!;
    const { id } = await service.newKey(['blob:write']);
    await withClockAhead(async (other) => {
      expect(await other.blobs.sweep()).toMatchObject({ expiredFiles: 0 });
      expect(await other.blobs.getById(storage, response.id)).toBeDefined();
      const credential = { kind: 'key' as const, id };
      const body = (async function* () {
        yield new TextEncoder().encode('another');
      })();
      const replacing = other.blobs.put(storage, 'lives-an-hour.txt', body, {
        contentType: 'text/plain',
        credential,
        overwrite: false,
      });
      await expect(replacing).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    });
    expect(new TextDecoder().decode(await service.bytesOf(response.id))).toBe('still here');
  });

  it('keeps tokens, uploads and idempotency keys as long as other replicas', async () => {
    const { token, id } = await service.mint({ expires_in: 60, prefix: 'clocks', max_uses: 9 });
    const { id: uploadId } = await service.service.core.blobs.resumable.create(
      (await service.service.core.accounts.mainStorage('main'))!,
      'clocks/tus.bin',
      {
        length: 5,
        properties: { contentType: 'text/plain' },
        overwrite: false,
        credential: { kind: 'token', id },
        uploadMetadata: '',
      },
    );
    await withClockAhead(async (other) => {
      expect(await other.blobs.sweep()).toMatchObject({ expiredUploads: 0 });
      const known = await other.tokens.authenticate(token);
      expect((await other.tokens.self(known)).uses_left).toBe(8);
    });
    expect((await service.call('GET', `/v1/uploads/${uploadId}`)).status).toBe(200);
  });

  it('sends the time of the database to clients', async () => {
    await service.advanceClock(3 * HOUR);
    const { headers } = await service.call('GET', '/v1/files');
    await service.advanceClock(0);
    expect(Math.round((Date.parse(headers.get('date')!) - Date.now()) / HOUR)).toBe(3);
  });

  it('does not start', async () => {
    await withClockAhead(async (other) => {
      await expect(other.lockForServing()).rejects.toThrow("this machine's clock is 10800 seconds ahead of the database's");
    });
  });

  it('warns its operator if the clock becomes wrong later', async () => {
    const { core } = service.service;
    expect(Math.abs(await core.measureSkew())).toBeLessThan(60_000);
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3 * HOUR);
    const skew = await core.measureSkew();
    clock.mockRestore();
    expect(Math.round(skew / 60_000)).toBe(-180);
    expect(Math.abs(core.now() - Date.now())).toBeLessThan(60_000);
  });
});

// With SQLite there are no other replicas.
describe.skipIf(BACKEND === 'sqlite')('a running upload of another replica with old heartbeats', () => {
  let admin: pg.Client;
  let other: Core;
  let later: number;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: service.databaseUrl! });
    await admin.connect();
  });
  afterAll(() => admin.end());
  beforeEach(async () => {
    const { dataDir } = service;
    other = await openCore({ dataDir, ...(await storageFor(dataDir)) });
    const { now } = performance;
    later = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await other.close();
  });

  const sweep = async () => (await other.blobs.sweep()).abandonedUploads;

  /** Starts an upload whose replica has sent no heartbeat for minutes, as after an outage of the database. */
  async function silentUpload(path: string) {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new Uint8Array(300_000));
        await ended;
        controller.close();
      },
    });
    const inProgress = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;
    const before = await inProgress();
    const running = service.put(path, body);
    await expect.poll(inProgress).toBe(before + 1);
    await admin.query('update reservations set alive_at = alive_at - 600000');
    return { running, end };
  }

  /** Runs the other replica for a number of heartbeats. */
  async function live(beats: number) {
    for (let beat = 0; beat < beats; beat++, later += 30_000) {
      await other.blobs.keepAlive();
      expect(await sweep()).toBe(0);
    }
    await other.blobs.keepAlive();
  }

  it('is aborted only after this replica has waited for the whole timeout', async () => {
    const { running, end } = await silentUpload('after-an-outage.bin');
    expect(await sweep()).toBe(0);
    await live(4);
    // The replica was paused in the meantime.
    later += 600_000;
    expect(await sweep()).toBe(0);
    await live(4);
    expect(await sweep()).toBe(1);
    end();
    const { status, error, headers } = await running;
    expect([status, error.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
  });

  it('continues if its replica sends a heartbeat at the last moment', async () => {
    const { running, end } = await silentUpload('paused.bin');
    await live(4);
    // Delays the sweep between its check and the deletion.
    await admin.query('begin');
    await admin.query('select from reservations for update');
    const sweeping = sweep();
    await expect.poll(() => countWaiting(admin, 'transactionid')).toBe(1);
    await admin.query('update reservations set alive_at = extract(epoch from clock_timestamp()) * 1000');
    await admin.query('commit');
    expect(await sweeping).toBe(0);
    end();
    expect((await running).status).toBe(201);
  });
});
