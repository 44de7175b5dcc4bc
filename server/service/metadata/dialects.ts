import { sql } from 'kysely';
import type { Expression } from 'kysely';

/** What differs between the databases within a query. */
export interface Dialect {
  /** Reads a row's lock for the rest of the transaction, where the database lets writers run side by side. */
  locking<Builder extends { forUpdate(): Builder }>(select: Builder): Builder;
  /** ms since 1970 by the one clock that all replicas share: the database's. */
  readonly clock: Expression<number>;
}

export const SQLITE: Dialect = {
  locking: (select) => select,
  clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
};

export const POSTGRES: Dialect = {
  locking: (select) => select.forUpdate(),
  clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};
