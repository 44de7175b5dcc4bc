import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { POSTGRES } from './dialects.js';
import type { Metadata, Query, WriteOptions } from './metadata.js';
import { migrate } from './schema.js';
import type { Tables } from './tables.js';

/** Any number, the same in every replica: holds the others back while one migrates. */
const MIGRATION_LOCK = 7_368_642_001;
/**
 * serialization_failure and deadlock_detected: PostgreSQL undid it all and asks for another try. unique_violation: another made meanwhile what
 * the job had looked for in vain, and its next look finds it.
 */
const TRY_AGAIN = new Set(['40001', '40P01', '23505']);
const TRIES = 6;
/** Before the next try, up to this, then twice, four times as long: those that met do not meet again. ms. */
const PAUSE = 10;
const INT8 = 20;

/** Opens a PostgreSQL database (13 or newer) and brings its tables up to date. */
export async function openPostgres(driver: typeof pg, connectionString: string, now: () => number): Promise<Metadata> {
  const pool = new driver.Pool({
    connectionString,
    max: 20,
    // Our integers stay far below 2^53.
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === INT8 ? Number : driver.types.getTypeParser(oid, format)) as never,
    },
  });
  // A connection that dies is replaced at the next query; without a listener it would end the process, be it idle or between two queries of a
  // transaction, whose next one fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

  async function write<T>(job: (query: Query) => Promise<T>, { durable = true }: WriteOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transaction().execute(async (query) => {
          if (!durable) await sql`set local synchronous_commit = off`.execute(query);
          return job(query);
        });
      } catch (cause) {
        if (attempt === TRIES || !TRY_AGAIN.has((cause as { code?: string }).code ?? '')) throw cause;
        await sleep(Math.random() * PAUSE * 2 ** (attempt - 1));
      }
    }
  }

  await write(async (query) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(query);
    await migrate(query, 'postgres', now());
  });
  return {
    ...POSTGRES,
    dialect: 'postgres',
    db,
    write,
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => db.destroy(),
  };
}
