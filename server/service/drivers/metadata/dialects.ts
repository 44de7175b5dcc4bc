import { sql } from 'kysely';
import type { Expression } from 'kysely';

/** Differences between the databases within a query. */
export interface Dialect {
  /** Locks the selected rows for the rest of the transaction. SQLite runs one transaction at a time and needs no locks. */
  forUpdate<Builder extends { forUpdate(): Builder }>(select: Builder): Builder;
  /** Locks the selected rows and skips rows that another transaction has locked. */
  forUpdateSkipLocked<Builder extends { forUpdate(): Builder; skipLocked(): Builder }>(select: Builder): Builder;
  /** A text column that is compared byte by byte, in any collation of the database. */
  bytewise(column: string): Expression<string>;
  /** ms since 1970 by the database's clock, which all replicas share. */
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
