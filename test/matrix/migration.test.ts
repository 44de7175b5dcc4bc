import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { storageFor } from '../service/backend.js';
import { ServeProcess } from '../service/support/serve-process.js';
import { build } from '../../scripts/build.js';
import { freePorts } from '../support/ports.js';
import { createDatabase } from '../support/postgres.js';
import { countWaiting } from '../support/count-waiting.js';

/** Number of the advisory lock. */
const MIGRATION_LOCK = 4712;

let dataDir: string;
let storage: { databaseUrl: string; store?: string };
let replicas: [ServeProcess, ServeProcess];
let admin: pg.Client;
beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-migration-'));
  storage = { ...(await storageFor(dataDir)), databaseUrl: await createDatabase() };
  const flags = ['--data-dir', dataDir, '--database-url', storage.databaseUrl];
  if (storage.store !== undefined) flags.push('--store', storage.store);
  const ports = await freePorts(4);
  replicas = [new ServeProcess(flags, [ports[0]!, ports[1]!]), new ServeProcess(flags, [ports[2]!, ports[3]!])];
  admin = new pg.Client({ connectionString: storage.databaseUrl });
  await admin.connect();
});
afterAll(async () => {
  for (const replica of replicas) await replica.end('SIGKILL');
  await admin.end();
  await rm(dataDir, { recursive: true, force: true });
});

it('a replica completes the migration of a replica that was killed in the middle, and both serve', async () => {
  // Every fifth change of the schema waits for the lock, without the time limit that would roll it back before the other replica has started.
  await admin.query('create sequence changes');
  await admin.query(`create function block_migration() returns event_trigger language plpgsql as $$ begin
    if nextval('public.changes') % 5 = 0 then
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock_shared(${MIGRATION_LOCK});
    end if; end $$`);
  await admin.query('create event trigger block_migration on ddl_command_end execute function block_migration()');
  await admin.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
  const tables = async () =>
    (await admin.query(`select from information_schema.tables where table_name in ('files', 'blobs', 'schema_versions')`))
      .rowCount;
  const waiting = () => countWaiting(admin, 'advisory');

  const [killed, other] = replicas;
  killed.launch();
  await expect.poll(waiting).toBe(1);
  await killed.end('SIGKILL');
  // The other replica waits, because the server still runs the migration of the killed one.
  other.launch();
  await expect.poll(waiting).toBe(2);
  expect(await tables()).toBe(0);
  await admin.query('drop event trigger block_migration');
  await admin.query(`select pg_advisory_unlock(${MIGRATION_LOCK})`);
  await expect.poll(async () => (await fetch(`${other.url}/readyz`).catch(() => undefined))?.status).toBe(200);
  await killed.start();
  expect(await tables()).toBe(3);

  const core = await openCore({ dataDir, ...storage });
  const { secret } = await core.keys.create('main', { name: 'migration', scopes: ['blob:read', 'blob:write'] });
  await core.close();
  const headers = { Authorization: `Bearer ${secret}` };
  for (const [index, { url }] of replicas.entries())
    expect((await fetch(`${url}/v1/files/${index}.txt`, { method: 'PUT', headers, body: 'content' })).status).toBe(201);
});
