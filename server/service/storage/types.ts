import type { Readable } from 'node:stream';
import type { Credential } from '../identity/credential.js';
import type { ValidFileOptions } from '../../../src/protocol/file-options.js';
import type { Visibility } from '../../../src/protocol/types.js';

export interface Bucket {
  id: string;
  accountId: string;
  /** Unique over the whole service, as S3 wants it. The main bucket bears the account's id. */
  name: string;
  /** What REST shows. It cannot be deleted. */
  isMain: boolean;
  /** Settings of the S3 endpoint (CORS rules …), kept as they were given. */
  settings: Record<string, unknown>;
  createdAt: number;
}

/** A stored file. Sizes in bytes, times in ms since 1970, `sha256` in hex, `checksums` in base64. */
export interface StoredFile {
  id: string;
  accountId: string;
  bucketId: string;
  /** Byte-exact. For what REST made it is a strict path. */
  key: string;
  size: number;
  contentType: string;
  /** Further headers to serve it with, lower-case names: content-encoding, content-language, expires. */
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
  /** Of the whole object or, for a composite one, of the parts: see `checksumType`. Key: `crc32`, `crc32c`, `crc64nvme`, `sha1`, `sha256`. */
  checksums: Record<string, string>;
  checksumType: 'FULL_OBJECT' | 'COMPOSITE' | null;
  /** Sizes and checksums of the parts it was made from; null when it was put whole. */
  parts: PartSummary[] | null;
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

/** Judged when the row commits, under a lock: of two racing writers one wins. */
export interface Conditions {
  /** false: a file that stands there is refused with `FILE_EXISTS`. Default true. */
  overwrite?: boolean;
  /** An etag without quotes, or `*`; otherwise `PRECONDITION_FAILED` (or `FILE_NOT_FOUND` when nothing stands there). */
  ifMatch?: string;
  /** `*`: nothing may stand there; an etag: not this one. `PRECONDITION_FAILED`. */
  ifNoneMatch?: string;
}

/** A further digest computed in the pass that counts and hashes; S3 brings CRCs this way. */
export interface Hasher {
  update(chunk: Uint8Array): void;
  /** Base64, called once, after the last byte. */
  digest(): string;
}

/** Known when the last byte has come, before anything is committed. */
export interface BodySummary {
  size: number;
  sha256: string;
  /** Hex. */
  md5: string;
  checksums: Record<string, string>;
}

/** How a body is read; the same for a whole file, a part and a resumed piece. */
export interface BodyOptions {
  /** As announced; another length is refused with `VALIDATION_ERROR`. Undefined: unknown until the end. */
  size?: number;
  /** `BLOB_FILE_TOO_LARGE` as soon as it is passed. */
  maxSize?: number;
  hashers?: Record<string, Hasher>;
  /** Last word before the commit: throws what refuses the upload (a digest that differs, a trailer that lies). Nothing stays. */
  check?: (facts: BodySummary) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface Idempotency {
  /** The client's random id of one file, at least 128 bits. */
  key: string;
  /** What must be equal on a repeat besides the bytes: the name as the client stated it. */
  name: string;
}

export interface PutOptions extends FileProperties, Conditions, BodyOptions {
  credential: Credential;
  idempotency?: Idempotency;
}

export interface PutResult {
  file: StoredFile;
  /** A file stood at this key before. */
  replaced: boolean;
  /** An earlier upload under the same idempotency key; nothing was stored now. */
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
  /** Opens the bytes; a file replaced or deleted meanwhile still reads whole, for at least a minute. */
  read(range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
}

export interface ListOptions {
  prefix?: string;
  delimiter?: string;
  /** Exclusive. A common prefix given here (ends in the delimiter) skips all that lies under it. */
  after?: string;
  /** Files and prefixes together. */
  limit: number;
}

export interface Listing {
  /** `parts` is null for all of them: a listing does not read it. */
  files: StoredFile[];
  /** Common prefixes, each with its delimiter at the end. */
  prefixes: string[];
  /** Pass as `after` for what follows; null at the end. */
  next: string | null;
}

/** Changes to what stands, on conditions for it; undefined leaves as it is. */
export interface FileChanges extends FileProperties, Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> {
  /** Moves it there; a file that stands there is refused with `FILE_EXISTS`. */
  key?: string;
}

export interface CopyOptions extends FileProperties, Conditions {
  credential: Credential;
  hashers?: Record<string, Hasher>;
  signal?: AbortSignal;
}

/** An upload of several steps: S3 multipart, or a resumable one (tus) whose pieces are its parts. */
export interface Upload {
  id: string;
  accountId: string;
  bucketId: string;
  key: string;
  kind: 's3' | 'tus';
  properties: FileProperties;
  /** What its maker wants to find again (checksum algorithm, tus metadata, announced length …). */
  state: Record<string, unknown>;
  credential: Credential;
  createdAt: number;
  /** After this the sweep aborts it; null: never. */
  expiresAt: number | null;
}

export interface ListUploadsOptions {
  kind: Upload['kind'];
  prefix?: string;
  delimiter?: string;
  /** Exclusive: an upload by key and id, all uploads of a key, or a common prefix with all below it. */
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
  /** In this order; numbers ascending. Undefined: all there are. */
  parts?: { number: number; etag?: string }[];
  /** The etag to show; by default the MD5 of the whole. */
  etag?: string;
  checksums?: Record<string, string>;
  checksumType?: 'FULL_OBJECT' | 'COMPOSITE';
  /** Everything that the request states. The same request gets the first result again, see `completedUpload`. */
  request?: string;
  hashers?: Record<string, Hasher>;
  check?: (facts: BodySummary) => void | Promise<void>;
  signal?: AbortSignal;
}

export interface StorageUsage {
  files: number;
  bytes: number;
  publicFiles: number;
  quotaBytes: number | null;
  uploadsInProgress: number;
}
