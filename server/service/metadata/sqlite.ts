import { Kysely, SqliteDialect } from 'kysely';
import type Database from 'libsql';
import { GroupCommit } from './group.js';
import type { Job } from './group.js';
import type { Metadata, Query } from './metadata.js';
import { migrate } from './schema.js';
import { withPreparedOnce } from './statements.js';
import type { Tables } from './tables.js';

/**
 * Opens (and makes) a SQLite database. One connection writes, in groups; another reads, so that a reader never sees half a transaction.
 * Write-ahead log with synchronous=FULL: a commit has reached the disk (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export async function openSqlite(Libsql: typeof Database, file: string, now: () => number): Promise<Metadata> {
  const open = (): [Database.Database, Query] => {
    const connection = new Libsql(file);
    connection.exec('pragma busy_timeout = 10000');
    connection.exec('pragma journal_mode = wal');
    connection.exec('pragma foreign_keys = on');
    return [connection, new Kysely<Tables>({ dialect: new SqliteDialect({ database: withPreparedOnce(connection) }) })];
  };
  const [writing, writer] = open();
  const [, reader] = open();
  let synchronous = '';

  async function transact(jobs: Job[]): Promise<void> {
    // Outside a transaction only; a flush covers all that was written before it, durable or not.
    const wanted = jobs.some((job) => job.durable) ? 'full' : 'normal';
    if (wanted !== synchronous) writing.exec(`pragma synchronous = ${wanted}`);
    synchronous = wanted;
    writing.exec('begin immediate');
    try {
      for (const job of jobs) await job.run();
      writing.exec('commit');
    } catch (cause) {
      if (writing.inTransaction) writing.exec('rollback');
      throw cause;
    }
  }

  const group = new GroupCommit(transact);

  function write<T>(job: (query: Query) => Promise<T>, { durable = true } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settle: (() => void) | undefined;
      const run = async () => {
        writing.exec('savepoint job');
        try {
          const result = await job(writer);
          settle = () => resolve(result);
        } catch (cause) {
          writing.exec('rollback to job');
          settle = () => reject(cause);
        }
        writing.exec('release job');
      };
      group.add({ run, durable, reject, done: () => settle?.() });
    });
  }

  await write((query) => migrate(query, 'sqlite', now()));
  return {
    dialect: 'sqlite',
    db: reader,
    write,
    locking: (select) => select,
    async ping() {
      await reader.selectFrom('schema_versions').select('version').limit(1).execute();
    },
    async close() {
      await group.idle();
      await Promise.all([writer.destroy(), reader.destroy()]);
    },
  };
}
