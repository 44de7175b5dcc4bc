import type { Selectable } from 'kysely';
import { DEFAULT_MEDIA_TYPE, safeMediaType } from '../../../../src/protocol/media-type.js';
import type { FilesTable } from '../../drivers/metadata/tables.js';
import type { FileProperties, StoredFile } from '../types.js';

export type FileRow = Selectable<FilesTable>;

/** All columns. The type of the record fails the build if a column is missing. */
export const FILE_COLUMNS = Object.keys({
  id: true,
  account_id: true,
  bucket_id: true,
  key: true,
  size: true,
  content_type: true,
  headers_json: true,
  visibility: true,
  cache_control: true,
  content_disposition: true,
  expires_at: true,
  metadata_json: true,
  tags_json: true,
  sha256: true,
  etag: true,
  checksums_json: true,
  checksum_type: true,
  parts_json: true,
  segments_json: true,
  created_at: true,
  updated_at: true,
  token_id: true,
  scan: true,
  scan_signature: true,
  scan_attempts: true,
  scan_due_at: true,
  scan_lease: true,
} satisfies Record<keyof FileRow, true>) as (keyof FileRow)[];

/** Columns of a megabyte or more for a file in thousands of parts. Listings leave them out. */
type OfParts = 'parts_json' | 'segments_json';
export const LISTED_COLUMNS = FILE_COLUMNS.filter(
  (name): name is Exclude<keyof FileRow, OfParts> => name !== 'parts_json' && name !== 'segments_json',
);

/** A blob of a file. A file is the sequence of its segments. */
export type Segment = [blobId: string, size: number];

export const segmentsOf = (row: Pick<FileRow, 'segments_json'>): Segment[] => JSON.parse(row.segments_json) as Segment[];

export function toStoredFile(row: Omit<FileRow, 'segments_json'>): StoredFile {
  return {
    id: row.id,
    accountId: row.account_id,
    bucketId: row.bucket_id,
    key: row.key,
    size: row.size,
    // Rows of earlier versions may contain types that are refused today.
    contentType: safeMediaType(row.content_type),
    headers: JSON.parse(row.headers_json) as Record<string, string>,
    visibility: row.visibility,
    cacheControl: row.cache_control,
    contentDisposition: row.content_disposition,
    expiresAt: row.expires_at,
    metadata: JSON.parse(row.metadata_json) as Record<string, string>,
    tags: JSON.parse(row.tags_json) as Record<string, string>,
    sha256: row.sha256,
    etag: row.etag,
    checksums: JSON.parse(row.checksums_json) as Record<string, string>,
    checksumType: row.checksum_type as StoredFile['checksumType'],
    parts: row.parts_json === null ? null : (JSON.parse(row.parts_json) as StoredFile['parts']),
    scan: row.scan,
    scanSignature: row.scan_signature,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type PropertyColumns = Pick<
  FileRow,
  | 'content_type'
  | 'headers_json'
  | 'visibility'
  | 'cache_control'
  | 'content_disposition'
  | 'expires_at'
  | 'metadata_json'
  | 'tags_json'
>;

/** Returns the columns of a new file. Omitted properties are empty. */
export function propertyColumns(properties: FileProperties): PropertyColumns {
  return {
    content_type: properties.contentType ?? DEFAULT_MEDIA_TYPE,
    headers_json: JSON.stringify(properties.headers ?? {}),
    visibility: properties.visibility ?? 'private',
    cache_control: properties.cacheControl ?? null,
    content_disposition: properties.contentDisposition ?? null,
    expires_at: properties.expiresAt ?? null,
    metadata_json: JSON.stringify(properties.metadata ?? {}),
    tags_json: JSON.stringify(properties.tags ?? {}),
  };
}

/** Merges changes into the properties of a file. */
export function mergeProperties(file: StoredFile, changes: FileProperties): FileProperties {
  const { contentType, headers, visibility, cacheControl, contentDisposition, expiresAt, metadata, tags } = file;
  const merged: FileProperties = {
    contentType,
    headers,
    visibility,
    cacheControl,
    contentDisposition,
    expiresAt,
    metadata,
    tags,
  };
  for (const [name, value] of Object.entries(changes))
    if (value !== undefined && name in merged) Object.assign(merged, { [name]: value });
  return merged;
}
