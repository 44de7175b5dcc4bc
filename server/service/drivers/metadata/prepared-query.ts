import { CompiledQuery } from 'kysely';
import type { Compilable } from 'kysely';
import { POSTGRES, SQLITE } from './dialects.js';
import type { Dialect } from './dialects.js';
import type { Query } from './metadata.js';

/** A database in this process, which answers at once. */
export interface Direct {
  first(sql: string, values: readonly unknown[]): unknown;
  all(sql: string, values: readonly unknown[]): unknown[];
  /** @returns how many rows changed. */
  run(sql: string, values: readonly unknown[]): number;
}

const directs = new WeakMap<Query, Direct>();

/** Statements on `query` go to `direct`, past the query layer's own way to a connection. */
export const runDirectly = (query: Query, direct: Direct): void => void directs.set(query, direct);

/** Stands for a value that is not known when a statement is compiled. */
class Hole {
  constructor(readonly name: string) {}
}

interface Text {
  sql: string;
  /** Holes, and values that are always the same. */
  values: readonly unknown[];
}

/**
 * A query that is built and compiled once for each kind of database and from then on only bound and run: building one costs several times
 * what most of ours take to run. For the few that every request makes.
 */
export class Statement<Values extends object, Row> {
  readonly #build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>;
  readonly #texts: { direct?: Text; remote?: Text } = {};

  constructor(build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>) {
    this.#build = build;
  }

  async first(query: Query, values: Values): Promise<Row | undefined> {
    const direct = directs.get(query);
    if (!direct) return (await this.#remote(query, values)).rows[0];
    const text = this.#text(query, true);
    return (direct.first(text.sql, bind(text, values)) ?? undefined) as Row | undefined;
  }

  async all(query: Query, values: Values): Promise<Row[]> {
    const direct = directs.get(query);
    if (!direct) return (await this.#remote(query, values)).rows;
    const text = this.#text(query, true);
    return direct.all(text.sql, bind(text, values)) as Row[];
  }

  /** @returns how many rows changed. */
  async run(query: Query, values: Values): Promise<number> {
    const direct = directs.get(query);
    if (!direct) return Number((await this.#remote(query, values)).numAffectedRows ?? 0n);
    const text = this.#text(query, true);
    return direct.run(text.sql, bind(text, values));
  }

  #remote(query: Query, values: Values) {
    const text = this.#text(query, false);
    return query.executeQuery<Row>(CompiledQuery.raw(text.sql, bind(text, values)));
  }

  #text(query: Query, direct: boolean): Text {
    const which = direct ? 'direct' : 'remote';
    let text = this.#texts[which];
    if (!text) {
      const holes = new Proxy({}, { get: (_, name) => new Hole(String(name)) }) as Values;
      const { sql, parameters } = this.#build(query, holes, direct ? SQLITE : POSTGRES).compile();
      text = this.#texts[which] = { sql, values: parameters };
    }
    return text;
  }
}

const bind = (text: Text, values: object): unknown[] =>
  text.values.map((value) => (value instanceof Hole ? (values as Record<string, unknown>)[value.name] : value));

/** The holes of all columns of a row. */
export const pick = <Row extends object>(row: Row, columns: readonly (keyof Row)[]): Row =>
  Object.fromEntries(columns.map((name) => [name, row[name]])) as Row;

/**
 * @example
 * const byHash = statement<{ hash: string }>()((query, { hash }) => query.selectFrom('api_keys').selectAll().where('secret_hash', '=', hash));
 * const row = await byHash.first(metadata.db, { hash });
 */
export const statement =
  <Values extends object>() =>
  <Row>(build: (query: Query, values: Values, dialect: Dialect) => Compilable<Row>): Statement<Values, Row> =>
    new Statement(build);
