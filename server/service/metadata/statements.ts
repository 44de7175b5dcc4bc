import type Database from 'libsql';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Lists of ids make a statement of their own for each length; beyond so many, all are prepared anew. */
const MOST = 500;

/** A connection that prepares each statement once: preparing costs more than running most of ours. */
export function withPreparedOnce(connection: Database.Database): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (statement) return statement;
      if (prepared.size === MOST) prepared.clear();
      statement = connection.prepare(sql) as unknown as SqliteStatement;
      prepared.set(sql, statement);
      return statement;
    },
  };
}
