// JSON of the REST API. Sizes are bytes, times ISO 8601 in UTC, digests lower-case hex.

/** Public files can be read by everyone who knows their URL. */
export type Visibility = 'public' | 'private';

/**
 * The state of the virus scan of a file. `pending`: not scanned yet. `clean`: delivered. `infected`: never delivered. `too_large`: larger than
 * the scanner accepts, so not delivered.
 */
export type ScanState = 'pending' | 'clean' | 'infected' | 'too_large';

/** A stored file. */
export interface FileRecord {
  id: string;
  path: string;
  name: string;
  size: number;
  content_type: string;
  visibility: Visibility;
  /** The public URL; null if the file is private. */
  url: string | null;
  cache_control: string | null;
  content_disposition: string | null;
  expires_at: string | null;
  metadata: Record<string, string>;
  etag: string;
  sha256: string;
  created_at: string;
  updated_at: string;
  /** The state of the virus scan. Absent if the file was stored while the service did not scan. */
  scan?: ScanState;
  /** The name of what the scanner found. Only of an infected file. */
  scan_signature?: string;
}

/** A stored file in the element's list. It keeps the names that the person knows. */
export interface StoredFile extends FileRecord {
  /** The name of the chosen file. @default the name of the stored file */
  shown_name?: string;
  /** `folder/sub/name` for a file of a chosen folder; otherwise '' or absent. */
  relative_path?: string;
}

/** Options of a file. An upload states them, or its token fixes them. */
export interface FileOptions {
  visibility?: Visibility;
  cache_control?: string;
  content_disposition?: string;
  expires_at?: string;
  metadata?: Record<string, string>;
}

/** Body of `POST /v1/upload-tokens`. `path` and `prefix` exclude each other. */
export interface UploadTokenOptions extends FileOptions {
  /** The path of the one file that the token admits. */
  path?: string;
  /** The folder of the files that the token admits. */
  prefix?: string;
  /** Largest size of a file, in bytes. */
  max_size?: number;
  /** 1 to 20 extensions such as `pdf`. */
  allowed_extensions?: string[];
  /** Whether an upload may replace the file at `path`. @default false */
  overwrite?: boolean;
  /** Lifetime of the token in seconds, 60 to 3600. @default 900 */
  expires_in?: number;
  /** 1 to 100 files. @default 1 */
  max_uses?: number;
  /** Whether the service may fetch the file from a URL that the page names. @default false */
  allow_fetch?: boolean;
  /** Whether the page may delete the files that it stored with the token. @default false */
  allow_delete?: boolean;
}

/** An upload token without its secret. */
export interface UploadTokenRecord {
  id: string;
  path: string | null;
  prefix: string | null;
  visibility: Visibility | null;
  cache_control: string | null;
  content_disposition: string | null;
  /** The time when the uploaded files expire: the option `expires_at` of the request. */
  file_expires_at: string | null;
  metadata: Record<string, string> | null;
  max_size: number | null;
  allowed_extensions: string[] | null;
  overwrite: boolean;
  allow_fetch: boolean;
  allow_delete: boolean;
  max_uses: number;
  uses: number;
  /** The time when the token expires. */
  expires_at: string;
  created_at: string;
  revoked_at: string | null;
}

/** Response of `POST /v1/upload-tokens`. Only this response contains the secret `token`. */
export interface CreatedUploadToken extends UploadTokenRecord {
  token: string;
}

/** Response of `GET /v1/upload-tokens/self`. A page learns the limits of its token from it. */
export interface UploadTokenSelf {
  path: string | null;
  prefix: string | null;
  max_size: number | null;
  allowed_extensions: string[] | null;
  allow_fetch: boolean;
  allow_delete: boolean;
  max_uses: number;
  uses: number;
  uses_left: number;
  expires_at: string;
}

/** Response of a site's token route (`createTokenRoute`). */
export interface TokenGrant {
  token: string;
  /** Base address of Blob Storage, without `/v1`. */
  url: string;
  expires_at: string;
  max_uses: number;
  max_size: number | null;
  allowed_extensions: string[] | null;
  /** Whether the service may fetch files from URLs that the page names. */
  allow_fetch?: boolean;
}

/** A token that a page supplies. With the other fields of a grant, the element need not request them from the service. */
export type SuppliedToken = Pick<TokenGrant, 'token'> & Partial<TokenGrant>;

/** A file in a page's request for a token. */
export interface ChosenFile {
  name: string;
  /** Bytes; 0 while it is unknown. */
  size: number;
  type: string;
  /** `folder/sub/name` for a file of a chosen folder; absent otherwise. */
  path?: string;
  /** Address from which the service fetches the file; absent for a file of the person's device. */
  url?: string;
}

/** The result of one file of a request `POST /v1/files/batch`. */
export type BatchResult = { file: FileRecord } | { code: string; message: string; details?: Record<string, unknown> };

/** Response of `GET /v1/stats`. */
export interface StatsRecord {
  files: number;
  bytes: number;
  quota_bytes: number | null;
  public_files: number;
  private_files: number;
  uploads_in_progress: number;
  upload_tokens_active: number;
}
