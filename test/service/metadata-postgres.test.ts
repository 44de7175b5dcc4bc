import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../../server/service/drivers/metadata/database-unavailable.js';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { openPostgres } from '../../server/service/drivers/metadata/postgres.js';
import { createDatabase } from '../support/postgres.js';
import { setReadOnly } from '../support/set-read-only.js';
import { Relay } from '../support/relay.js';
import { compileScript } from '../support/compile-script.js';
import { countWaiting } from '../support/count-waiting.js';

let url: string;
let admin: pg.Client;
let relay: Relay;
const opened: Metadata[] = [];

beforeEach(async () => {
  url = await createDatabase();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  relay = await Relay.start(new URL(url));
});
afterEach(async () => {
  for (const metadata of opened.splice(0)) await metadata.close();
  relay.close();
  await admin.end();
});

async function open(): Promise<Metadata> {
  const metadata = await openPostgres(pg, relay.urlFor(url), Date.now);
  opened.push(metadata);
  return metadata;
}

const addAccount = (metadata: Metadata, id: string) =>
  metadata.write((query) => query.insertInto('accounts').values({ id, name: id, quota_bytes: null, created_at: 1 }).execute());
const lockAccount = (metadata: Metadata, id: string) =>
  metadata.write((query) => metadata.forUpdate(query.selectFrom('accounts').select('id').where('id', '=', id)).execute());
const accountIds = async (metadata: Metadata) =>
  (await metadata.db.selectFrom('accounts').select('id').orderBy('id').execute()).map((row) => row.id);
const readSetting = (metadata: Metadata, name: string, options?: { durable: boolean }) =>
  metadata.write(async (query) => {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(query);
    return rows[0]!.value;
  }, options);
/** Other test files use other databases of the same server at the same time. */
const IDLE_IN_TRANSACTION = `from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;

describe('a transaction on PostgreSQL', () => {
  it('is flushed before its commit returns, even if the server is configured otherwise', async () => {
    await admin.query(`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`);
    const metadata = await open();
    expect(await readSetting(metadata, 'synchronous_commit')).toBe('on');
    expect(await readSetting(metadata, 'synchronous_commit', { durable: false })).toBe('off');
  });

  it('keeps a stronger setting of the administrator', async () => {
    await admin.query(
      `do $$ begin execute format('alter database %I set synchronous_commit = remote_apply', current_database()); end $$`,
    );
    expect(await readSetting(await open(), 'synchronous_commit')).toBe('remote_apply');
  });

  it('has time limits for locks, statements and idle time', async () => {
    const metadata = await open();
    const limits = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'];
    expect(await Promise.all(limits.map((name) => readSetting(metadata, name)))).toEqual(['15s', '10s', '20s']);
  });

  it('fails if the server rolls it back at the commit', async () => {
    const metadata = await open();
    const swallowed = metadata.write(async (query) => {
      await query.insertInto('accounts').values({ id: 'a', name: 'a', quota_bytes: null, created_at: 1 }).execute();
      await sql`select 1 / 0`.execute(query).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow(DatabaseUnavailable);
    expect(await accountIds(metadata)).toEqual([]);
  });

  it.each([
    [
      'the server ends it',
      '57P01',
      'terminating connection due to administrator command',
      () => admin.query(`select pg_terminate_backend(pid) ${IDLE_IN_TRANSACTION}`),
    ],
    ['its connection breaks', undefined, 'Connection terminated unexpectedly', () => relay.cutConnections()],
  ] as const)('fails with the reason if %s', async (_, code, message, end) => {
    const metadata = await open();
    const broken = metadata.write(async (query) => {
      await sql`select 1`.execute(query);
      await end();
      await expect.poll(async () => (await admin.query(`select ${IDLE_IN_TRANSACTION}`)).rowCount).toBe(0);
      await sql`select 1`.execute(query);
    });
    await expect(broken).rejects.toMatchObject({ name: 'DatabaseUnavailable', code, message });
    await addAccount(metadata, 'a');
  });

  it('is retried after a deadlock', async () => {
    const metadata = await open();
    for (const id of ['a', 'b']) await addAccount(metadata, id);
    let firstLocks = 0;
    let resolveBoth = () => {};
    const bothLocked = new Promise<void>((resolve) => (resolveBoth = resolve));
    const lockBoth = (first: string, second: string) =>
      metadata.write(async (query) => {
        const lock = (id: string) => metadata.forUpdate(query.selectFrom('accounts').select('id').where('id', '=', id)).execute();
        await lock(first);
        if (++firstLocks === 2) resolveBoth();
        await bothLocked;
        await lock(second);
        await query
          .updateTable('accounts')
          .set({ name: `${first}${second}` })
          .where('id', '=', second)
          .execute();
      });
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
    expect(firstLocks).toBeGreaterThan(2);
  });
});

describe('connections to PostgreSQL', () => {
  it('are available for reads and heartbeats while all writers wait for a lock', async () => {
    const metadata = await open();
    await addAccount(metadata, 'held');
    await admin.query('begin');
    await admin.query(`select from accounts where id = 'held' for update`);
    const writing = Array.from({ length: 40 }, () => lockAccount(metadata, 'held'));
    await expect.poll(() => countWaiting(admin, 'transactionid')).toBeGreaterThan(0);
    expect(await accountIds(metadata)).toEqual(['held']);
    await metadata.ping();
    await metadata.write((query) => query.deleteFrom('reservations').execute(), { reserved: true });
    await admin.query('commit');
    await Promise.all(writing);
  });

  it('are discarded if the database is read-only, so that new ones can find the new primary', async () => {
    const metadata = await open();
    await addAccount(metadata, 'before');
    await setReadOnly(admin, true);
    await expect.poll(() => metadata.ping().catch((cause: Error) => cause.message)).toBe('The database is read-only.');
    await expect(addAccount(metadata, 'during')).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: '25006' });
    await setReadOnly(admin, false);
    // Connections that were opened before stay read-only.
    await metadata.ping();
    await addAccount(metadata, 'after');
    expect(await accountIds(metadata)).toEqual(['after', 'before']);
  });

  it('are closed within seconds even if the server is silent', async () => {
    const metadata = await open();
    await addAccount(metadata, 'a');
    relay.silence();
    const hanging = [addAccount(metadata, 'b'), accountIds(metadata)].map((query) => query.catch((cause: unknown) => cause));
    await metadata.close();
    for (const query of hanging) expect(await query).toBeInstanceOf(DatabaseUnavailable);
  });
});

describe('a migration', () => {
  it('that is killed is rolled back and repeated by the next start', async () => {
    // The migration creates the tables one after the other. The creation of `resumables` waits for this lock.
    await admin.query('select pg_advisory_lock(1)');
    await admin.query(`create function wait_there() returns event_trigger language plpgsql as $$ begin
      if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.resumables') then
        perform pg_advisory_xact_lock(1);
      end if; end $$`);
    await admin.query('create event trigger wait_there on ddl_command_end execute function wait_there()');
    const program = await compileScript(new URL('metadata-open.ts', import.meta.url));
    const migrating = spawn(process.execPath, [program, 'postgres', url], { stdio: 'inherit' });
    await expect.poll(() => countWaiting(admin, 'advisory')).toBe(1);
    const exit = once(migrating, 'exit');
    migrating.kill('SIGKILL');
    await exit;

    const next = open();
    // The new migration waits for the killed one, whose end the server has not noticed.
    await expect.poll(() => countWaiting(admin, 'advisory')).toBe(2);
    await admin.query('select pg_advisory_unlock(1)');
    const metadata = await next;
    await addAccount(metadata, 'a');
    expect(await accountIds(metadata)).toEqual(['a']);
    const versions = await metadata.db.selectFrom('schema_versions').select('version').orderBy('version').execute();
    expect(versions.map((row) => row.version)).toEqual(versions.map((_, index) => index + 1));
  });
});
