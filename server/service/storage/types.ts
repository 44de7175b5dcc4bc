import type { Readable } from 'node:stream';
import type { Credential } from '../identity/credential.js';
import type { ValidFileOptions } from '../../../src/protocol/file-options.js';
import type { ScanState, Visibility } from '../../../src/protocol/types.js';

export interface Bucket {
  id: string;
  accountId: string;
  /** Unique in the whole service, as S3 requires. The main bucket has the id of the account as its name. */
  name: string;
  /** Whether REST shows this bucket. The main bucket cannot be deleted. */
  isMain: boolean;
  /** Settings of the S3 endpoint, such as CORS rules, as the client stated them. */
  settings: Record<string, unknown>;
  createdAt: number;
}

/** A stored file. Sizes in bytes, times in ms since 1970, `sha256` in hex, `checksums` in base64. */
export interface StoredFile {
  id: string;
  accountId: string;
  bucketId: string;
  /** Compared byte by byte. A key made by REST is a strict path. */
  key: string;
  size: number;
  contentType: string;
  /** Further response headers by lower-case name: content-encoding, content-language, expires. */
  headers: Record<string, string>;
  visibility: Visibility;
  cacheControl: string | null;
  contentDisposition: string | null;
  expiresAt: number | null;
  metadata: Record<string, string>;
  tags: Record<string, string>;
  sha256: string;
  /** Without quotes: hex MD5, or `md5-of-md5s-N` after a multipart upload. */
  etag: string;
  /** Checksums by algorithm: `crc32`, `crc32c`, `crc64nvme`, `sha1`, `sha256`. `checksumType` says whether they cover the object or its parts. */
  checksums: Record<string, string>;
  checksumType: 'FULL_OBJECT' | 'COMPOSITE' | null;
  /** Parts of a multipart upload; null for a file that was uploaded whole. */
  parts: PartSummary[] | null;
  /** The state of the virus scan. Null for a file that was stored while scanning was off. */
  scan: ScanState | null;
  /** The name of what the scanner found in an infected file. */
  scanSignature: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface PartSummary {
  number: number;
  size: number;
  checksums: Record<string, string>;
}

/** Properties of a file apart from its bytes and its key. Omitted ones are empty; the default visibility is private. */
export interface FileProperties extends ValidFileOptions {
  contentType?: string;
  headers?: Record<string, string>;
  tags?: Record<string, string>;
}

/** Conditions that the commit checks under a lock, so that one of two racing writers wins. */
export interface Conditions {
  /** false refuses to replace a file, with `FILE_EXISTS`. @default true */
  overwrite?: boolean;
  /** The required etag without quotes, or `*` for any. Otherwise `PRECONDITION_FAILED`, or `FILE_NOT_FOUND` if there is no file. */
  ifMatch?: string;
  /** The etag that the file must not have, or `*` if there must be no file. Otherwise `PRECONDITION_FAILED`. */
  ifNoneMatch?: string;
}

/** A further checksum, computed while the body is hashed. The S3 endpoint computes CRCs this way. */
export interface Hasher {
  update(chunk: Uint8Array): void;
  /** Returns the checksum in base64. Called once, after the last byte. */
  digest(): string;
}

/** Length and hashes of a body, known after its last byte and before the commit. */
export interface BodySummary {
  size: number;
  sha256: string;
  /** Hex. */
  md5: string;
  checksums: Record<string, string>;
}

/** Options for reading a body: a file, a part, or a piece of a resumable upload. */
export interface BodyOptions {
  /** Announced length, bytes. Another length is refused with `VALIDATION_ERROR`. Undefined if unknown. */
  size?: number;
  /** Bytes at most. The body is refused with `BLOB_FILE_TOO_LARGE` as soon as it exceeds them. */
  maxSize?: number;
  hashers?: Record<string, Hasher>;
  /** Runs before the commit. An error, such as a digest that differs, refuses the upload; nothing of it stays. */
  check?: (summary: BodySummary) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface Idempotency {
  /** Random id that the client made for one file, at least 128 bits. */
  key: string;
  /** The name as the client stated it. A repeat must state the same name. */
  name: string;
}

export interface PutOptions extends FileProperties, Conditions, BodyOptions {
  credential: Credential;
  idempotency?: Idempotency;
}

export interface PutResult {
  file: StoredFile;
  /** Whether the upload replaced a file. */
  replaced: boolean;
  /** Whether an earlier upload with the same idempotency key stored the file. */
  repeated: boolean;
}

export type Body = AsyncIterable<Uint8Array>;

/** First and last byte, both inclusive, inside the file. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface OpenedFile {
  file: StoredFile;
  /**
   * Opens the bytes. A file that was replaced or deleted since it was opened can be read for at least another minute.
   * @throws `FILE_NOT_SCANNED`, `FILE_INFECTED` if the virus scan forbids it.
   */
  read(range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
}

export interface ListOptions {
  prefix?: string;
  delimiter?: string;
  /** Lists keys after this one. A common prefix, which ends in the delimiter, skips all keys below it. */
  after?: string;
  /** Files and prefixes together, at most. */
  limit: number;
}

export interface Listing {
  /** Files without `parts`, which a listing does not read. */
  files: StoredFile[];
  /** Common prefixes, each with its delimiter at the end. */
  prefixes: string[];
  /** Value of `after` for the next page; null at the end. */
  next: string | null;
}

/** Changes to a file, with conditions. Undefined properties stay. */
export interface FileChanges extends FileProperties, Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> {
  /** Moves the file to this key. Refused with `FILE_EXISTS` if there is a file. */
  key?: string;
}

export interface CopyOptions extends FileProperties, Conditions {
  credential: Credential;
  hashers?: Record<string, Hasher>;
  signal?: AbortSignal;
}

/** An upload in parts: an S3 multipart upload, or a resumable upload (tus) whose pieces are the parts. */
export interface Upload {
  id: string;
  accountId: string;
  bucketId: string;
  key: string;
  kind: 's3' | 'tus';
  properties: FileProperties;
  /** State of the interface that created the upload, such as the checksum algorithm. */
  state: Record<string, unknown>;
  credential: Credential;
  createdAt: number;
  /** When the sweep aborts the upload, ms since 1970; null for never. */
  expiresAt: number | null;
}

export interface ListUploadsOptions {
  kind: Upload['kind'];
  prefix?: string;
  delimiter?: string;
  /** Lists uploads after this one, after all uploads of a key, or after a common prefix. */
  after?: { key: string; id?: string };
  /** Uploads and prefixes together. */
  limit: number;
}

export interface UploadListing {
  uploads: Upload[];
  /** Common prefixes, each with its delimiter at the end. */
  prefixes: string[];
  /** Pass as `after` for what follows; null at the end. */
  next: { key: string; id?: string } | null;
}

export interface Part {
  number: number;
  size: number;
  /** Hex MD5 of its bytes. */
  etag: string;
  sha256: string;
  checksums: Record<string, string>;
  createdAt: number;
}

export interface CompleteOptions extends Conditions {
  credential: Credential;
  /** The parts of the file, by ascending number. @default all parts */
  parts?: { number: number; etag?: string }[];
  /** Etag of the file. @default the MD5 of all bytes */
  etag?: string;
  checksums?: Record<string, string>;
  checksumType?: 'FULL_OBJECT' | 'COMPOSITE';
  /** Identifies the request. A repeated request receives the first result, see `completedUpload`. */
  request?: string;
  hashers?: Record<string, Hasher>;
  check?: (summary: BodySummary) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface StorageUsage {
  files: number;
  bytes: number;
  publicFiles: number;
  quotaBytes: number | null;
  uploadsInProgress: number;
}
