import { baseName, encodePath } from '../../../src/protocol/paths.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { formatTime } from '../../../src/protocol/time.js';
import type { StoredFile } from '../storage/blob-storage.js';

/** The properties of a file that its REST representation contains. */
type Describable = Omit<StoredFile, 'headers' | 'tags' | 'checksums' | 'checksumType' | 'parts'>;

/** Converts a file to its REST representation. */
export function fileJson(file: Describable, baseUrl: string): FileRecord {
  return {
    id: file.id,
    path: file.key,
    name: baseName(file.key),
    size: file.size,
    content_type: file.contentType,
    visibility: file.visibility,
    url: file.visibility === 'public' ? publicUrl(file, baseUrl) : null,
    cache_control: file.cacheControl,
    content_disposition: file.contentDisposition,
    expires_at: file.expiresAt === null ? null : formatTime(file.expiresAt),
    metadata: file.metadata,
    etag: file.etag,
    sha256: file.sha256,
    created_at: new Date(file.createdAt).toISOString(),
    updated_at: new Date(file.updatedAt).toISOString(),
    // Records that an earlier version stored as JSON lack the state.
    ...(file.scan && { scan: file.scan }),
    ...(file.scanSignature && { scan_signature: file.scanSignature }),
  };
}

export const publicUrl = (file: Pick<StoredFile, 'accountId' | 'key'>, baseUrl: string): string =>
  `${baseUrl}/f/${encodeURIComponent(file.accountId)}/${encodePath(file.key)}`;
