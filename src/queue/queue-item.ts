import type { StoredFile } from '../protocol/types.js';
import type { UploadToken } from './tokens/read-token.js';
import type { Chosen, Preparation, UploadItem, UploadState } from './types.js';

const QUEUED: UploadState = { status: 'queued' };

/** The queue's own record of a file. Everything but the face of `UploadItem` is for the engine alone. */
export class QueueItem implements UploadItem {
  state: UploadState = QUEUED;
  /** Bytes sent, at most: a try that starts over does not take it back. */
  sent = 0;
  /** Tries that failed since the person (or the first start) asked for the upload. */
  failures = 0;
  /** Those of them that fell into an outage, and milliseconds it waited for its tries. */
  outageFailures = 0;
  waitedMs = 0;
  /** Tokens that were refused while they carried it. */
  tokenRefusals = 0;
  /** One `Idempotency-Key` for all tries of this file: a lost answer makes no second one. */
  idempotencyKey: string | undefined;
  /** Bytes that a resumable upload's service has for certain, and whether it may have any. */
  confirmedBytes = 0;
  /** How often its resumable upload was lost by the service and begun anew, since the person asked for it. */
  restarts = 0;
  hasStarted = false;
  /** The token that carries the file, and of which one use is set aside for it. */
  token: UploadToken | undefined;
  /** Ends the request the file travels in; undefined while it is in none. */
  request: AbortController | undefined;
  /** Taken off the list by the person. */
  isRemoved = false;
  /** The wait for the next try, shared by those who were in one request. */
  retryTimer: ReturnType<typeof setTimeout> | undefined;

  /** As it was added, where it could not be made ready: never to be sent so. */
  unready: Chosen | undefined;

  /** Of its bytes, once computed. */
  sha256: string | undefined;
  /** Digest of a sample of its bytes, taken when a resumable upload first needs it. */
  sample: string | undefined;
  /** A visit before this one began its resumable upload: the service has bytes that this page did not send. */
  isContinued = false;
  preparation: Preparation | undefined;
  /** What makes two choices the same file: path, size and date. Read once: Chromium asks the disk each time. */
  readonly identity: string;

  constructor(
    readonly id: string,
    readonly file: File | null,
    readonly name: string,
    readonly size: number,
    readonly type: string,
    readonly relativePath: string,
  ) {
    this.identity = `${this.displayPath}\n${size}\n${file?.lastModified}`;
  }

  static fromChosen(id: string, { file, relativePath, folder, preparation }: Chosen): QueueItem {
    const item = new QueueItem(id, folder ? null : file, file.name, file.size, file.type, relativePath);
    item.preparation = preparation;
    return item;
  }

  /** The bytes from an offset on, as many as were there when the file was chosen: Firefox would also send what was appended since. */
  slice(from = 0): Blob {
    return this.file!.slice(from, this.size);
  }

  static fromStored(id: string, { shown_name, relative_path = '', ...record }: StoredFile): QueueItem {
    const item = new QueueItem(id, null, shown_name ?? record.name, record.size, record.content_type, relative_path);
    item.sent = record.size;
    item.state = { status: 'done', file: record };
    return item;
  }

  /** The person asks for it once more. */
  resetRetries(): void {
    this.failures = this.outageFailures = this.waitedMs = this.tokenRefusals = this.restarts = 0;
    if (this.state.status !== 'failed' || !/^(CHECKSUM_MISMATCH|IDEMPOTENCY_KEY_REUSED)$/.test(this.state.error.code)) return;
    // The old key would only tell of the file that came out wrong, or be refused once more.
    this.idempotencyKey = undefined;
    this.hasStarted = this.isContinued = false;
    this.confirmedBytes = 0;
  }

  get isPrepared(): boolean {
    return this.preparation?.isChanged ?? false;
  }

  /** Whether it waits for its turn. */
  get isQueued(): boolean {
    return this.state.status === 'queued' && !this.isRemoved;
  }

  get displayPath(): string {
    return this.relativePath || this.name;
  }
}

/** 128 random bits in hex: the least the service takes for exactly-once. `randomUUID` has 122, and needs a secure context. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
