/** Shapes on the wire, from the REST contract. Sizes are bytes, times ISO 8601 UTC, digests lower-case hex. */

export type Visibility = 'public' | 'private';

export interface FileRecord {
  id: string;
  path: string;
  name: string;
  size: number;
  content_type: string;
  visibility: Visibility;
  /** Where everyone can read it; null when private. */
  url: string | null;
  cache_control: string | null;
  content_disposition: string | null;
  expires_at: string | null;
  metadata: Record<string, string>;
  etag: string;
  sha256: string;
  created_at: string;
  updated_at: string;
}

/** A stored file as a list shows it: its record, and what the person who chose it knows it by. */
export interface StoredFile extends FileRecord {
  /** What it was called when it was chosen; without it the record's name. */
  shown_name?: string;
  /** Its place in a chosen folder, with its name; '' or absent: none. */
  relative_path?: string;
}

/** What an upload may say of its file, and what an upload token may fix for it. */
export interface FileOptions {
  visibility?: Visibility;
  cache_control?: string;
  content_disposition?: string;
  expires_at?: string;
  metadata?: Record<string, string>;
}

/** Body of `POST /v1/upload-tokens`; bounds in `limits.ts`. `path` and `prefix` exclude one another. */
export interface UploadTokenOptions extends FileOptions {
  path?: string;
  prefix?: string;
  max_size?: number;
  allowed_extensions?: string[];
  overwrite?: boolean;
  /** Seconds. */
  expires_in?: number;
  max_uses?: number;
}

/** What the service tells of a token after it was made: never its secret. */
export interface UploadTokenRecord {
  id: string;
  path: string | null;
  prefix: string | null;
  visibility: Visibility | null;
  cache_control: string | null;
  content_disposition: string | null;
  /** The fixed expiry of the uploaded files (the option `expires_at` of the request). */
  file_expires_at: string | null;
  metadata: Record<string, string> | null;
  max_size: number | null;
  allowed_extensions: string[] | null;
  overwrite: boolean;
  max_uses: number;
  uses: number;
  /** When the token itself expires. */
  expires_at: string;
  created_at: string;
  revoked_at: string | null;
}

/** Answer of `POST /v1/upload-tokens`: the record and, this once, the secret. */
export interface CreatedUploadToken extends UploadTokenRecord {
  token: string;
}

/** Answer of `GET /v1/upload-tokens/self`: what a page may know of the token it holds. */
export interface UploadTokenSelf {
  path: string | null;
  prefix: string | null;
  max_size: number | null;
  allowed_extensions: string[] | null;
  max_uses: number;
  uses: number;
  uses_left: number;
  expires_at: string;
}

/** What a backend's token route answers to the page (`createTokenRoute`). */
export interface TokenGrant {
  token: string;
  /** Base address of Blob Storage, without `/v1`. */
  url: string;
  expires_at: string;
  max_uses: number;
  max_size: number | null;
  allowed_extensions: string[] | null;
}

/** The least of it that a page has to know; the rest spares a question. */
export type SuppliedToken = Pick<TokenGrant, 'token'> & Partial<TokenGrant>;

/** One file of a page's request for a token; the backend may judge it before it mints. */
export interface ChosenFile {
  name: string;
  size: number;
  type: string;
  /** `folder/sub/name` for a file of a chosen folder; absent otherwise. */
  path?: string;
}

export type BatchResult = { file: FileRecord } | { code: string; message: string; details?: Record<string, unknown> };

export interface StatsRecord {
  files: number;
  bytes: number;
  quota_bytes: number | null;
  public_files: number;
  private_files: number;
  uploads_in_progress: number;
  upload_tokens_active: number;
}
