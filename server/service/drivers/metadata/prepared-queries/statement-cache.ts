import type Database from 'libsql';

/** Cached statements. A list of ids makes a separate statement for each length. Beyond this number all are prepared again. */
const MAX_STATEMENTS = 500;

/** The interface that libsql shares with better-sqlite3. */
interface Statement {
  readonly reader: boolean;
  get(values: readonly unknown[]): unknown;
  all(values: readonly unknown[]): unknown[];
  run(values: readonly unknown[]): { changes: number; lastInsertRowid: number };
  iterate(values: readonly unknown[]): IterableIterator<unknown>;
}

/** Wraps a connection so that it prepares each statement once. */
export function withStatementCache(connection: Database.Database): { close(): void; prepare(sql: string): Statement } {
  const statements = new Map<string, Statement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const cached = statements.get(sql);
      if (cached) return cached;
      if (statements.size === MAX_STATEMENTS) statements.clear();
      const statement = connection.prepare(sql) as unknown as Statement;
      statements.set(sql, statement);
      return statement;
    },
  };
}
