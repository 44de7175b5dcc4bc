// Long because it lists all migrations, which stay as they were released.
import { sql } from 'kysely';
import type { Query } from './metadata.js';

/** Types of columns that differ between the databases. */
interface ColumnTypes {
  /** A text column that compares and sorts byte by byte. */
  bytewise: string;
}

const COLUMN_TYPES: Record<'sqlite' | 'postgres', ColumnTypes> = {
  sqlite: { bytewise: 'text' },
  postgres: { bytewise: 'text collate "C"' },
};

/** Migrations: version n is entry n − 1. Never change a released entry, add another one. */
const VERSIONS: ((types: ColumnTypes) => string[])[] = [
  ({ bytewise }) => [
    `create table accounts (id text primary key, name text not null, quota_bytes bigint, created_at bigint not null)`,
    `create table api_keys (id text primary key, account_id text not null references accounts (id), name text not null,
      secret_hash text not null unique, scopes_json text not null, allowed_ips_json text not null,
      created_at bigint not null, revoked_at bigint)`,
    `create table s3_credentials (id text primary key, account_id text not null references accounts (id), name text not null,
      secret text not null, read_only integer not null, prefix ${bytewise}, created_at bigint not null, revoked_at bigint)`,
    `create table buckets (id text primary key, account_id text not null references accounts (id), name text not null unique,
      is_main integer not null, settings_json text not null, created_at bigint not null)`,
    `create table files (id text primary key, account_id text not null, bucket_id text not null references buckets (id),
      key ${bytewise} not null, size bigint not null, content_type text not null, headers_json text not null, visibility text not null,
      cache_control text, content_disposition text, expires_at bigint, metadata_json text not null, tags_json text not null,
      sha256 text not null, etag text not null, checksums_json text not null, checksum_type text, parts_json text,
      segments_json text not null, created_at bigint not null, updated_at bigint not null)`,
    `create unique index files_by_key on files (bucket_id, key)`,
    `create index files_by_expiry on files (expires_at) where expires_at is not null`,
    `create table blobs (id text primary key, size bigint not null, sha256 text not null, refs integer not null, freed_at bigint)`,
    `create index blobs_freed on blobs (freed_at) where freed_at is not null`,
    `create table reservations (id text primary key, account_id text not null, replica text not null, bytes bigint not null,
      token_id text, idempotency_id text, started_at bigint not null, alive_at bigint not null)`,
    `create index reservations_by_account on reservations (account_id)`,
    `create table upload_tokens (id text primary key, account_id text not null, bucket_id text not null, key_id text not null,
      secret_hash text not null unique, path text, prefix text, visibility text, cache_control text, content_disposition text,
      file_expires_at bigint, metadata_json text, max_size bigint, extensions_json text, overwrite integer not null,
      max_uses integer not null, uses integer not null, expires_at bigint not null, created_at bigint not null, revoked_at bigint)`,
    `create index upload_tokens_by_account on upload_tokens (account_id, created_at)`,
    `create table idempotency (id text primary key, name text not null, token_id text, result_json text, created_at bigint not null)`,
    `create index idempotency_by_age on idempotency (created_at)`,
    `create table uploads (id text primary key, account_id text not null, bucket_id text not null, key ${bytewise} not null,
      kind text not null, properties_json text not null, state_json text not null, credential_kind text not null,
      credential_id text not null, created_at bigint not null, expires_at bigint)`,
    `create index uploads_by_key on uploads (bucket_id, key)`,
    `create table parts (upload_id text not null references uploads (id), number integer not null, blob_id text not null,
      size bigint not null, etag text not null, sha256 text not null, checksums_json text not null, created_at bigint not null,
      primary key (upload_id, number))`,
    `create table usage (account_id text not null, slot integer not null, files bigint not null, bytes bigint not null,
      public_files bigint not null, primary key (account_id, slot))`,
  ],
  () => [`create table server_secrets (name text primary key, secret text not null)`],
  // Resumable uploads. A running one has a row of the same id in uploads, whose parts are its pieces.
  ({ bytewise }) => [
    `create table resumables (id text primary key, account_id text not null, bucket_id text not null, key ${bytewise} not null,
      length bigint not null, stored bigint not null, pieces integer not null, writer text, credential_kind text not null,
      credential_id text not null, properties_json text not null, overwrite integer not null, described text not null, digest text,
      idempotency_id text, file_json text, created_at bigint not null, expires_at bigint not null)`,
    `create index resumables_by_account on resumables (account_id) where file_json is null`,
    `create index resumables_by_idempotency on resumables (idempotency_id) where idempotency_id is not null`,
    `create index resumables_by_expiry on resumables (expires_at)`,
  ],
  ({ bytewise }) => [
    `create table shares (id text primary key, account_id text not null, bucket_id text not null, path ${bytewise}, prefix ${bytewise},
      password_hash text, expires_at bigint, max_downloads integer, downloads integer not null, created_at bigint not null)`,
    `create index shares_by_bucket on shares (bucket_id, created_at)`,
    `create table rules (id text primary key, account_id text not null, bucket_id text not null, prefix ${bytewise} not null,
      max_size bigint, extensions_json text, visibility text, cache_control text, expires_after bigint, created_at bigint not null)`,
    `create unique index rules_by_prefix on rules (bucket_id, prefix)`,
    `create table domains (id text primary key, account_id text not null, bucket_id text not null, host text not null,
      prefix ${bytewise} not null, challenge text not null, verified_at bigint, created_at bigint not null)`,
    `create unique index domains_by_host on domains (bucket_id, host)`,
    `create unique index domains_verified on domains (host) where verified_at is not null`,
  ],
  // Counters of request limits.
  () => [
    `create table counters (id text primary key, used bigint not null, ends_at bigint not null)`,
    `create index counters_by_end on counters (ends_at)`,
  ],
  // S3 key pairs with an expiry.
  () => [`alter table s3_credentials add column expires_at bigint`],
  // Domains are verified regularly.
  () => [
    `alter table domains add column checked_at bigint`,
    `alter table domains add column failures integer not null default 0`,
  ],
  // Without these indexes, lists, statistics and the sweep would read every token.
  () => [
    `create index upload_tokens_by_age on upload_tokens (bucket_id, created_at, id)`,
    `create index upload_tokens_standing on upload_tokens (bucket_id, expires_at)`,
    `create index upload_tokens_by_expiry on upload_tokens (expires_at)`,
    `drop index upload_tokens_by_account`,
  ],
  // Distinguishes a running part from a running upload.
  () => [`alter table reservations add column part_of text`, `create index uploads_by_account on uploads (account_id)`],
  // Provenance: key pairs and shares record the API key that created them. Rows from before have null: nothing is known of their creator.
  // A token's key may be null too (a session creates one). SQLite cannot drop `not null`, so the column is made anew.
  () => [
    `alter table s3_credentials add column key_id text`,
    `alter table shares add column key_id text`,
    `create index shares_by_key on shares (key_id) where key_id is not null`,
    `alter table upload_tokens rename column key_id to key_id_before`,
    `alter table upload_tokens add column key_id text`,
    `update upload_tokens set key_id = key_id_before`,
    `alter table upload_tokens drop column key_id_before`,
  ],
  // Unfinished uploads are listed in the order of an index, and counted by account and key.
  () => [
    `create index uploads_in_order on uploads (bucket_id, kind, key, created_at, id)`,
    `create index uploads_by_credential on uploads (account_id, kind, credential_id)`,
    `drop index uploads_by_key`,
    `drop index uploads_by_account`,
  ],
  // Finds the upload of a token without uses left before its body is read.
  () => [`create index idempotency_by_token on idempotency (token_id) where token_id is not null`],
  // The parts of an unfinished upload reserve their bytes in the quota.
  () => [
    `alter table uploads add column bytes bigint not null default 0`,
    `update uploads set bytes = (select coalesce(sum(size), 0) from parts where upload_id = uploads.id)`,
  ],
  // Users, sessions, OAuth, workspaces and the activity log. Records name the workspace membership that created them, see identity/provenance.ts.
  () => [
    `create table users (id text primary key, account_id text not null unique references accounts (id), name text not null,
      email text not null, email_key text not null unique, password_hash text not null, language text not null,
      workspace_invites_enabled integer not null, plan_id integer not null, is_admin integer not null, disabled_at bigint,
      created_at bigint not null, updated_at bigint not null)`,
    `create table sessions (id text primary key, user_id text not null references users (id), secret_hash text not null unique,
      ip text not null, user_agent text not null, created_at bigint not null, last_used_at bigint not null)`,
    `create index sessions_by_user on sessions (user_id, created_at)`,
    `create index sessions_by_age on sessions (created_at)`,
    `create table one_time_links (id text primary key, kind text not null, secret_hash text not null unique, email text,
      language text, created_by text, created_at bigint not null, expires_at bigint not null)`,
    `create index one_time_links_by_expiry on one_time_links (expires_at)`,
    `alter table api_keys add column prefix text`,
    `alter table api_keys add column last4 text`,
    `alter table api_keys add column last_used_at bigint`,
    `alter table api_keys add column previous_hash text`,
    `alter table api_keys add column previous_ends_at bigint`,
    `alter table api_keys add column disabled_at bigint`,
    `alter table api_keys add column oauth_client_json text`,
    `create unique index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null`,
    `create index api_keys_by_account on api_keys (account_id, created_at)`,
    // Each authentication finds the main bucket of its account.
    `create index buckets_by_account on buckets (account_id, is_main)`,
    `alter table s3_credentials add column member_id text`,
    `alter table s3_credentials add column disabled_at bigint`,
    `alter table upload_tokens add column member_id text`,
    `alter table shares add column member_id text`,
    `create index shares_by_member on shares (member_id) where member_id is not null`,
    `create index s3_credentials_by_member on s3_credentials (member_id) where member_id is not null`,
    `create table oauth_consents (id text primary key, secret_hash text not null unique, session_id text not null, request_json text not null,
      created_at bigint not null, expires_at bigint not null)`,
    `create index oauth_consents_by_expiry on oauth_consents (expires_at)`,
    `create table oauth_codes (id text primary key, code_hash text not null unique, client_id text not null, redirect_uri text not null,
      user_id text not null, resource text, scopes_json text not null, challenge text not null, client_json text not null,
      replaces_key_id text, key_id text, created_at bigint not null, expires_at bigint not null, used_at bigint)`,
    `create index oauth_codes_by_expiry on oauth_codes (expires_at)`,
    `create table workspaces (id text primary key, owner_id text not null references users (id), name text not null,
      created_at bigint not null, updated_at bigint not null)`,
    `create index workspaces_by_owner on workspaces (owner_id)`,
    `create table workspace_roles (id text primary key, workspace_id text not null references workspaces (id), name text not null,
      permissions_json text not null, created_at bigint not null, updated_at bigint not null, unique (workspace_id, name))`,
    `create table workspace_members (id text primary key, workspace_id text not null references workspaces (id),
      user_id text not null references users (id), role_id text not null references workspace_roles (id), expires_at bigint,
      joined_at bigint not null, unique (workspace_id, user_id))`,
    `create index workspace_members_by_user on workspace_members (user_id)`,
    `create index workspace_members_by_role on workspace_members (role_id)`,
    `create table workspace_invites (id text primary key, workspace_id text not null references workspaces (id), secret_hash text not null unique,
      email_key text, role_id text not null references workspace_roles (id), expires_at bigint not null, max_uses integer not null,
      uses integer not null, created_by text not null, created_at bigint not null)`,
    `create index workspace_invites_by_workspace on workspace_invites (workspace_id, created_at)`,
    `create table resource_folders (id text primary key, user_id text not null references users (id), workspace_id text not null,
      name text not null, color text not null, position integer not null, created_at bigint not null,
      unique (user_id, workspace_id, name))`,
    `create table folder_resources (user_id text not null, workspace_id text not null, resource_type text not null, resource_id text not null,
      folder_id text not null references resource_folders (id), position integer not null,
      primary key (user_id, workspace_id, resource_type, resource_id))`,
    `create table favorites (user_id text not null, workspace_id text not null, resource_type text not null, resource_id text not null,
      position integer not null, primary key (user_id, workspace_id, resource_type, resource_id))`,
    `create table activities (id text primary key, account_id text, workspace_id text, status text not null, target_type text not null,
      target_id text, author_id text, author text, origin text not null, action text not null, details_json text not null,
      created_at bigint not null)`,
    `create index activities_by_workspace on activities (workspace_id, created_at, id) where workspace_id is not null`,
    `create index activities_by_account on activities (account_id, created_at, id) where account_id is not null`,
    `create index activities_by_age on activities (created_at)`,
  ],
  // Files are listed by size and time. The key in the index orders equal values, and lets a search test names without reading rows.
  () => [
    `create index files_by_size on files (bucket_id, size, key)`,
    `create index files_by_update on files (bucket_id, updated_at, key)`,
  ],
  // Webhooks and their outbox. A reservation states its key, so that the failure of its upload is an event.
  ({ bytewise }) => [
    `create table webhooks (id text primary key, account_id text not null, bucket_id text not null, url text not null,
      description text not null, events_json text not null, prefix ${bytewise} not null, secret text not null, previous_secret text,
      previous_ends_at bigint, stopped_at bigint, stop_reason text, failing_since bigint, created_at bigint not null, deleted_at bigint,
      key_id text, member_id text)`,
    `create index webhooks_by_bucket on webhooks (bucket_id)`,
    `create table webhook_deliveries (id text primary key, webhook_id text not null, event text not null, data_json text not null,
      status text not null, attempts integer not null, attempts_json text not null, due_at bigint not null, lease text,
      created_at bigint not null, settled_at bigint)`,
    `create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where status = 'pending'`,
    `create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, created_at, id)`,
    `create index webhook_deliveries_settled on webhook_deliveries (webhook_id, settled_at) where settled_at is not null`,
    `alter table reservations add column bucket_id text`,
    `alter table reservations add column key ${bytewise}`,
  ],
  // The pages of shares show a title and a color of the owner.
  () => [`alter table shares add column title text`, `alter table shares add column accent text`],
  // Shares through which visitors upload. The tokens of their pages end with them.
  () => [
    `alter table shares add column mode text not null default 'read'`,
    `alter table shares add column max_size bigint`,
    `alter table shares add column extensions_json text`,
    `alter table shares add column max_files integer`,
    `alter table shares add column files_received integer not null default 0`,
    `alter table upload_tokens add column share_id text`,
  ],
  // Resized images, and the sizes that everyone may request.
  () => [
    `alter table rules add column image_sizes_json text`,
    `create table derived_files (id text primary key, file_id text not null, variant text not null, source_sha256 text not null,
      blob_id text, size bigint not null, content_type text not null, sha256 text not null, failure_json text,
      created_at bigint not null, used_at bigint not null)`,
    `create unique index derived_files_by_variant on derived_files (file_id, variant)`,
    `create index derived_files_by_use on derived_files (used_at)`,
  ],
  // Jobs that change many files.
  () => [
    `create table jobs (id text primary key, account_id text not null, bucket_id text not null, type text not null, state text not null,
      spec_json text not null, snapshot_at bigint not null, creator_json text not null, author text, position text, total bigint,
      done bigint not null, failed bigint not null, failures_json text not null, error_json text, lease_id text, lease_until bigint,
      failed_turns integer not null, turn_at bigint not null, created_at bigint not null, started_at bigint, finished_at bigint)`,
    `create index jobs_by_bucket on jobs (bucket_id, created_at, id)`,
    `create index jobs_unfinished on jobs (turn_at) where finished_at is null`,
    `create index jobs_unfinished_by_account on jobs (account_id) where finished_at is null`,
    `create index jobs_by_end on jobs (finished_at) where finished_at is not null`,
  ],
  // Statistics.
  () => [
    `create table daily_sums (account_id text not null, day integer not null, requests bigint not null, errors bigint not null,
      bytes_in bigint not null, bytes_out bigint not null, uploads bigint not null, failed_uploads bigint not null,
      files bigint not null, bytes bigint not null, primary key (account_id, day))`,
    `create index daily_sums_by_day on daily_sums (day)`,
    `create table breakdowns (bucket_id text primary key, result_json text, computed_at bigint, computing_until bigint)`,
  ],
  // Tokens with which the service may fetch files from URLs.
  () => [`alter table upload_tokens add column allow_fetch integer not null default 0`],
  // Tokens that may delete the files that they stored. Files of earlier versions belong to no token.
  () => [
    `alter table upload_tokens add column allow_delete integer not null default 0`,
    `alter table files add column token_id text`,
  ],
  // Virus scans. Files of earlier versions were never scanned, so their state is null.
  () => [
    `alter table files add column scan text`,
    `alter table files add column scan_signature text`,
    `alter table files add column scan_attempts integer not null default 0`,
    `alter table files add column scan_due_at bigint`,
    `alter table files add column scan_lease text`,
    `create index files_to_scan on files (scan_due_at) where scan_due_at is not null`,
  ],
  // The accounts take turns with their scans.
  () => [`create index files_to_scan_by_account on files (account_id, scan_due_at) where scan_due_at is not null`],
  // The activity log is filtered by author and by action.
  () =>
    ['account_id', 'workspace_id'].flatMap((log) =>
      ['author_id', 'action'].map(
        (column) =>
          `create index activities_by_${log}_and_${column} on activities (${log}, ${column}, created_at, id) where ${log} is not null`,
      ),
    ),
];

/**
 * Migrates the tables to the newest version. The caller ensures that no other replica migrates at the same time.
 * @param target a lower version, for tests of a migration.
 * @throws Error if a newer version of the program made the database.
 */
export async function migrate(
  query: Query,
  dialect: 'sqlite' | 'postgres',
  now: number,
  target = VERSIONS.length,
): Promise<void> {
  await sql`create table if not exists schema_versions (version integer primary key, applied_at bigint not null)`.execute(query);
  const rows = await query.selectFrom('schema_versions').select('version').execute();
  const current = Math.max(0, ...rows.map((row) => row.version));
  if (current > VERSIONS.length)
    throw new Error(
      `the database has version ${current}, this program knows ${VERSIONS.length}. Run the newer version of svc-uploader that ` +
        'upgraded it, or restore the backup from before the upgrade.',
    );
  for (const [index, version] of VERSIONS.entries()) {
    if (index < current || index >= target) continue;
    for (const statement of version(COLUMN_TYPES[dialect])) await sql.raw(statement).execute(query);
    await query
      .insertInto('schema_versions')
      .values({ version: index + 1, applied_at: now })
      .execute();
  }
}
