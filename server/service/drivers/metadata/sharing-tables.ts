import type { Generated } from 'kysely';
import type { Visibility } from '../../../../src/protocol/types.js';

// Columns of shares, rules, domains and derived files. The conventions of tables.ts hold here too.

export interface SharesTable {
  /** Also the secret part of the link: 130 random bits. */
  id: string;
  account_id: string;
  bucket_id: string;
  /** Either `path` or `prefix` is set. */
  path: string | null;
  prefix: string | null;
  password_hash: string | null;
  expires_at: number | null;
  max_downloads: number | null;
  downloads: number;
  /** `read`: visitors read files. `upload`: visitors upload into the folder and see nothing of it. */
  mode: Generated<'read' | 'upload'>;
  /** Limits of uploads; null for none. */
  max_size: number | null;
  extensions_json: string | null;
  max_files: number | null;
  /** Files that visitors have uploaded, with those on their way. */
  files_received: Generated<number>;
  /** Heading of the pages; null for the name of the file or folder. */
  title: string | null;
  /** Color of the pages as `#rrggbb`. */
  accent: string | null;
  created_at: number;
  /** The API key that created it, see identity/provenance.ts. */
  key_id: string | null;
  /** The workspace membership that created it, see identity/provenance.ts. */
  member_id: string | null;
}

export interface RulesTable {
  id: string;
  account_id: string;
  bucket_id: string;
  /** Empty for the whole bucket. */
  prefix: string;
  max_size: number | null;
  extensions_json: string | null;
  visibility: Visibility | null;
  cache_control: string | null;
  /** Seconds after which a file of the folder expires. */
  expires_after: number | null;
  created_at: number;
  /** Sizes of images that everyone may request, such as `["400x300"]`. */
  image_sizes_json: string | null;
}

export interface DomainsTable {
  id: string;
  account_id: string;
  bucket_id: string;
  host: string;
  /** Folder that the domain serves; empty for the whole bucket. */
  prefix: string;
  /** Required content of the TXT record. */
  challenge: string;
  verified_at: number | null;
  /** Last DNS check of a verified domain; `failures` counts failed checks in a row. */
  checked_at: number | null;
  failures: Generated<number>;
  created_at: number;
}

/** Results that are computed from files, such as resized images, and failures of such computations. */
export interface DerivedFilesTable {
  id: string;
  file_id: string;
  /** Version and parameters of the computation. */
  variant: string;
  /** SHA-256 of the file's bytes. */
  source_sha256: string;
  /** Null for a failure. */
  blob_id: string | null;
  size: number;
  content_type: string;
  sha256: string;
  failure_json: string | null;
  created_at: number;
  used_at: number;
}
