import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { BACKEND } from './backend.js';
import { createDatabase } from '../support/postgres.js';
import { Relay } from '../support/relay.js';
import { insist, Load } from './kill-load.js';
import { TestService } from './support.js';

let service: TestService;
let admin: pg.Client;
let line: Relay;

// An embedded database is in the process, and does not go without it; of two replicas only one could be told to sweep at once.
describe.runIf(BACKEND === 'postgres')('a database that goes', () => {
  beforeEach(async () => {
    const database = await createDatabase();
    admin = new pg.Client({ connectionString: database });
    await admin.connect();
    line = await Relay.start(new URL(database));
    service = await TestService.start({ databaseUrl: line.urlFor(database) });
  });
  afterEach(async () => {
    await service.stop();
    await admin.end();
    line.close();
  });

  it('costs requests and nothing else, also within transactions', async () => {
    const load = new Load({ url: service.url, key: service.key, s3: { url: '', accessKeyId: '', secretAccessKey: '' } });
    const kinds = ['put', 'form', 'batch', 'tus'] as const;
    const end =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    const ending = setInterval(() => void admin.query(end), 30);
    const send = async (kind: (typeof kinds)[number]) => {
      for (let times = 0; times < 10; times++) await load.once(kind).catch(() => {});
    };
    await Promise.all(kinds.map(send));
    clearInterval(ending);
    // Behind the last of those.
    await admin.query('select 1');
    expect(load.attempts.filter((attempt) => attempt.answered).length).toBeLessThan(load.attempts.length);
    // What could not be undone while the database was away. The first connection may be one of those that ended.
    await vi.waitFor(() => service.service.core.blobs.sweep());

    for (const attempt of load.attempts) {
      // Also what was not answered is there at most once, and whole, when it is asked for again.
      const made = await insist(attempt);
      expect([made.sha256, made.size]).toEqual([attempt.sha256, attempt.size]);
      const { response } = await service.call<{ files: FileRecord[] }>(
        'GET',
        `/v1/files?prefix=${encodeURIComponent(attempt.place)}`,
      );
      expect(response.files.map((file) => file.id)).toEqual([made.id]);
    }
  });

  /** Commits that insert into a table take two seconds from now on, also when nobody waits for them any more. */
  async function slowCommits(table: string) {
    await admin.query(
      `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end'`,
    );
    await admin.query(`create constraint trigger slowly after insert or update on ${table}
      deferrable initially deferred for each row execute function slowly()`);
  }

  /** Resolves when one of those runs. */
  const committing = () =>
    expect
      .poll(async () => {
        const asleep = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
        return (await admin.query(asleep)).rowCount;
      })
      .toBe(1);

  it('before it tells of a commit, keeps the bytes of the file that this made', async () => {
    await slowCommits('files');
    const sent = service.put('a/note.txt', 'a note').catch(() => undefined);
    await committing();
    line.cutConnections();
    expect((await sent)?.status).not.toBe(201);
    const files = async () => (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=a/')).response.files;
    await expect.poll(files).toHaveLength(1);
    const [file] = await files();
    const read = await fetch(`${service.url}/v1/files/${file!.id}/content`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect([read.status, await read.text()]).toEqual([200, 'a note']);
  });

  it('before it tells what was taken for an upload, has it given back', async () => {
    await slowCommits('reservations');
    const headers = { 'Idempotency-Key': 'of-one-upload-0001' };
    const send = () => service.call('PUT', '/v1/files/b.txt', { headers, body: new TextEncoder().encode('once') });
    const lost = send().catch(() => undefined);
    await committing();
    line.cutConnections();
    expect((await lost)?.status).not.toBe(201);
    await admin.query('drop function slowly cascade');
    await expect.poll(async () => (await send()).error?.code).toBe('OPERATION_IN_PROGRESS');
    await vi.waitFor(() => service.service.core.blobs.sweep());
    expect((await send()).status).toBe(201);
  });
});
