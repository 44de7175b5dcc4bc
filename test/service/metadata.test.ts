import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { preparedQuery } from '../../server/service/drivers/metadata/prepared-queries/prepared-query.js';
import { openPostgres } from '../../server/service/drivers/metadata/postgres.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';
import { compileScript } from '../support/compile-script.js';
import { createDatabase } from '../support/postgres.js';

let folder: string;
/** The compiled `metadata-open.ts`. */
let program: string;
const opened: Metadata[] = [];

beforeAll(async () => {
  program = await compileScript(new URL('metadata-open.ts', import.meta.url));
  folder = await mkdtemp(join(tmpdir(), 'svc-metadata-'));
});

afterAll(async () => {
  for (const metadata of opened) await metadata.close();
  await rm(folder, { recursive: true, force: true });
});

let databaseCount = 0;

/** Creates the address of an empty database. */
const PLACES = {
  sqlite: async () => join(folder, `${databaseCount++}.db`),
  postgres: () => createDatabase(),
};

async function open(dialect: keyof typeof PLACES, place: string): Promise<Metadata> {
  const metadata = await (dialect === 'sqlite' ? openSqlite(Libsql, place, Date.now) : openPostgres(pg, place, Date.now));
  opened.push(metadata);
  return metadata;
}

const openEmpty = async (dialect: keyof typeof PLACES) => open(dialect, await PLACES[dialect]());

const account = (id: string, quota: number | null = null) => ({ id, name: id, quota_bytes: quota, created_at: 1 });

async function accountIds(metadata: Metadata): Promise<string[]> {
  return (await metadata.db.selectFrom('accounts').select('id').orderBy('id').execute()).map((row) => row.id);
}

const insert = preparedQuery<{ id: string; quota: number | null }>()((query, { id, quota }) =>
  query.insertInto('accounts').values({ id, name: id, quota_bytes: quota, created_at: 1 }),
);
const byQuota = preparedQuery<{ least: number }>()((query, { least }, { forUpdate }) =>
  forUpdate(query.selectFrom('accounts').select(['id', 'quota_bytes']).where('quota_bytes', '>=', least).orderBy('id')),
);
const raise = preparedQuery<{ by: number }>()((query, { by }) =>
  query
    .updateTable('accounts')
    .set((e) => ({ quota_bytes: e('quota_bytes', '+', by) }))
    .where('quota_bytes', 'is not', null),
);

describe.each(['sqlite', 'postgres'] as const)('metadata in %s', (dialect) => {
  it('runs a prepared query with the values of each call, inside its transaction', async () => {
    const metadata = await openEmpty(dialect);
    for (const [id, quota] of [
      ['a', null],
      ['b', 5],
      ['c', 2 ** 40],
    ] as const)
      expect(await metadata.write((query) => insert.run(query, { id, quota }))).toBe(1);
    expect(await metadata.write((query) => byQuota.all(query, { least: 6 }))).toEqual([{ id: 'c', quota_bytes: 2 ** 40 }]);
    expect(await metadata.write((query) => byQuota.first(query, { least: 1 }))).toMatchObject({ id: 'b', quota_bytes: 5 });
    expect(await byQuota.first(metadata.db, { least: 2 ** 41 })).toBeUndefined();
    const undone = metadata.write(async (query) => {
      expect(await raise.run(query, { by: 1 })).toBe(2);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await byQuota.all(metadata.db, { least: 6 })).toEqual([{ id: 'c', quota_bytes: 2 ** 40 }]);
  });

  it('commits a write that resolves and rolls back one that throws', async () => {
    const metadata = await openEmpty(dialect);
    await metadata.write((query) => query.insertInto('accounts').values(account('committed')).execute());
    const failing = metadata.write(async (query) => {
      await query.insertInto('accounts').values(account('undone')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await accountIds(metadata)).toEqual(['committed']);
  });

  it('rolls back only the failed ones among parallel writes', async () => {
    const metadata = await openEmpty(dialect);
    const writes = Array.from({ length: 30 }, (_, index) =>
      metadata.write(async (query) => {
        await query
          .insertInto('accounts')
          .values(account(`a${String(index).padStart(2, '0')}`))
          .execute();
        if (index % 3 === 0) throw new Error('no');
      }),
    );
    const results = await Promise.allSettled(writes);
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(10);
    expect(await accountIds(metadata)).toHaveLength(20);
  });

  it('never shows a part of a transaction to readers', async () => {
    const metadata = await openEmpty(dialect);
    const sums = new Set<number>();
    const done = new AbortController();
    const reading = (async () => {
      while (!done.signal.aborted) {
        sums.add((await accountIds(metadata)).length % 2);
        // SQLite returns without a turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 30; round++)
      await metadata.write(async (query) => {
        await query
          .insertInto('accounts')
          .values(account(`${round}-1`))
          .execute();
        await query
          .insertInto('accounts')
          .values(account(`${round}-2`))
          .execute();
      });
    done.abort();
    await reading;
    expect([...sums]).toEqual([0]);
  });

  it('loses no parallel addition to a row', async () => {
    const metadata = await openEmpty(dialect);
    await metadata.write((query) => query.insertInto('accounts').values(account('sum', 0)).execute());
    const add = () =>
      metadata.write((query) =>
        query
          .updateTable('accounts')
          .set((e) => ({ quota_bytes: e('quota_bytes', '+', 1) }))
          .where('id', '=', 'sum')
          .execute(),
      );
    await Promise.all(Array.from({ length: 100 }, add));
    expect(await metadata.db.selectFrom('accounts').select('quota_bytes').executeTakeFirst()).toEqual({ quota_bytes: 100 });
  });

  it('orders keys by their bytes and stores numbers up to 2^53', async () => {
    const metadata = await openEmpty(dialect);
    const keys = ['B', 'a', 'Z', 'é', 'zz', '\u{1F600}', '\uFFFD', 'a/b', 'a-b'];
    await metadata.write(async (query) => {
      await query.insertInto('accounts').values(account('x', Number.MAX_SAFE_INTEGER)).execute();
      const bucket = { account_id: 'x', name: 'x', is_main: 1, settings_json: '{}', created_at: 1 };
      await query
        .insertInto('buckets')
        .values({ id: 'b', ...bucket })
        .execute();
      for (const key of keys)
        await query
          .insertInto('uploads')
          .values({
            id: key,
            account_id: 'x',
            bucket_id: 'b',
            key,
            kind: 's3',
            properties_json: '{}',
            state_json: '{}',
            credential_kind: 'key',
            credential_id: 'k',
            created_at: 1,
          })
          .execute();
    });
    const rows = await metadata.db.selectFrom('uploads').select('key').orderBy('key').execute();
    expect(rows.map((row) => row.key)).toEqual(keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect((await metadata.db.selectFrom('accounts').select('quota_bytes').executeTakeFirst())?.quota_bytes).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  it('is created once by three processes in parallel and can be opened again', async () => {
    const place = await PLACES[dialect]();
    const run = () => promisify(execFile)(process.execPath, [program, dialect, place]);
    await Promise.all(Array.from({ length: 3 }, run));
    const metadata = await open(dialect, place);
    const versions = await metadata.db.selectFrom('schema_versions').select('version').orderBy('version').execute();
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.map((row) => row.version)).toEqual(versions.map((_, index) => index + 1));
    expect(await accountIds(metadata)).toHaveLength(3);
  });

  it('rejects a database of a newer version', async () => {
    const place = await PLACES[dialect]();
    const metadata = await open(dialect, place);
    await metadata.write((query) => query.insertInto('schema_versions').values({ version: 9999, applied_at: 1 }).execute());
    await expect(open(dialect, place)).rejects.toThrow(/newer/);
  });
});

it.each([
  ['the list', "bucket_id = 'b' order by created_at desc, id desc limit 10"],
  ['the statistics', "bucket_id = 'b' and expires_at > 5"],
  ['the sweep', 'expires_at < 5'],
])('%s of upload tokens uses an index', async (_what, where) => {
  const metadata = await openEmpty('sqlite');
  const { rows } = await sql<{ detail: string }>`explain query plan select * from upload_tokens where ${sql.raw(where)}`.execute(
    metadata.db,
  );
  expect(rows.map((row) => row.detail)).toEqual([expect.stringMatching(/^SEARCH upload_tokens USING INDEX/)]);
});
