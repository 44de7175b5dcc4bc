import type { Selectable } from 'kysely';
import { validationError } from '../../../src/protocol/errors.js';
import type { SharesTable } from '../drivers/metadata/sharing-tables.js';
import type { Storage } from '../identity/credential.js';
import type { Creator } from '../identity/creator.js';

/** A file or folder that can be read with an unguessable link, or a folder into which visitors upload. */
export interface Share {
  id: string;
  storage: Storage;
  path: string | null;
  prefix: string | null;
  hasPassword: boolean;
  /** ms since 1970; null if it never expires. */
  expiresAt: number | null;
  maxDownloads: number | null;
  downloads: number;
  /** `upload`: visitors upload into the folder and see nothing of it. */
  mode: 'read' | 'upload';
  /** Limits of uploads; null for none. */
  maxSize: number | null;
  allowedExtensions: string[] | null;
  maxFiles: number | null;
  filesReceived: number;
  /** The creator's key and membership, see identity/provenance.ts. */
  creator: Pick<Creator, 'keyId' | 'memberId'>;
  /** Heading of the pages; null for the name of the file or folder. */
  title: string | null;
  /** Color of the pages as `#rrggbb`. */
  accent: string | null;
  createdAt: number;
}

/** A client that opens a share. */
export interface Visitor {
  /** The client's address. */
  address: string;
  password?: string | undefined;
  /** From `unlock`. Replaces the password. */
  pass?: string | undefined;
}

export interface ShareFields {
  /** null removes the password. */
  password?: string | null;
  expires_at?: string | null;
  max_downloads?: number | null;
  title?: string | null;
  accent?: string | null;
  /** Limits of uploads, only for the mode `upload`. */
  max_size?: number | null;
  allowed_extensions?: string[] | null;
  max_files?: number | null;
}

/** Reason why an existing share cannot be opened any more. It is the cause of `NOT_FOUND`, for the page; the API does not tell it. */
export class ShareEnded extends Error {
  constructor(readonly reason: 'expired' | 'used up') {
    super(`The share is ${reason}.`);
  }
}

export const toShare = (row: Selectable<SharesTable>): Share => ({
  id: row.id,
  storage: { accountId: row.account_id, bucketId: row.bucket_id },
  path: row.path,
  prefix: row.prefix,
  hasPassword: row.password_hash !== null,
  expiresAt: row.expires_at,
  maxDownloads: row.max_downloads,
  downloads: row.downloads,
  mode: row.mode,
  maxSize: row.max_size,
  allowedExtensions: row.extensions_json === null ? null : (JSON.parse(row.extensions_json) as string[]),
  maxFiles: row.max_files,
  filesReceived: row.files_received,
  creator: { keyId: row.key_id, memberId: row.member_id },
  title: row.title,
  accent: row.accent,
  createdAt: row.created_at,
});

/** @throws `VALIDATION_ERROR` for a limit that the mode does not have. */
export function assertFieldsOfMode(mode: Share['mode'], fields: ShareFields): void {
  const others = mode === 'upload' ? (['max_downloads'] as const) : (['max_size', 'allowed_extensions', 'max_files'] as const);
  for (const name of others)
    if (fields[name] !== undefined && fields[name] !== null) throw validationError(name, `must not be sent for the mode ${mode}`);
}
