import { sql } from 'kysely';
import type { Expression } from 'kysely';

/** What differs between the databases within a query. */
export interface Dialect {
  /** Reads a row's lock for the rest of the transaction, where the database lets writers run side by side. */
  forUpdate<Builder extends { forUpdate(): Builder }>(select: Builder): Builder;
  /** Like `locking`, without rows that another transaction holds. */
  forUpdateSkipLocked<Builder extends { forUpdate(): Builder; skipLocked(): Builder }>(select: Builder): Builder;
  /** A text column whose values are compared byte by byte, whatever the collation of the database. */
  bytewise(column: string): Expression<string>;
  /** ms since 1970 by the one clock that all replicas share: the database's. */
  readonly clock: Expression<number>;
}

export const SQLITE: Dialect = {
  forUpdate: (select) => select,
  forUpdateSkipLocked: (select) => select,
  bytewise: (column) => sql.ref<string>(column),
  clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
};

export const POSTGRES: Dialect = {
  forUpdate: (select) => select.forUpdate(),
  forUpdateSkipLocked: (select) => select.forUpdate().skipLocked(),
  bytewise: (column) => sql<string>`${sql.ref(column)} collate "C"`,
  clock: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};
