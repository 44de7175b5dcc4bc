import type { UploadSettings } from './upload-settings.js';
import { createTransferContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { requireOneOf } from '../validate.js';
import { S3Error } from '../errors.js';
import { isAtPlace, RETENTION_MS, journalPlace } from '../journal/resume-journal.js';
import { joinKey } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { Place, SourceFile } from '../types.js';
import { unlessAborted } from '../abort.js';
import { ExistingObjects } from './existing-objects.js';
import { ProgressMeter } from '../transfer/progress-meter.js';
import { abortStaleUpload } from '../multipart/abort-upload.js';
import { duplicateKey } from '../list/key-list.js';
import { fingerprintOf, completedFingerprint, isStillStored, uploadSourceFile } from './upload.js';

/** Treatment of a file whose target object exists. */
export type IfThere =
  /** Replaces the object. */
  | 'replace'
  /** Keeps the object if it has the size and time of the file. Otherwise replaces it. */
  | 'skip-same'
  /** Keeps the object. The file fails with `PreconditionFailed` unless the object has the same bytes. */
  | 'keep';

/** Options of `BulkTransfer.uploadSession`. */
export interface UploadSessionOptions
  extends
    Pick<RunOptions, 'concurrency' | 'maxConcurrency' | 'memory' | 'retry' | 'journal' | 'onEvent'>,
    Partial<Omit<UploadSettings, 'bucket' | 'onlyNew' | 'takeEqual'>> {
  /** Treatment of files whose target object exists. @default "replace" */
  ifThere?: IfThere;
}

/** Options of `UploadSession.send`. Callbacks get numbers of bytes to add. After a failed attempt, the number is negative. */
export interface SendOptions {
  /** Stops this file only. With a journal, its parts stay for the next attempt. */
  signal?: AbortSignal;
  /** Called for bytes that were sent. */
  onMoved?: (bytes: number) => void;
  /** Called for bytes that were stored before. */
  onPassed?: (bytes: number) => void;
}

/** Result of `UploadSession.send`. */
export interface SentFile {
  key: string;
  size: number;
  /** ETag of the object; undefined if the file was stored already. */
  etag: string | undefined;
}

/** Passes the counted bytes of one file to its callbacks. */
class FileMeter extends ProgressMeter {
  #counted = 0;

  constructor(private readonly callbacks: SendOptions) {
    super();
  }

  override addMoved(bytes: number): void {
    super.addMoved(bytes);
    this.#counted += bytes;
    this.callbacks.onMoved?.(bytes);
  }

  override addUnmoved(bytes: number): void {
    super.addUnmoved(bytes);
    this.#counted += bytes;
    this.callbacks.onPassed?.(bytes);
  }

  /** Counts the rest of the file as stored before. */
  end(size: number): void {
    if (this.#counted !== size) this.addUnmoved(size - this.#counted);
  }
}

/** The file that is being uploaded or was uploaded to a key. */
interface KeyOwner {
  fingerprint: string | undefined;
  takenMs: number;
  isDone: boolean;
}

/**
 * Uploads files below one prefix that arrive one by one, such as those of a list in a page that can be paused and retried. The
 * files share parallel requests, memory, retries and the journal.
 */
export class UploadSession {
  readonly #end = new AbortController();
  readonly #shared: TransferContext;
  readonly #existing: ExistingObjects;
  /** The file that uses each key. */
  readonly #keyOwners = new Map<string, KeyOwner>();
  /** Running aborts by key. */
  readonly #abandoning = new Map<string, Promise<void>>();
  /** Running uploads by key. They never reject. */
  readonly #sends = new Map<string, Promise<void>>();

  /** @throws S3Error `InvalidOption` */
  constructor(
    private readonly store: Store,
    private readonly to: Place,
    private readonly options: UploadSessionOptions = {},
  ) {
    this.#shared = createTransferContext(store, { ...options, signal: this.#end.signal });
    requireOneOf('ifThere', options.ifThere, ['replace', 'skip-same', 'keep']);
    this.#existing = new ExistingObjects(this.#shared, to.bucket);
    this.#abandonOldUploads();
  }

  /** Aborts uploads that were not continued for a week. The store keeps and bills their parts. */
  #abandonOldUploads(): void {
    const { prefix } = this.to;
    for (const { key, begunMs, usedMs = begunMs } of this.#shared.journal.unfinished.values())
      if (this.store.now() - usedMs > RETENTION_MS && key.startsWith(prefix))
        // If the store cannot be reached, the next session tries again.
        void this.abandon({ path: key.slice(prefix.length) }).catch(() => {});
  }

  /**
   * Uploads one file. Waits for an earlier upload to the same key.
   * @throws S3Error `Aborted` if the file or the session was stopped, `NameUnsafe` if another file has the same key,
   *   `PreconditionFailed`, or an error of the upload
   */
  async send(file: SourceFile, options: SendOptions = {}): Promise<SentFile> {
    const key = this.#keyOf(file.path);
    const owner = this.#takeKey(file, key);
    const meter = new FileMeter(options);
    const context = this.#contextFor(meter, options.signal);
    const onAbort = (): void => context.concurrency.rejectWaiting(context.signal);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    let ended: Promise<void> | undefined;
    try {
      await this.#abandoning.get(key);
      // An upload that was stopped may still be cleaning up.
      const previous = this.#sends.get(key);
      if (previous !== undefined) await unlessAborted(previous, context.signal);
      const sending = this.#send(file, key, context, meter);
      ended = sending.then(
        () => {},
        () => {},
      );
      this.#sends.set(key, ended);
      const sent = await sending;
      owner.isDone = true;
      return sent;
    } catch (error) {
      if (this.#keyOwners.get(key) === owner) this.#keyOwners.delete(key);
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
      if (this.#sends.get(key) === ended) this.#sends.delete(key);
    }
  }

  async #send(file: SourceFile, key: string, context: TransferContext, meter: FileMeter): Promise<SentFile> {
    const { options, to } = this;
    const size = file.size ?? 0;
    const fingerprint = await completedFingerprint(context, file, key);
    const isCompleted = fingerprint !== undefined && context.journal.isCompleted(fingerprint);
    const completedEtag = isCompleted ? context.journal.completedEtag?.(fingerprint) : undefined;
    const isStored = async (): Promise<boolean> => {
      // One listing of a folder covers all of its files.
      const mayList = options.ifThere === 'skip-same' && !file.derived;
      if (mayList && (await this.#existing.has(file, key, context, completedEtag))) return true;
      // CORS rules may hide the time.
      const known = { requiresTime: false, etag: completedEtag };
      return isCompleted && isStillStored(context, to.bucket, key, file, known);
    };
    if (await isStored()) {
      meter.addUnmoved(size);
      return { key, size, etag: undefined };
    }
    const keep = options.ifThere === 'keep';
    const settings = { properties: {}, ...options, onlyNew: keep, takeEqual: keep, bucket: to.bucket };
    const sent = await uploadSourceFile(context, file, key, settings, true);
    if (context.report.listenerError !== undefined) throw context.report.listenerError;
    // An object with the same bytes counts as stored before. Another object does not count for this file.
    if (keep) meter.end(sent?.size ?? 0);
    if (sent === undefined) throw new S3Error('PreconditionFailed', `${key} exists already.`, { status: 412 });
    this.#existing.add(key, sent.size);
    return { key, size: sent.size, etag: sent.etag };
  }

  /**
   * Aborts the unfinished upload of a file, so that the store frees its parts.
   * @param file without size and time, any file with this path
   */
  async abandon(file: SourceFile): Promise<void> {
    const key = this.#keyOf(file.path);
    const fingerprint = fingerprintOf(file, key);
    const owner = this.#keyOwners.get(key);
    // The upload belongs to another file with the same key.
    if (owner !== undefined && fingerprint !== undefined && fingerprint !== owner.fingerprint) return;
    this.#keyOwners.delete(key);
    const unfinished = this.#shared.journal.unfinished.get(key);
    if (unfinished === undefined || !isAtPlace(unfinished, journalPlace('to', this.to.bucket))) return;
    const context = this.#contextFor(new ProgressMeter(), undefined);
    const aborting = abortStaleUpload(context, this.to.bucket, unfinished);
    const ended = aborting.catch(() => {}).finally(() => this.#abandoning.get(key) === ended && this.#abandoning.delete(key));
    this.#abandoning.set(key, ended);
    await aborting;
  }

  /** Stops running uploads. The journal stays open, because it belongs to the caller. */
  close(): void {
    this.#end.abort(new S3Error('Aborted', 'The session was closed.'));
  }

  /**
   * Records that a file uses a key. Refuses another file with the same key, which would silently replace the first one. The same
   * file may be sent again after it changed.
   * @throws S3Error `NameUnsafe`
   */
  #takeKey(file: SourceFile, key: string): KeyOwner {
    const fingerprint = fingerprintOf(file, key);
    const other = this.#keyOwners.get(key);
    if (other !== undefined) {
      const changedSince = other.isDone && file.mtimeNs !== undefined && file.mtimeNs > BigInt(other.takenMs) * 1_000_000n;
      // All empty folders are the same.
      const isSame = file.directory || (fingerprint !== undefined && fingerprint === other.fingerprint);
      if (!changedSince && !isSame) throw duplicateKey(key);
    }
    const owner = { fingerprint, takenMs: Date.now(), isDone: false };
    this.#keyOwners.set(key, owner);
    return owner;
  }

  #keyOf(path: string): string {
    return joinKey(this.to.prefix, path);
  }

  #contextFor(meter: ProgressMeter, signal: AbortSignal | undefined): TransferContext {
    const { concurrency, buffers, retries, journal } = this.#shared;
    const { onEvent } = this.options;
    const anySignal = signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal]);
    return createTransferContext(
      this.store,
      { signal: anySignal, ...(onEvent && { onEvent }) },
      { concurrency, buffers, retries, journal, meter },
    );
  }
}
