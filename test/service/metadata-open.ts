import { randomUUID } from 'node:crypto';
import Libsql from 'libsql';
import pg from 'pg';
import { openPostgres } from '../../server/service/drivers/metadata/postgres.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';

/** Opens and migrates a database, writes a row and ends. Several processes run it in parallel. */
const [dialect, place] = process.argv.slice(2) as ['sqlite' | 'postgres', string];
const metadata = await (dialect === 'sqlite' ? openSqlite(Libsql, place, Date.now) : openPostgres(pg, place, Date.now));
await metadata.write((query) =>
  query.insertInto('accounts').values({ id: randomUUID(), name: 'one', quota_bytes: null, created_at: 1 }).execute(),
);
await metadata.close();
