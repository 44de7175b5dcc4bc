import type { BlobError } from '../protocol/errors.js';
import type { StoredFile } from '../protocol/types.js';
import type { UploadToken } from './tokens/read-token.js';
import type { Chosen, Preparation, UploadItem, UploadState } from './types.js';

const QUEUED: UploadState = { status: 'queued' };

/** A file in the queue. The page sees only the interface `UploadItem`. The other members belong to the queue and the engine. */
export class QueueItem implements UploadItem {
  state: UploadState = QUEUED;
  /** The most bytes that were sent. An attempt that starts over does not reduce it. */
  sent = 0;
  retriedError: BlobError | undefined;
  /** Failed attempts since the person asked for the upload. */
  failures = 0;
  /** Failed attempts during an outage, which do not count against the limit. */
  outageFailures = 0;
  /** Milliseconds that the file waited between attempts. */
  waitedMs = 0;
  /** Tokens that the service refused for this file. */
  tokenRefusals = 0;
  /** The `Idempotency-Key` of all attempts. After a lost response, the service does not store the file twice. */
  idempotencyKey: string | undefined;
  /** Bytes of a resumable upload that the service has confirmed. */
  confirmedBytes = 0;
  /** New starts of the resumable upload because the service lost it. */
  restarts = 0;
  /** The service may have a part of a resumable upload. */
  hasStarted = false;
  /** The token that carries the file. One of its uses is reserved for it. */
  token: UploadToken | undefined;
  /** Aborts the present request of the file; undefined between requests. */
  request: AbortController | undefined;
  /** The person took the file off the list. */
  isRemoved = false;
  /** The timer of the next attempt. Files of one request share it. */
  retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** The choice of a file that could not be prepared. The queue never sends it. */
  unpreparedChoice: Chosen | undefined;
  /** SHA-256 of the bytes, once it is computed. */
  sha256: string | undefined;
  /** Digest of a sample of the bytes. It is taken when a resumable upload first needs it. */
  sample: string | undefined;
  /** An earlier visit began the resumable upload: the service has bytes that this page did not send. */
  isContinued = false;
  preparation: Preparation | undefined;
  replaced: QueueItem | undefined;
  deletion: UploadItem['deletion'];
  /** Metadata that is sent with the file. Undefined instead of an empty object. */
  metadata: UploadItem['metadata'];
  isSizeUnknown: boolean;
  /**
   * Path, size and date, or the address of a file that the service fetches. Two choices with equal values are the same file. Read once,
   * because Chromium asks the disk each time.
   */
  readonly identity: string;

  constructor(
    readonly id: string,
    readonly file: File | null,
    public name: string,
    public size: number,
    public type: string,
    readonly relativePath: string,
    readonly url?: string,
  ) {
    this.isSizeUnknown = !!url;
    this.identity = url ?? `${this.displayPath}\n${size}\n${file?.lastModified}`;
  }

  static fromChosen(id: string, { file, relativePath, folder, url, preparation }: Chosen): QueueItem {
    const item = new QueueItem(id, folder || url ? null : file, file.name, file.size, file.type, relativePath, url);
    item.preparation = preparation;
    return item;
  }

  static fromStored(id: string, { shown_name, relative_path = '', ...record }: StoredFile): QueueItem {
    const item = new QueueItem(id, null, shown_name ?? record.name, record.size, record.content_type, relative_path);
    item.sent = record.size;
    item.state = { status: 'done', file: record };
    return item;
  }

  /** Returns whether the page changed the bytes of this photo. A photo that needed no change is not prepared. */
  get isPrepared(): boolean {
    return this.preparation?.isChanged ?? false;
  }

  /** The file waits for its turn. */
  get isQueued(): boolean {
    return this.state.status === 'queued' && !this.isRemoved;
  }

  get displayPath(): string {
    return this.relativePath || this.name;
  }

  /** The metadata in the form that the service takes; undefined if there is none. */
  get metadataText(): string | undefined {
    return this.metadata && JSON.stringify(this.metadata);
  }

  /** Returns the bytes from an offset to the size that the file had when it was chosen. Firefox would also send appended bytes. */
  slice(from = 0): Blob {
    return this.file!.slice(from, this.size);
  }
}
