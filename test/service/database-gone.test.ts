import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { BACKEND } from './backend.js';
import { createDatabase } from '../support/postgres.js';
import { Relay } from '../support/relay.js';
import { repeatUntilStored, Load } from './kill-load.js';
import { TestService } from './support.js';
import { countWaiting } from '../support/count-waiting.js';

let service: TestService;
let admin: pg.Client;
let relay: Relay;

// SQLite runs in the process of the service, so its connection cannot be lost. The test calls the sweep of one replica, so it needs one replica.
describe.runIf(BACKEND === 'postgres')('a lost connection to the database', () => {
  beforeEach(async () => {
    const database = await createDatabase();
    admin = new pg.Client({ connectionString: database });
    await admin.connect();
    relay = await Relay.start(new URL(database));
    service = await TestService.start({ databaseUrl: relay.urlFor(database) });
  });
  afterEach(async () => {
    await service.stop();
    await admin.end();
    relay.close();
  });

  it('fails requests but loses and repeats no upload, even within transactions', async () => {
    const load = new Load({ url: service.url, key: service.key, s3: { url: '', accessKeyId: '', secretAccessKey: '' } });
    const kinds = ['put', 'form', 'batch', 'tus'] as const;
    const end =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    const ending = setInterval(() => void admin.query(end), 30);
    const send = async (kind: (typeof kinds)[number]) => {
      for (let times = 0; times < 10; times++) await load.uploadOnce(kind).catch(() => {});
    };
    await Promise.all(kinds.map(send));
    clearInterval(ending);
    // This query runs after the last query that ended connections.
    await admin.query('select 1');
    expect(load.attempts.filter((attempt) => attempt.isAcknowledged).length).toBeLessThan(load.attempts.length);
    // The sweep releases what failed requests could not release. Its first connection may be one that was ended.
    await vi.waitFor(() => service.service.core.blobs.sweep(), 30_000);

    for (const attempt of load.attempts) {
      // A repeat returns the complete file, and there is only one, even if the first request got no response.
      const stored = await repeatUntilStored(attempt);
      expect([stored.sha256, stored.size]).toEqual([attempt.sha256, attempt.size]);
      const { response } = await service.call<{ files: FileRecord[] }>(
        'GET',
        `/v1/files?prefix=${encodeURIComponent(attempt.path)}`,
      );
      expect(response.files.map((file) => file.id)).toEqual([stored.id]);
    }
  });

  /** Makes every commit that changes a table take two seconds, even after its client has disconnected. */
  async function slowDownCommits(table: string) {
    await admin.query(
      `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end'`,
    );
    await admin.query(`create constraint trigger slowly after insert or update on ${table}
      deferrable initially deferred for each row execute function slowly()`);
  }

  /** Waits until a slow commit runs. */
  const waitForCommit = () => expect.poll(() => countWaiting(admin, 'PgSleep')).toBe(1);

  it('before the response to a commit keeps the bytes of the committed file', async () => {
    await slowDownCommits('files');
    const interrupted = service.put('a/note.txt', 'a note').catch(() => undefined);
    await waitForCommit();
    relay.cutConnections();
    expect((await interrupted)?.status).not.toBe(201);
    const files = async () => (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=a/')).response.files;
    await expect.poll(files).toHaveLength(1);
    const [file] = await files();
    const read = await fetch(`${service.url}/v1/files/${file!.id}/content`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect([read.status, await read.text()]).toEqual([200, 'a note']);
  });

  it('before the response to a reservation releases the idempotency key', async () => {
    await slowDownCommits('reservations');
    const headers = { 'Idempotency-Key': 'of-one-upload-0001' };
    const send = () => service.call('PUT', '/v1/files/b.txt', { headers, body: new TextEncoder().encode('once') });
    const interrupted = send().catch(() => undefined);
    await waitForCommit();
    relay.cutConnections();
    expect((await interrupted)?.status).not.toBe(201);
    await admin.query('drop function slowly cascade');
    await expect.poll(async () => (await send()).error?.code).toBe('OPERATION_IN_PROGRESS');
    await vi.waitFor(() => service.service.core.blobs.sweep(), 30_000);
    expect((await send()).status).toBe(201);
  });
});
