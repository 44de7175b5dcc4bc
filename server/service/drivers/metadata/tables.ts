import type { JobsTable } from './job-tables.js';
import type { BreakdownsTable, DailySumsTable } from './statistics-tables.js';
import type { Generated } from 'kysely';
import type { ScanState, Visibility } from '../../../../src/protocol/types.js';
import type { IdentityTables } from './identity-tables.js';
import type { DerivedFilesTable, DomainsTable, RulesTable, SharesTable } from './sharing-tables.js';
import type { WebhookDeliveriesTable, WebhooksTable } from './webhook-tables.js';

// Columns: times are ms since 1970, sizes bytes, `…_json` JSON text, flags 0 or 1. The same types hold in SQLite and PostgreSQL.

export interface AccountsTable {
  id: string;
  name: string;
  quota_bytes: number | null;
  created_at: number;
}

export interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  secret_hash: string;
  scopes_json: string;
  allowed_ips_json: string;
  created_at: number;
  revoked_at: number | null;
  /** First characters of the secret. Null for keys created before it was recorded. */
  prefix: string | null;
  /** Last four characters of the secret. */
  last4: string | null;
  last_used_at: number | null;
  /** The secret before the last rotation; valid until `previous_ends_at`. */
  previous_hash: string | null;
  previous_ends_at: number | null;
  /** When the user of the account was disabled; null while the user is enabled. */
  disabled_at: number | null;
  /** The OAuth client that received the key; null for other keys. */
  oauth_client_json: string | null;
}

export interface S3CredentialsTable {
  /** The access key id. */
  id: string;
  account_id: string;
  name: string;
  /** Encrypted; Signature V4 needs the secret itself. Empty once it is revoked. */
  secret: string;
  read_only: number;
  prefix: string | null;
  created_at: number;
  revoked_at: number | null;
  /** Null: valid until it is revoked. */
  expires_at: number | null;
  /** The API key that created it, see identity/provenance.ts. */
  key_id: string | null;
  /** The workspace membership that created it, see identity/provenance.ts. */
  member_id: string | null;
  /** When the user of the account was disabled; null while the user is enabled. */
  disabled_at: number | null;
}

export interface BucketsTable {
  id: string;
  account_id: string;
  name: string;
  is_main: number;
  settings_json: string;
  created_at: number;
}

export interface FilesTable {
  id: string;
  account_id: string;
  bucket_id: string;
  key: string;
  size: number;
  content_type: string;
  headers_json: string;
  visibility: Visibility;
  cache_control: string | null;
  content_disposition: string | null;
  expires_at: number | null;
  metadata_json: string;
  tags_json: string;
  sha256: string;
  etag: string;
  checksums_json: string;
  checksum_type: string | null;
  parts_json: string | null;
  /** `[[blob id, size], …]` in order; empty for an empty file. */
  segments_json: string;
  created_at: number;
  updated_at: number;
  /** The upload token that stored the bytes. Null for other credentials, and once the file was moved. */
  token_id: string | null;
  /** The state of the virus scan. Null for a file that was stored while scanning was off. */
  scan: ScanState | null;
  /** The name of what the scanner found in an infected file. */
  scan_signature: string | null;
  /** Failed scans of these bytes. */
  scan_attempts: number;
  /** Time of the next scan. While a replica scans the file, the end of the lease. Null if no scan is due. */
  scan_due_at: number | null;
  /** Random id of the running scan. */
  scan_lease: string | null;
}

/** A blob that files or parts refer to. */
export interface BlobsTable {
  id: string;
  size: number;
  /** SHA-256 of this blob in hex. The scrub compares it. */
  sha256: string;
  refs: number;
  /** When its last reference was dropped; null while it has references. */
  freed_at: number | null;
}

/** A body that is being received: the quota, use and idempotency key that it holds, and the process that receives it. */
export interface ReservationsTable {
  /** The id of the blob being written. */
  id: string;
  account_id: string;
  replica: string;
  bytes: number;
  token_id: string | null;
  idempotency_id: string | null;
  started_at: number;
  /** Last heartbeat of the process, by the database's clock. */
  alive_at: number;
  /** Id of the upload in parts that the body belongs to. */
  part_of: string | null;
  bucket_id: string | null;
  /** Key of the file that the body becomes; null for a part. */
  key: string | null;
}

export interface UploadTokensTable {
  id: string;
  account_id: string;
  bucket_id: string;
  /** The API key that created it, see identity/provenance.ts. */
  key_id: string | null;
  /** The workspace membership that created it, see identity/provenance.ts. */
  member_id: string | null;
  secret_hash: string;
  path: string | null;
  prefix: string | null;
  visibility: Visibility | null;
  cache_control: string | null;
  content_disposition: string | null;
  file_expires_at: number | null;
  metadata_json: string | null;
  max_size: number | null;
  extensions_json: string | null;
  overwrite: number;
  max_uses: number;
  uses: number;
  expires_at: number;
  created_at: number;
  revoked_at: number | null;
  /** The share whose page issued it. The token ends with the share. */
  share_id: string | null;
  allow_fetch: number;
  allow_delete: number;
}

export interface IdempotencyTable {
  /** Hash of the bucket and the client's key. */
  id: string;
  name: string;
  token_id: string | null;
  /** The stored file of the first response; null while the upload runs. */
  result_json: string | null;
  created_at: number;
}

export interface UploadsTable {
  id: string;
  account_id: string;
  bucket_id: string;
  key: string;
  kind: 's3' | 'tus';
  properties_json: string;
  state_json: string;
  credential_kind: 'key' | 'token' | 's3' | 'session';
  credential_id: string;
  created_at: number;
  expires_at: number | null;
  /** Sum of the parts. Quota checks read it instead of all parts of the account. */
  bytes: Generated<number>;
}

export interface PartsTable {
  upload_id: string;
  number: number;
  blob_id: string;
  size: number;
  etag: string;
  sha256: string;
  checksums_json: string;
  created_at: number;
}

/** A resumable upload, from its creation until a day after it has finished. */
export interface ResumablesTable {
  id: string;
  account_id: string;
  bucket_id: string;
  key: string;
  length: number;
  /** Durable bytes: the offset. */
  stored: number;
  /** The number of the last piece. */
  pieces: number;
  /** Random id of the newest request that sends bytes. An older request may not move the offset. */
  writer: string | null;
  credential_kind: 'key' | 'token' | 's3' | 'session';
  credential_id: string;
  properties_json: string;
  overwrite: number;
  /** The `Upload-Metadata` header of the creation, verbatim. */
  described: string;
  /** SHA-256 in hex that the whole upload must have. */
  digest: string | null;
  idempotency_id: string | null;
  /** The stored file of a finished upload. */
  file_json: string | null;
  created_at: number;
  expires_at: number;
}

/** Sums of an account, spread over several rows, so that parallel writers do not wait for one row. */
export interface UsageTable {
  account_id: string;
  slot: number;
  files: number;
  bytes: number;
  public_files: number;
}

/** Secrets that the replicas of a database share. */
export interface ServerSecretsTable {
  name: string;
  /** Base64. */
  secret: string;
}

/** Requests of all replicas in one window of time. */
export interface CountersTable {
  id: string;
  used: number;
  ends_at: number;
}

export interface MigrationsTable {
  version: number;
  applied_at: number;
}

export interface Tables extends IdentityTables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  s3_credentials: S3CredentialsTable;
  buckets: BucketsTable;
  files: FilesTable;
  blobs: BlobsTable;
  reservations: ReservationsTable;
  upload_tokens: UploadTokensTable;
  idempotency: IdempotencyTable;
  uploads: UploadsTable;
  parts: PartsTable;
  resumables: ResumablesTable;
  shares: SharesTable;
  rules: RulesTable;
  domains: DomainsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  derived_files: DerivedFilesTable;
  usage: UsageTable;
  server_secrets: ServerSecretsTable;
  counters: CountersTable;
  jobs: JobsTable;
  daily_sums: DailySumsTable;
  breakdowns: BreakdownsTable;
  schema_versions: MigrationsTable;
}
