import { isRetryable } from '../error-kinds.js';
import { BlobError } from '../../protocol/errors.js';
import type { ErrorCode } from '../../protocol/errors.js';
import type { Transport, TransportFile, TransportContext } from '../../protocol/transport.js';
import type { FileRecord } from '../../protocol/types.js';
import type { BulkTransfer } from '../bulk-transfer.js';
import { contentTypeOf } from './content-types.js';
import type { SentFile, UploadSessionOptions } from './upload-session.js';
import { toS3Error } from '../errors.js';
import { sourceOf } from './file-sources.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { Place, SourceFile } from '../types.js';

/** Options of `s3Transport`. */
export type S3TransportOptions = UploadSessionOptions;

/** Value of the `transport` property of `<svc-uploader>`. Close it before setting another one. */
export interface S3Transport extends Transport {
  /** Aborts the unfinished upload of a file that was removed from the list. */
  abandon(file: TransportFile): void;
  /** Stops running uploads. The journal stays open, because it belongs to the caller. */
  close(): void;
}

/** Number of connections that browsers open to one host over HTTP/1.1, the only version without TLS. */
const MAX_HTTP1_CONNECTIONS = 6;
/** Attempts for short disturbances. The element retries after longer ones and tells the person. */
const TRIES = 3;
/** Memory for small files and for pieces of 1 MiB of large files. */
const MEMORY = 32 * 1024 * 1024;

/**
 * Connects `<svc-uploader>` to an S3 store. Files are uploaded in parts and verified. With a journal, an upload resumes after a
 * reload if the same file is chosen again. The key of a file is its relative path below the prefix. An empty folder becomes an
 * object of 0 bytes whose key ends in a slash, as in the commands.
 * @param to bucket and prefix of the objects
 * @returns a value for the property `transport` of `<svc-uploader>`. Its `send` throws `BlobError`.
 * @throws S3Error `InvalidOption` if the place or an option is invalid
 * @example
 * const journal = await IndexedJournal.open('https://s3.example.org archive');
 * const to = { bucket: 'archive', prefix: 'inbox/' };
 * document.querySelector('svc-uploader').transport = s3Transport(transfer, to, { journal });
 */
export function s3Transport(transfer: BulkTransfer, to: Place, options: S3TransportOptions = {}): S3Transport {
  const session = transfer.uploadSession(to, {
    ...(transfer.store.originOf(to.bucket).secure ? { maxConcurrency: 32 } : { concurrency: MAX_HTTP1_CONNECTIONS }),
    contentType: contentTypeOf,
    multipartThreshold: DEFAULT_PART_SIZE,
    memory: MEMORY,
    ...options,
    retry: { tries: TRIES, ...options.retry },
  });
  /** Sources by file, so that each attempt uses the state of the file at the first one. */
  const sources = new WeakMap<TransportFile, SourceFile>();
  function sourceFor(item: TransportFile): SourceFile {
    const { file, name, relativePath, isPrepared } = item;
    if (relativePath.endsWith('/')) return { path: relativePath, size: 0, directory: true };
    const source = sources.get(item) ?? {
      ...sourceOf(file, relativePath || name),
      ...(isPrepared && { derived: true as const }),
    };
    sources.set(item, source);
    return source;
  }
  return {
    folders: true,
    async send(file: TransportFile, context: TransportContext): Promise<FileRecord> {
      let moved = 0;
      try {
        const sent = await session.send(sourceFor(file), {
          signal: context.signal,
          onMoved: (bytes) => context.progress((moved += bytes)),
          onPassed: (bytes) => context.resumed((moved += bytes)),
        });
        return recordOf(file, sent);
      } catch (error) {
        throw asBlobError(error);
      }
    },
    abandon: (file) => void session.abandon(sourceFor(file)).catch(() => {}),
    close: () => session.close(),
  };
}

function recordOf(file: TransportFile, { key, size, etag = '' }: SentFile): FileRecord {
  const now = new Date().toISOString();
  return {
    id: key,
    path: key,
    name: file.name,
    size,
    content_type: contentTypeOf(key) ?? file.file.type,
    visibility: 'private',
    url: null,
    cache_control: null,
    content_disposition: null,
    expires_at: null,
    metadata: {},
    etag,
    sha256: '',
    created_at: now,
    updated_at: now,
  };
}

/** Error codes for which the element has messages. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['Aborted', 'ABORTED'],
  ['AccessDenied', 'BLOB_UPLOAD_TOKEN_CONSTRAINT'],
  ['ChecksumMismatch', 'CHECKSUM_MISMATCH'],
  ['ConnectionFailed', 'NETWORK_ERROR'],
  ['CredentialsMissing', 'TOKEN_SUPPLY_FAILED'],
  ['EntityTooLarge', 'BLOB_FILE_TOO_LARGE'],
  ['ExpiredToken', 'BLOB_UPLOAD_TOKEN_INVALID'],
  ['FileChanged', 'FILE_CHANGED'],
  ['InvalidAccessKeyId', 'BLOB_UPLOAD_TOKEN_INVALID'],
  ['InvalidToken', 'BLOB_UPLOAD_TOKEN_INVALID'],
  ['NameUnsafe', 'INVALID_PATH'],
  ['PreconditionFailed', 'FILE_EXISTS'],
  ['QuotaExceeded', 'STORAGE_FULL'],
  ['SlowDown', 'RATE_LIMIT_EXCEEDED'],
  ['SourceUnreadable', 'FILE_UNREADABLE'],
  ['Stalled', 'STALLED'],
]);

/** Converts an error for the element. `details.s3_code` is the code of the bulk engine or the store. */
function asBlobError(thrown: unknown): BlobError {
  const outer = toS3Error(thrown);
  // A spent retry budget does not concern this file, so its last error is reported.
  const error = outer.code === 'BudgetExhausted' ? toS3Error(outer.cause) : outer;
  const { retryAfter } = error;
  // Stores use different codes with this status.
  const code = error.status === 507 ? 'STORAGE_FULL' : CODES.get(error.code);
  // The element retries an error without a code if the engine would retry it.
  const status = isRetryable(error) ? error.status || 503 : error.status || 400;
  return new BlobError(code ?? 'UNEXPECTED_ANSWER', error.message, {
    ...(code === undefined && { status }),
    details: { s3_code: error.code, ...(retryAfter !== undefined && { retry_after: retryAfter }) },
    cause: error,
  });
}
