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

export type S3TransportOptions = UploadSessionOptions;

/** `transport` of `<svc-uploader>`; end it when another takes its place. */
export interface S3Transport extends Transport {
  abandon(file: TransportFile): void;
  /** Stops what runs. The journal stays open: it is the caller's. */
  close(): void;
}

/** Browsers open no more connections to one host over HTTP/1.1, which is all they speak without TLS. */
const HTTP_1 = 6;
/** The element tries again as well, and says so; here only what is over in a moment. */
const TRIES = 3;
/** Small files are held whole, large ones a MiB a part. */
const MEMORY = 32 * 1024 * 1024;

/**
 * Carries the files of `<svc-uploader>` to an S3 store by the bulk engine: in parts, verified, and with a journal going on after a
 * reload when the same files are chosen again. A file's relative path below the prefix is its key; an empty folder of a drop becomes
 * an object of 0 bytes whose key ends in a slash, as for the commands.
 */
export function s3Transport(transfer: BulkTransfer, to: Place, options: S3TransportOptions = {}): S3Transport {
  const session = transfer.uploadSession(to, {
    ...(transfer.store.originOf(to.bucket).secure ? { maxConcurrency: 32 } : { concurrency: HTTP_1 }),
    contentType: contentTypeOf,
    multipartThreshold: DEFAULT_PART_SIZE,
    memory: MEMORY,
    ...options,
    retry: { tries: TRIES, ...options.retry },
  });
  /** Files as they were when they were first sent: each later try is one of the same file. */
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
      let there = 0;
      try {
        const sent = await session.send(sourceFor(file), {
          signal: context.signal,
          onMoved: (bytes) => context.progress((there += bytes)),
          onPassed: (bytes) => context.resumed((there += bytes)),
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

/** Retries that are spent say nothing of this file: it is judged by what failed last. `details.s3_code` is the store's own code. */
function asBlobError(thrown: unknown): BlobError {
  const told = toS3Error(thrown);
  const error = told.code === 'BudgetExhausted' ? toS3Error(told.cause) : told;
  const { retryAfter } = error;
  // Each store has its own name for it.
  const code = error.status === 507 ? 'STORAGE_FULL' : CODES.get(error.code);
  // One that no code stands for is tried again exactly when the engine would.
  const status = isRetryable(error) ? error.status || 503 : error.status || 400;
  return new BlobError(code ?? 'UNEXPECTED_ANSWER', error.message, {
    ...(code === undefined && { status }),
    details: { s3_code: error.code, ...(retryAfter !== undefined && { retry_after: retryAfter }) },
    cause: error,
  });
}
