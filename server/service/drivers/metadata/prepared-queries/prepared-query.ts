import { CompiledQuery } from 'kysely';
import type { Compilable } from 'kysely';
import { POSTGRES, SQLITE } from '../dialects.js';
import type { Dialect } from '../dialects.js';
import type { Query } from '../metadata.js';

/** A synchronous connection to SQLite. */
export interface SqliteConnection {
  first(sql: string, values: readonly unknown[]): unknown;
  all(sql: string, values: readonly unknown[]): unknown[];
  /** @returns the number of changed rows. */
  run(sql: string, values: readonly unknown[]): number;
}

const sqliteConnections = new WeakMap<Query, SqliteConnection>();

/** Lets prepared queries on `query` use a SQLite connection without kysely's own layers. */
export const useSqliteConnection = (query: Query, connection: SqliteConnection): void =>
  void sqliteConnections.set(query, connection);

/** A placeholder for a value that is not known when the query is compiled. */
class Param {
  constructor(readonly name: string) {}
}

interface CompiledSql {
  sql: string;
  /** Params, and values that are the same for each run. */
  values: readonly unknown[];
}

/**
 * A query that kysely builds and compiles once for each database. Each run only binds values. Use it for queries that every request runs, see
 * the README of this folder.
 */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>;
  #forSqlite: CompiledSql | undefined;
  #forPostgres: CompiledSql | undefined;

  constructor(build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>) {
    this.#build = build;
  }

  /** Runs the query and returns its first row. */
  async first(query: Query, values: Values): Promise<Row | undefined> {
    const connection = sqliteConnections.get(query);
    if (!connection) return (await this.#runOnPostgres(query, values)).rows[0];
    const { sql, values: bound } = this.#bindForSqlite(query, values);
    return (connection.first(sql, bound) ?? undefined) as Row | undefined;
  }

  /** Runs the query and returns all rows. */
  async all(query: Query, values: Values): Promise<Row[]> {
    const connection = sqliteConnections.get(query);
    if (!connection) return (await this.#runOnPostgres(query, values)).rows;
    const { sql, values: bound } = this.#bindForSqlite(query, values);
    return connection.all(sql, bound) as Row[];
  }

  /** Runs an insert, update or delete. @returns the number of changed rows. */
  async run(query: Query, values: Values): Promise<number> {
    const connection = sqliteConnections.get(query);
    if (!connection) return Number((await this.#runOnPostgres(query, values)).numAffectedRows ?? 0n);
    const { sql, values: bound } = this.#bindForSqlite(query, values);
    return connection.run(sql, bound);
  }

  #bindForSqlite(query: Query, values: Values): CompiledSql {
    return bind((this.#forSqlite ??= this.#compile(query, SQLITE)), values);
  }

  #runOnPostgres(query: Query, values: Values) {
    const { sql, values: bound } = bind((this.#forPostgres ??= this.#compile(query, POSTGRES)), values);
    return query.executeQuery<Row>(CompiledQuery.raw(sql, [...bound]));
  }

  #compile(query: Query, dialect: Dialect): CompiledSql {
    // Every property that the builder reads becomes a param of that name.
    const params = new Proxy({}, { get: (_, name) => new Param(String(name)) }) as Values;
    const { sql, parameters } = this.#build(query, params, dialect).compile();
    return { sql, values: parameters };
  }
}

const bind = ({ sql, values }: CompiledSql, given: object): CompiledSql => ({
  sql,
  values: values.map((value) => (value instanceof Param ? (given as Record<string, unknown>)[value.name] : value)),
});

/** Reads the named columns of a row or of its params. */
export const pick = <Row extends object>(row: Row, columns: readonly (keyof Row)[]): Row =>
  Object.fromEntries(columns.map((name) => [name, row[name]])) as Row;

/**
 * Defines a prepared query. Its values must be used as they are: the builder sees params in their place.
 * @example
 * const byHash = preparedQuery<{ hash: string }>()((query, { hash }) => query.selectFrom('api_keys').selectAll().where('secret_hash', '=', hash));
 * const row = await byHash.first(metadata.db, { hash });
 */
export const preparedQuery =
  <Values extends object>() =>
  <Row>(build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>): PreparedQuery<Values, Row> =>
    new PreparedQuery(build);
