// Columns of webhooks and their deliveries. The conventions of tables.ts hold here too.

export type WebhookEvent = 'file.created' | 'file.updated' | 'file.deleted' | 'file.scanned' | 'upload.failed';

/**
 * The reason why a webhook receives nothing. `disabled`: a user turned it off. `failing`: no delivery succeeded for days. `gone`: the endpoint responded
 * with 410. `backlog`: too many deliveries waited.
 */
export type StopReason = 'disabled' | 'failing' | 'gone' | 'backlog';

export interface WebhooksTable {
  id: string;
  account_id: string;
  bucket_id: string;
  url: string;
  description: string;
  /** List of `WebhookEvent`. */
  events_json: string;
  /** Folder whose events are sent; empty for all. */
  prefix: string;
  /** Encrypted; signatures need the secret itself. Empty once the webhook is deleted. */
  secret: string;
  /** The secret before the last rotation, encrypted. It signs too until `previous_ends_at`. */
  previous_secret: string | null;
  previous_ends_at: number | null;
  stopped_at: number | null;
  stop_reason: StopReason | null;
  /** First failed attempt since the last success. */
  failing_since: number | null;
  created_at: number;
  /** Set while the sweep deletes its deliveries. The row follows them. */
  deleted_at: number | null;
  /** The API key that created it, see identity/provenance.ts. */
  key_id: string | null;
  /** The workspace membership that created it, see identity/provenance.ts. */
  member_id: string | null;
}

/** One event for one webhook. Written in the transaction of the event, so that none is lost. */
export interface WebhookDeliveriesTable {
  /** Sent as `webhook-id`. */
  id: string;
  webhook_id: string;
  event: WebhookEvent;
  /** The content of the event, see storage/events/file-event.ts. */
  data_json: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts since the creation or the last request to repeat it. */
  attempts: number;
  /** The last attempts, oldest first. */
  attempts_json: string;
  /** Time of the next attempt. While a replica sends it, the end of the lease. */
  due_at: number;
  /** Random id of the attempt of the replica that sends it. */
  lease: string | null;
  created_at: number;
  settled_at: number | null;
}
