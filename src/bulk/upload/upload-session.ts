import type { UploadSettings } from './upload-settings.js';
import { createTransferContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { requireOneOf } from '../validate.js';
import { S3Error } from '../errors.js';
import { isAt, KEPT_MS, journalPlace } from '../journal/resume-journal.js';
import { joinKey } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { Place, SourceFile } from '../types.js';
import { unlessAborted } from '../abort.js';
import { ExistingObjects } from './existing-objects.js';
import { ProgressMeter } from '../transfer/progress-meter.js';
import { abortStaleUpload } from '../multipart/abort-upload.js';
import { duplicateKey } from '../list/key-list.js';
import { fingerprint, completedFingerprint, isStillStored, uploadSourceFile } from './upload.js';

/** What happens when the target object exists. */
export type IfThere =
  /** It is replaced. */
  | 'replace'
  /** It stays when it is the file as it is, by size and time; else it is replaced. */
  | 'skip-same'
  /** It stays, and the file fails with `PreconditionFailed`, unless it is of the very same bytes. */
  | 'keep';

export interface UploadSessionOptions
  extends
    Pick<RunOptions, 'concurrency' | 'maxConcurrency' | 'memory' | 'retry' | 'journal' | 'onEvent'>,
    Partial<Omit<UploadSettings, 'bucket' | 'onlyNew' | 'takeEqual'>> {
  /** @default "replace" */
  ifThere?: IfThere;
}

/** How one file of a session is followed. Bytes are differences; a try that failed takes its own back. */
export interface SendOptions {
  /** Ends this file alone; with a journal its parts stay for the next time. */
  signal?: AbortSignal;
  /** Bytes on their way. */
  onMoved?: (bytes: number) => void;
  /** Bytes that were there before. */
  onPassed?: (bytes: number) => void;
}

export interface SentFile {
  key: string;
  size: number;
  /** Undefined for a file that needed no sending. */
  etag: string | undefined;
}

/** Tells one file's bytes as they are counted. */
class FileMeter extends ProgressMeter {
  #counted = 0;

  constructor(private readonly told: SendOptions) {
    super();
  }

  override addMoved(bytes: number): void {
    super.addMoved(bytes);
    this.#counted += bytes;
    this.told.onMoved?.(bytes);
  }

  override addUnmoved(bytes: number): void {
    super.addUnmoved(bytes);
    this.#counted += bytes;
    this.told.onPassed?.(bytes);
  }

  /** Counts the bytes that are not yet counted as stored before. */
  end(size: number): void {
    if (this.#counted !== size) this.addUnmoved(size - this.#counted);
  }
}

/** The file that goes, or went, to a key. */
interface Claim {
  print: string | undefined;
  sinceMs: number;
  done: boolean;
}

/**
 * Uploads under one prefix whose files come one by one, from a list that people add to, pause and retry. All of them share the
 * requests at once, the memory, the retries and the journal of one context.
 */
export class UploadSession {
  readonly #end = new AbortController();
  readonly #shared: TransferContext;
  readonly #existing: ExistingObjects;
  readonly #claims = new Map<string, Claim>();
  readonly #abandoning = new Map<string, Promise<void>>();
  /** Running upload of each key. */
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
    for (const { key, begunMs, usedMs = begunMs } of this.#shared.journal.unfinished.values())
      if (store.now() - usedMs > KEPT_MS && key.startsWith(to.prefix))
        // The store keeps, and bills, what nobody came back for. Where it cannot be reached, the next session tries again.
        void this.abandon({ path: key.slice(to.prefix.length) }).catch(() => {});
  }

  /** @throws S3Error when the file is given up, `Aborted` when it was stopped */
  async send(file: SourceFile, told: SendOptions = {}): Promise<SentFile> {
    const key = this.#keyOf(file.path);
    const claim = this.#claim(file, key);
    const meter = new FileMeter(told);
    const context = this.#contextFor(meter, told.signal);
    const stop = (): void => context.concurrency.rejectWaiting(context.signal);
    told.signal?.addEventListener('abort', stop, { once: true });
    let ended: Promise<void> | undefined;
    try {
      await this.#abandoning.get(key);
      // One that was stopped still ends what it began.
      const before = this.#sends.get(key);
      if (before !== undefined) await unlessAborted(before, context.signal);
      const sending = this.#send(file, key, context, meter);
      ended = sending.then(
        () => {},
        () => {},
      );
      this.#sends.set(key, ended);
      const sent = await sending;
      claim.done = true;
      return sent;
    } catch (error) {
      if (this.#claims.get(key) === claim) this.#claims.delete(key);
      throw error;
    } finally {
      told.signal?.removeEventListener('abort', stop);
      if (this.#sends.get(key) === ended) this.#sends.delete(key);
    }
  }

  async #send(file: SourceFile, key: string, context: TransferContext, meter: FileMeter): Promise<SentFile> {
    const { options, to } = this;
    const size = file.size ?? 0;
    const print = await completedFingerprint(context, file, key);
    const isDone = print !== undefined && context.journal.isCompleted(print);
    const made = isDone ? context.journal.completedEtag?.(print) : undefined;
    // The listing of a folder answers for all of its files; else each is asked for.
    const isThere = options.ifThere === 'skip-same' && !file.derived && (await this.#existing.has(file, key, context, made));
    // Where CORS rules hide the time, its absence says nothing.
    if (isThere || (isDone && (await isStillStored(context, to.bucket, key, file, { timed: false, made })))) {
      meter.addUnmoved(size);
      return { key, size, etag: undefined };
    }
    const keep = options.ifThere === 'keep';
    const settings = { properties: {}, ...options, onlyNew: keep, takeEqual: keep, bucket: to.bucket };
    const sent = await uploadSourceFile(context, file, key, settings, true);
    if (context.report.listenerError !== undefined) throw context.report.listenerError;
    // Nothing was sent of what turned out to be the very file; and what is another one does not count for it.
    if (keep) meter.end(sent?.size ?? 0);
    if (sent === undefined) throw new S3Error('PreconditionFailed', `${key} exists already.`, { status: 412 });
    this.#existing.note(key, sent.size);
    return { key, size: sent.size, etag: sent.etag };
  }

  /** Frees what the store holds of a file that was begun and will not be finished. Without size and time, any of its path. */
  async abandon(file: SourceFile): Promise<void> {
    const key = this.#keyOf(file.path);
    const print = fingerprint(file, key);
    const claim = this.#claims.get(key);
    // Another file is being sent to this key; its upload stays.
    if (claim !== undefined && print !== undefined && print !== claim.print) return;
    this.#claims.delete(key);
    const begun = this.#shared.journal.unfinished.get(key);
    if (begun === undefined || !isAt(begun, journalPlace('to', this.to.bucket))) return;
    const ending = abortStaleUpload(this.#contextFor(new ProgressMeter(), undefined), this.to.bucket, begun);
    const ended = ending.catch(() => {}).finally(() => this.#abandoning.get(key) === ended && this.#abandoning.delete(key));
    this.#abandoning.set(key, ended);
    await ending;
  }

  /** Stops what runs. The journal stays open: it is the caller's. */
  close(): void {
    this.#end.abort(new S3Error('Aborted', 'The session was closed.'));
  }

  /**
   * Refuses a second file of the same name, which would silently replace the first. The same file may come again after a
   * change.
   */
  #claim(file: SourceFile, key: string): Claim {
    const print = fingerprint(file, key);
    const other = this.#claims.get(key);
    const isNewer = other?.done === true && file.mtimeNs !== undefined && file.mtimeNs > BigInt(other.sinceMs) * 1_000_000n;
    // One empty folder is as good as the other.
    const isOther = !file.directory && (print === undefined || print !== other?.print);
    if (other !== undefined && !isNewer && isOther) throw duplicateKey(key);
    const claim = { print, sinceMs: Date.now(), done: false };
    this.#claims.set(key, claim);
    return claim;
  }

  #keyOf(path: string): string {
    return joinKey(this.to.prefix, path);
  }

  #contextFor(meter: ProgressMeter, signal: AbortSignal | undefined): TransferContext {
    const { concurrency, buffers, retries, journal } = this.#shared;
    const { onEvent } = this.options;
    const both = signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal]);
    return createTransferContext(
      this.store,
      { signal: both, ...(onEvent && { onEvent }) },
      { concurrency, buffers, retries, journal, meter },
    );
  }
}
