import type { Kysely } from 'kysely';
import type { Dialect } from './dialects.js';
import type { Tables } from './tables.js';

/** The query builder, the same for each database. */
export type Query = Kysely<Tables>;

export interface WriteOptions {
  /**
   * false: a power cut, but not a crash of the process, may lose the transaction. For rows that a sweep would delete anyway, such as the
   * reservation of an unfinished upload. @default true
   */
  durable?: boolean;
  /** Uses connections that are reserved for heartbeats and the clock. @default false */
  reserved?: boolean;
  /**
   * The transaction frees disk space. If the disk is full, SQLite releases its reserve and runs the job a second time, so the job must only
   * change the database. @default false
   */
  freesSpace?: boolean;
}

/** @returns whether a write failed because the disk of the database is full. Nothing of the write stays. */
export const isDatabaseFull = (cause: unknown): boolean =>
  ['SQLITE_FULL', '53100' /* disk_full of PostgreSQL */].includes((cause as { code?: string } | undefined)?.code ?? '');

/** A database of rows: SQLite for one process, or PostgreSQL for several replicas. One contract suite runs against both. */
export interface Metadata extends Dialect {
  readonly dialect: 'sqlite' | 'postgres';
  /** Queries outside of transactions. */
  readonly db: Query;
  /**
   * Runs a job in a transaction and resolves when the commit is durable. The job may only run queries, because several jobs may share a
   * transaction, and it may run more than once. If it throws, nothing that it did stays.
   * @throws what the job throws; DatabaseUnavailable if the database does not respond.
   */
  write<T>(job: (query: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when all rows that `db` has returned survive a power cut. */
  flushed(): Promise<void>;
  /** ms since 1970 by the clock that all replicas share. Expiry and deletion use it. */
  now(): number;
  /**
   * Compares this machine's clock with the one that all replicas share, and corrects `now`.
   * @returns how far this machine's clock is ahead, ms; negative if it is behind.
   */
  measureSkew(): Promise<number>;
  /** @throws if the database cannot be reached or is read-only. */
  ping(): Promise<void>;
  /** Closes all connections within a few seconds, even if the database does not respond. */
  close(): Promise<void>;
}
