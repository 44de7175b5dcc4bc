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
  /** Uses connections that are kept free for the process's own signs of life. Default false. */
  reserved?: boolean;
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
  /** Resolves when everything that `db` has shown survives a power cut. */
  flushed(): Promise<void>;
  /** ms since 1970 by the clock that all replicas share. Whatever expires or is deleted goes by it. */
  now(): number;
  /**
   * Compares this machine's clock with the one that all replicas share, and corrects `now`.
   * @returns by how much this machine's is ahead, ms; negative: behind.
   */
  measureSkew(): Promise<number>;
  /** @throws when the database cannot be reached or takes no writes. */
  ping(): Promise<void>;
  /** Takes a few seconds at most, whatever the database does. */
  close(): Promise<void>;
}
