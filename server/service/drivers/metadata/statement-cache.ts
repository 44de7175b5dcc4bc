import type Database from 'libsql';

/** Lists of ids make a statement of their own for each length; beyond so many, all are prepared anew. */
const MOST = 500;

/** As better-sqlite3 has it, and libsql after it. */
interface Prepared {
  readonly reader: boolean;
  get(values: readonly unknown[]): unknown;
  all(values: readonly unknown[]): unknown[];
  run(values: readonly unknown[]): { changes: number; lastInsertRowid: number };
  iterate(values: readonly unknown[]): IterableIterator<unknown>;
}

/** A connection that prepares each statement once: preparing costs more than running most of ours. */
export function withPreparedOnce(connection: Database.Database): { close(): void; prepare(sql: string): Prepared } {
  const prepared = new Map<string, Prepared>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (statement) return statement;
      if (prepared.size === MOST) prepared.clear();
      statement = connection.prepare(sql) as unknown as Prepared;
      prepared.set(sql, statement);
      return statement;
    },
  };
}
