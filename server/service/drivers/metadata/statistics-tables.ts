// Columns of statistics. The conventions of tables.ts hold here too.

/** Sums of an account and a day. */
export interface DailySumsTable {
  account_id: string;
  /** Days since 1970 in UTC. */
  day: number;
  requests: number;
  errors: number;
  bytes_in: number;
  bytes_out: number;
  uploads: number;
  failed_uploads: number;
  /** Stored files and bytes at the last write of the day. */
  files: number;
  bytes: number;
}

/** The largest folders and types of a bucket. */
export interface BreakdownsTable {
  bucket_id: string;
  /** Null until it was computed once. */
  result_json: string | null;
  computed_at: number | null;
  /** Another process may compute it after this time, by the database's clock. */
  computing_until: number | null;
}
