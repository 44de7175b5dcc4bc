import { Kysely, SqliteDialect } from 'kysely';
import type Database from 'libsql';
import { endProcess } from '../../runtime/durability/end-process.js';
import { SQLITE } from './dialects.js';
import { DiskReserve } from './disk-reserve.js';
import { GroupCommit } from './group-commit.js';
import type { Job } from './group-commit.js';
import { isDatabaseFull } from './metadata.js';
import type { Metadata, Query } from './metadata.js';
import { useSqliteConnection } from './prepared-queries/prepared-query.js';
import { migrate } from './schema.js';
import { withStatementCache } from './prepared-queries/statement-cache.js';
import type { Tables } from './tables.js';
import { flushFailed, SqliteLog } from './sqlite-log.js';

/** Jobs between two checkpoints. The log grows to about 4 MB, as with SQLite's automatic checkpoints. */
const CHECKPOINT_EVERY = 200;

/**
 * Opens or creates a SQLite database. One connection writes, in groups; another reads, so that a reader never sees half a transaction.
 * A commit appends to the write-ahead log. The log is then flushed outside the main thread, once for all writers that wait, and only then a durable
 * write resolves. (synchronous=FULL would flush within the commit and stop the whole process meanwhile; NORMAL leaves out that flush alone:
 * https://www.sqlite.org/pragma.html#pragma_synchronous)
 *
 * A failed flush ends the process, see `endProcess`. Checkpoints are run here, because SQLite ignores a failed flush in its automatic ones.
 */
export async function openSqlite(Libsql: typeof Database, file: string, now: () => number): Promise<Metadata> {
  const open = (): [Database.Database, Query] => {
    const connection = new Libsql(file);
    connection.exec('pragma busy_timeout = 10000');
    connection.exec('pragma journal_mode = wal');
    connection.exec('pragma synchronous = normal');
    connection.exec('pragma wal_autocheckpoint = 0');
    connection.exec('pragma foreign_keys = on');
    const database = withStatementCache(connection);
    const query: Query = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
    // A separate cache, because libsql's `get` returns old values on a statement that was used with `all`.
    const firsts = withStatementCache(connection);
    useSqliteConnection(query, {
      first: (sql, values) => firsts.prepare(sql).get(values),
      all: (sql, values) => database.prepare(sql).all(values),
      run: (sql, values) => database.prepare(sql).run(values).changes,
    });
    return [connection, query];
  };
  const [writing, writer] = open();
  const [, reader] = open();

  // Creates the log, or reads the log of a crash up to the first record with a wrong checksum.
  writing.exec('begin immediate');
  const log = new SqliteLog(`${file}-wal`);
  log.rewrite();
  writing.exec('rollback');
  let jobsInLog = 0;
  const reserve = new DiskReserve(`${file}-reserve`);
  reserve.fill();

  async function transact(jobs: Job[]): Promise<void> {
    if (jobsInLog >= CHECKPOINT_EVERY) await checkpoint();
    jobsInLog += jobs.length;
    writing.exec('begin immediate');
    try {
      for (const job of jobs) await job.run();
      writing.exec('commit');
    } catch (cause) {
      endIfFlushFailed(cause);
      if (writing.inTransaction) writing.exec('rollback');
      if (isDatabaseFull(cause)) {
        // The next transaction begins with a checkpoint, after which the log has room again.
        reserve.release();
        jobsInLog = CHECKPOINT_EVERY;
      }
      throw cause;
    }
    if (reserve.isReleased) reserve.fill();
  }

  async function checkpoint(): Promise<void> {
    // A checkpoint overwrites pages of the database, so the log must be durable before.
    await log.flush();
    try {
      writing.exec('pragma wal_checkpoint(passive)');
      jobsInLog = 0;
      reserve.fill();
    } catch (cause) {
      // Other failures, such as a full disk, leave the log unchanged. The next transaction tries again.
      endIfFlushFailed(cause);
    }
  }

  function endIfFlushFailed(cause: unknown): void {
    const { code } = cause as { code?: string };
    if (code?.endsWith('_FSYNC')) endProcess(flushFailed(file, code));
  }

  const group = new GroupCommit(transact);

  function write<T>(job: (query: Query) => Promise<T>, { durable = true } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settle: (() => void) | undefined;
      const run = async () => {
        writing.exec('savepoint job');
        try {
          const result = await job(writer);
          settle = () => (durable ? void log.flush().then(() => resolve(result), reject) : resolve(result));
        } catch (cause) {
          writing.exec('rollback to job');
          settle = () => reject(cause);
        }
        writing.exec('release job');
      };
      group.add({ run, reject, done: () => settle?.() });
    });
  }

  await write((query) => migrate(query, 'sqlite', now()));
  return {
    ...SQLITE,
    dialect: 'sqlite',
    db: reader,
    write,
    flushed: () => log.flush(),
    now,
    measureSkew: async () => 0,
    async ping() {
      await reader.selectFrom('schema_versions').select('version').limit(1).execute();
    },
    async close() {
      await group.idle();
      await log.close();
      await Promise.all([writer.destroy(), reader.destroy()]);
    },
  };
}
