// Columns of jobs. The conventions of tables.ts hold here too.

export interface JobsTable {
  id: string;
  account_id: string;
  bucket_id: string;
  type: 'delete' | 'move' | 'copy' | 'visibility';
  state: 'queued' | 'running' | 'done' | 'cancelled' | 'failed';
  /** The files and the change, a `JobSpec`. */
  spec_json: string;
  /** Files that were updated later are left alone. */
  snapshot_at: number;
  /** The sender of the request, see identity/creator.ts. */
  creator_json: string;
  /** The name of the sender, for people. */
  author: string | null;
  /** The position at which the job continues; null at its start. */
  position: string | null;
  total: number | null;
  done: number;
  failed: number;
  failures_json: string;
  /** The error of a job that failed as a whole. */
  error_json: string | null;
  /** Random id of the process and turn that works on the job. */
  lease_id: string | null;
  /** By the database's clock. */
  lease_until: number | null;
  /** Turns that failed one after another for an unknown reason. */
  failed_turns: number;
  /** End of the last turn. The job that waited longest is next. */
  turn_at: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}
