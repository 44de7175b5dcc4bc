import { Kysely, SqliteDialect } from 'kysely';
import type Database from 'libsql';
import { SQLITE } from './dialects.js';
import { GroupCommit } from './group.js';
import type { Job } from './group.js';
import type { Metadata, Query } from './metadata.js';
import { runDirectly } from './prepared.js';
import { migrate } from './schema.js';
import { withPreparedOnce } from './statements.js';
import type { Tables } from './tables.js';
import { WriteAheadLog } from './write-ahead-log.js';

/**
 * Opens (and makes) a SQLite database. One connection writes, in groups; another reads, so that a reader never sees half a transaction.
 * A commit appends to the write-ahead log; the log is then flushed off the main thread, one flush for all who wait, and only then a durable write
 * is done. (synchronous=FULL would flush within the commit and stop the whole process meanwhile; NORMAL leaves out that flush alone:
 * https://www.sqlite.org/pragma.html#pragma_synchronous)
 */
export async function openSqlite(Libsql: typeof Database, file: string, now: () => number): Promise<Metadata> {
  const open = (): [Database.Database, Query] => {
    const connection = new Libsql(file);
    connection.exec('pragma busy_timeout = 10000');
    connection.exec('pragma journal_mode = wal');
    connection.exec('pragma synchronous = normal');
    connection.exec('pragma foreign_keys = on');
    const database = withPreparedOnce(connection);
    const query: Query = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
    // Apart: libsql answers `get` on a statement that `all` was used on with the values of back then.
    const firsts = withPreparedOnce(connection);
    runDirectly(query, {
      first: (sql, values) => firsts.prepare(sql).get(values),
      all: (sql, values) => database.prepare(sql).all(values),
      run: (sql, values) => database.prepare(sql).run(values).changes,
    });
    return [connection, query];
  };
  const [writing, writer] = open();
  const [, reader] = open();

  async function transact(jobs: Job[]): Promise<void> {
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
  const log = new WriteAheadLog(`${file}-wal`);

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
