import { Kysely, SqliteDialect } from 'kysely';
import type Database from 'libsql';
import { endProcess } from '../../runtime/durability/end-process.js';
import { SQLITE } from './dialects.js';
import { DiskReserve } from './disk-reserve.js';
import { GroupCommit } from './group-commit.js';
import type { Job } from './group-commit.js';
import { isDatabaseFull } from './metadata.js';
import type { Metadata, Query, WriteOptions } from './metadata.js';
import { useSqliteConnection } from './prepared-queries/prepared-query.js';
import { migrate } from './schema.js';
import { withStatementCache } from './prepared-queries/statement-cache.js';
import type { Tables } from './tables.js';
import { flushFailedMessage, SqliteLog } from './sqlite-log.js';

/** Jobs between two checkpoints. The log grows to about 4 MB, as with SQLite's automatic checkpoints. */
const CHECKPOINT_EVERY = 200;

/**
 * Opens or creates a SQLite database. One connection writes, in groups; another reads, so that a reader never sees half a transaction.
 * A commit appends to the write-ahead log. The log is then flushed outside the main thread, once for all writers that wait. Only then a durable
 * write resolves.
 *
 * SQLite's own flushes do not fit. `synchronous = full` would flush within the commit and stop the whole process meanwhile. `normal` leaves out
 * only that flush: https://www.sqlite.org/pragma.html#pragma_synchronous
 *
 * A failed flush ends the process, see `endProcess`. Checkpoints are run here, because SQLite ignores a failed flush in its automatic ones.
 */
export async function openSqlite(Libsql: typeof Database, file: string, now: () => number): Promise<Metadata> {
  const writing = openConnection(Libsql, file);
  const reading = openConnection(Libsql, file);
  const log = openLog(writing.database, file);
  const transactions = new SqliteTransactions(file, writing, log);
  await transactions.write((query) => migrate(query, 'sqlite', now()));
  return {
    ...SQLITE,
    dialect: 'sqlite',
    db: reading.query,
    write: (job, options) => transactions.write(job, options),
    flushed: () => log.flush(),
    now,
    measureSkew: async () => 0,
    async ping() {
      await reading.query.selectFrom('schema_versions').select('version').limit(1).execute();
    },
    async close() {
      await transactions.idle();
      await log.close();
      await Promise.all([writing.query.destroy(), reading.query.destroy()]);
    },
  };
}

interface Connection {
  database: Database.Database;
  /** The query builder on this connection. */
  query: Query;
}

function openConnection(Libsql: typeof Database, file: string): Connection {
  const database = new Libsql(file);
  database.exec('pragma busy_timeout = 10000');
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = normal');
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec('pragma foreign_keys = on');
  const statements = withStatementCache(database);
  const query: Query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: statements }) });
  // A separate cache, because libsql's `get` returns old values on a statement that was used with `all`.
  const firstRowStatements = withStatementCache(database);
  useSqliteConnection(query, {
    first: (sql, values) => firstRowStatements.prepare(sql).get(values),
    all: (sql, values) => statements.prepare(sql).all(values),
    run: (sql, values) => statements.prepare(sql).run(values).changes,
  });
  return { database, query };
}

/** Creates the write-ahead log, or reads the log of a crash up to the first record with a wrong checksum. Then makes the log durable. */
function openLog(database: Database.Database, file: string): SqliteLog {
  database.exec('begin immediate');
  const log = new SqliteLog(`${file}-wal`);
  log.rewrite();
  database.exec('rollback');
  return log;
}

/** The transactions of the writing connection. */
class SqliteTransactions {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #query: Query;
  readonly #log: SqliteLog;
  readonly #reserve: DiskReserve;
  readonly #group = new GroupCommit((jobs) => this.#commit(jobs));
  #jobsInLog = 0;

  constructor(file: string, { database, query }: Connection, log: SqliteLog) {
    this.#file = file;
    this.#database = database;
    this.#query = query;
    this.#log = log;
    this.#reserve = new DiskReserve(`${file}-reserve`);
    this.#reserve.fill();
  }

  /** Runs a job with its own savepoint in a transaction that other jobs may share. See `Metadata.write`. */
  async write<T>(job: (query: Query) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    try {
      return await this.#writeOnce(job, options);
    } catch (cause) {
      if (options.freesSpace && isDatabaseFull(cause)) return this.#writeOnce(job, options);
      throw cause;
    }
  }

  #writeOnce<T>(job: (query: Query) => Promise<T>, { durable = true }: WriteOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settle: (() => void) | undefined;
      const run = async () => {
        this.#database.exec('savepoint job');
        try {
          const result = await job(this.#query);
          settle = () => (durable ? void this.#log.flush().then(() => resolve(result), reject) : resolve(result));
        } catch (cause) {
          this.#database.exec('rollback to job');
          settle = () => reject(cause);
        }
        this.#database.exec('release job');
      };
      this.#group.add({ run, reject, done: () => settle?.() });
    });
  }

  /** Resolves when all jobs have ended. */
  idle(): Promise<void> {
    return this.#group.idle();
  }

  async #commit(jobs: Job[]): Promise<void> {
    if (this.#jobsInLog >= CHECKPOINT_EVERY) await this.#checkpoint();
    this.#jobsInLog += jobs.length;
    this.#database.exec('begin immediate');
    try {
      for (const job of jobs) await job.run();
      this.#database.exec('commit');
    } catch (cause) {
      this.#endIfFlushFailed(cause);
      if (this.#database.inTransaction) this.#database.exec('rollback');
      if (isDatabaseFull(cause)) {
        // The next transaction begins with a checkpoint, after which the log has room again.
        this.#reserve.release();
        this.#jobsInLog = CHECKPOINT_EVERY;
      }
      throw cause;
    }
    if (this.#reserve.isReleased) this.#reserve.fill();
  }

  async #checkpoint(): Promise<void> {
    // A checkpoint overwrites pages of the database, so the log must be durable before.
    await this.#log.flush();
    try {
      this.#database.exec('pragma wal_checkpoint(passive)');
      this.#jobsInLog = 0;
      this.#reserve.fill();
    } catch (cause) {
      // Other failures, such as a full disk, leave the log unchanged. The next transaction tries again.
      this.#endIfFlushFailed(cause);
    }
  }

  #endIfFlushFailed(cause: unknown): void {
    const { code } = cause as { code?: string };
    if (code?.endsWith('_FSYNC')) endProcess(flushFailedMessage(this.#file, code));
  }
}
