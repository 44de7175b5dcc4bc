import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { DatabaseUnavailable } from './database-unavailable.js';
import { POSTGRES } from './dialects.js';
import type { Metadata, Query } from './metadata.js';
import { PostgresConnections } from './postgres-connections.js';
import type { PoolLimits } from './postgres-connections.js';
import { migrate } from './schema.js';
import { SharedClock } from './shared-clock.js';
import type { Tables } from './tables.js';

/** Id of the advisory lock for migrations, an arbitrary number that all replicas use. */
const MIGRATION_LOCK = 7_368_642_001;
/**
 * Errors after which a transaction is run again: serialization_failure, deadlock_detected, and unique_violation. After the last one, another
 * transaction has inserted the row that the job did not find, and the next attempt finds it.
 */
const RETRIED_CODES = new Set(['40001', '40P01', '23505']);
const MAX_ATTEMPTS = 6;
/** Longest random delay before the second attempt. It doubles with each attempt. */
const BASE_DELAY_MS = 10;

const LIMITS = { lock: 10_000, statement: 20_000, response: 25_000 };
/**
 * Separate pools, so that writers that wait for locks do not block readers, and neither blocks the heartbeats without which other replicas
 * consider this process dead.
 */
const WRITERS: PoolLimits = { ...LIMITS, max: 12 };
const READERS: PoolLimits = { ...LIMITS, max: 6 };
const RESERVED: PoolLimits = { ...LIMITS, max: 2 };
/** Building an index over millions of rows takes minutes. The wait for a table lock is short, because all queries wait behind it. */
const MIGRATION: PoolLimits = { max: 1, lock: 10_000, statement: 0, response: 3_600_000 };

/** Opens a PostgreSQL database (13 or newer) and brings its tables up to date. */
export async function openPostgres(driver: typeof pg, connectionString: string, localNow: () => number): Promise<Metadata> {
  const connections = new PostgresConnections(driver, connectionString);
  const openPool = (limits: PoolLimits) =>
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections.pool(limits) }) });
  const [db, writers, reserved] = [openPool(READERS), openPool(WRITERS), openPool(RESERVED)];

  const clock = new SharedClock(async () => {
    const { rows } = await sql<{ now: number }>`select ${POSTGRES.clock} as now`.execute(reserved);
    return rows[0]!.now;
  });
  try {
    await clock.measure(localNow);
    await migrateAlone(openPool(MIGRATION), clock.now());
  } catch (cause) {
    await connections.close();
    throw cause;
  }
  return {
    ...POSTGRES,
    dialect: 'postgres',
    db,
    write: (job, { durable = true, reserved: isReserved = false } = {}) =>
      writeWithRetries(isReserved ? reserved : writers, job, durable),
    // PostgreSQL shows a durable transaction only after its flush.
    async flushed() {},
    now: () => clock.now(),
    measureSkew: () => clock.measure(localNow),
    async ping() {
      const { rows } = await sql<{ read_only: string }>`select current_setting('transaction_read_only') as read_only`.execute(
        reserved,
      );
      if (rows[0]?.read_only === 'off') return;
      // New connections may lead to the new primary.
      connections.discard();
      throw new DatabaseUnavailable('The database is read-only.');
    },
    close: () => connections.close(),
  };
}

/** Runs a job in a transaction, and again after a conflict with another transaction. */
async function writeWithRetries<T>(pool: Query, job: (query: Query) => Promise<T>, durable: boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.transaction().execute(async (query) => {
        if (!durable) await sql`set local synchronous_commit = off`.execute(query);
        return job(query);
      });
    } catch (cause) {
      if (attempt === MAX_ATTEMPTS || !RETRIED_CODES.has((cause as { code?: string }).code ?? '')) throw cause;
      await sleep(Math.random() * BASE_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}

/** Migrates under an advisory lock. Replicas that start at once wait for one another without a limit. */
async function migrateAlone(db: Kysely<Tables>, now: number): Promise<void> {
  await db.transaction().execute(async (query) => {
    const setting = sql<{ lock_timeout: string }>`select current_setting('lock_timeout') as lock_timeout`;
    const { rows } = await setting.execute(query);
    await sql`set local lock_timeout = 0`.execute(query);
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(query);
    await sql`select set_config('lock_timeout', ${rows[0]!.lock_timeout}, true)`.execute(query);
    await migrate(query, 'postgres', now);
  });
  await db.destroy();
}
