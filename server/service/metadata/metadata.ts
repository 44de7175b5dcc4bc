import type { Kysely } from 'kysely';
import type { Dialect } from './dialects.js';
import type { Tables } from './tables.js';

/** Queries, the same for every database. */
export type Query = Kysely<Tables>;

export interface WriteOptions {
  /**
   * false: may be forgotten by a power cut (never by a crash of the process). For what a sweep would undo anyway, such as the reservation of
   * an upload that has not finished. Default true.
   */
  durable?: boolean;
}

/** Whether a write failed because the database's disk is full: then nothing of it stays. */
export const isDatabaseFull = (cause: unknown): boolean =>
  ['SQLITE_FULL', '53100' /* disk_full of PostgreSQL */].includes((cause as { code?: string } | undefined)?.code ?? '');

/** Where the records lie: SQLite beside the files, or PostgreSQL for several replicas. One contract suite runs against both. */
export interface Metadata extends Dialect {
  readonly dialect: 'sqlite' | 'postgres';
  /** For reading. */
  readonly db: Query;
  /**
   * Runs queries in one transaction and resolves when it is committed. The job may do nothing but queries, since others may share its
   * transaction (one flush for many writers), and may run twice. When it throws, nothing it did stays.
   */
  write<T>(job: (query: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
