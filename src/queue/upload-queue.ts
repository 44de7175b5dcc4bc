// Long because it implements every method of the queue's interface.
import { BlobError } from '../protocol/errors.js';
import type { StoredFile } from '../protocol/types.js';
import { EngineLoader } from './engine-loader.js';
import { NO_FILES, NO_LIMITS, revalidateFile, validateFile } from './file-rules.js';
import { QueueItem } from './queue-item.js';
import { QueueState } from './queue-state.js';
import { DEFAULT_RETRY } from './retry-policy.js';
import { processInSlices } from './tasks.js';
import type { Chosen, Limits, QueueContext, QueueEventMap, QueueOptions, Totals, UploadItem, UploadQueue } from './types.js';
import { UnloadGuard } from './unload-guard.js';
import type { UploadEngine } from './upload-engine.js';

const MiB = 1024 * 1024;

const DEFAULTS: QueueOptions = {
  endpoint: '',
  problem: null,
  tokenProvider: () => Promise.reject(new Error('No token source.')),
  transport: null,
  limits: NO_LIMITS,
  concurrency: 6,
  manual: false,
  fieldSource: null,
  resumeScope: '',
  resumableFrom: 16 * MiB,
  batchUpTo: 256 * 1024,
  verify: false,
  sniff: false,
  preventsLeaving: true,
  stallAfter: 30_000,
  retry: DEFAULT_RETRY,
};

class Queue implements UploadQueue {
  #options: QueueOptions;
  /** The limits of the page, narrowed by those of the newest token. */
  #limits: Limits;
  #isPaused = false;
  /** A manual queue was started, and some of its files are not finished. */
  #isStarted = false;
  /** Queued files that the engine does not have yet: it is not loaded, or a manual queue is not started. */
  readonly #unscheduled = new Set<QueueItem>();
  readonly #unloadGuard = new UnloadGuard();
  #revalidation = new AbortController();
  #itemCount = 0;
  readonly #state = new QueueState();
  readonly #loader: EngineLoader;
  #engine: UploadEngine | undefined;

  constructor(options: Partial<QueueOptions>) {
    this.#options = { ...DEFAULTS, ...options };
    this.#limits = this.#options.limits;
    this.#loader = new EngineLoader({
      policy: () => this.#options.retry,
      onLoad: () => this.#schedule(),
      onRetry: (error, retryAt, attempt) => this.#waitForEngine(error, retryAt, attempt),
      onAttempt: () => this.#endWaitForEngine(),
      onFail: (error) => this.#failWithoutEngine(error),
    });
    for (const type of ['add', 'change', 'remove', 'status'] as const) this.on(type, () => this.#updateListeners());
  }

  get size(): number {
    return this.#state.items.length;
  }

  get totals(): Readonly<Totals> {
    return this.#state.totals;
  }

  get online(): boolean {
    return globalThis.navigator?.onLine ?? true;
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  get context(): QueueContext {
    return { state: this.#state, options: this.#options };
  }

  get items(): readonly UploadItem[] {
    return this.#state.items;
  }

  get(id: string): UploadItem | undefined {
    return this.#state.get(id);
  }

  on<K extends keyof QueueEventMap>(type: K, listener: (event: QueueEventMap[K]) => void): () => void {
    return this.#state.events.on(type, listener);
  }

  configure(options: Partial<QueueOptions>): void {
    this.#options = { ...this.#options, ...options };
    const isNewSource = this.#engine?.updateSource() ?? false;
    this.#updateLimits();
    if (isNewSource) this.#engine!.retryWithNewSource();
    this.#schedule();
  }

  add(files: Iterable<File | Chosen>, replace = false): UploadItem[] {
    const chosen = Array.from(files, (file): Chosen => (file instanceof File ? { file, relativePath: '' } : file));
    const items = chosen.map((file) => QueueItem.fromChosen(this.#createId(), file));
    const replaced = this.#state.replacedBy(items);
    if (replaced.length > 0) this.#remove(replaced);
    let replacesAll = replace;
    items.forEach((item, index) => {
      const { preparationError, rejection } = chosen[index]!;
      if (preparationError) {
        if (replacesAll) this.#remove(this.#state.items.filter((other) => other.unpreparedChoice));
        this.#addUnready(item, chosen[index]!, preparationError);
        return;
      }
      const listed = replacesAll ? NO_FILES : this.#state.listed;
      const reason = rejection ?? validateFile(item, this.#limits, listed);
      if (reason) item.state = { status: 'rejected', rejection: reason };
      else {
        if (replacesAll) this.#remove(this.#state.items.filter(({ state }) => state.status !== 'rejected'));
        replacesAll = false;
        this.#unscheduled.add(item);
      }
      this.#state.add(item);
    });
    // Files that the page adds in several calls of one task can share a request.
    queueMicrotask(() => this.#schedule());
    return items;
  }

  replace(id: string, chosen: Chosen): UploadItem {
    const previous = this.#state.get(id)!;
    const item = QueueItem.fromChosen(this.#createId(), chosen);
    item.replaced = previous.state.status === 'done' ? previous : previous.replaced;
    this.#unscheduled.add(item);
    const index = this.#state.items.indexOf(previous);
    // Without a queued file in between, the queue would be complete, and a form that waits for it be sent.
    this.#state.add(item);
    this.#state.move(item, index);
    this.#remove([previous]);
    queueMicrotask(() => this.#schedule());
    return item;
  }

  restore(files: readonly StoredFile[]): UploadItem[] {
    return files.map((file) => {
      const item = QueueItem.fromStored(this.#createId(), file);
      this.#state.add(item);
      return item;
    });
  }

  start(): void {
    this.#options.fieldSource?.complete();
    const { queued, active } = this.#state.totals;
    this.#isStarted = queued + active > 0;
    this.#schedule();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#loader.stop();
    this.#endWaitForEngine();
    this.#schedule();
    this.#engine?.pause();
    this.#emitStatus();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#emitStatus();
    this.#engine?.resume();
    this.#schedule();
  }

  retry(id?: string): void {
    const single = id === undefined ? undefined : this.#state.get(id);
    const candidates = id === undefined ? this.#state.items : single ? [single] : [];
    const items = candidates.filter(({ state }) => {
      if (state.status === 'failed') return single !== undefined || state.retryable;
      return state.status === 'waiting' && state.retryAt !== null;
    });
    const unprepared = items.filter((item) => item.unpreparedChoice);
    const prepared = items.filter((item) => !item.unpreparedChoice);
    if (this.#engine) this.#engine.retry(prepared);
    else this.#retryWithoutEngine(prepared);
    this.#schedule();
    if (unprepared.length === 0) return;
    this.#remove(unprepared);
    this.#state.events.emit('prepare-again', { chosen: unprepared.flatMap((item) => item.unpreparedChoice ?? []) });
  }

  cancel(id?: string): void {
    const item = id === undefined ? undefined : this.#state.get(id);
    if (id === undefined)
      this.#remove(
        this.#state.items.filter(({ state }) => state.status !== 'done'),
        true,
      );
    else if (item) this.#remove([item], true);
  }

  clear(): void {
    this.#remove(this.#state.items);
  }

  removeFailed(): void {
    this.#remove(
      this.#state.items.filter(({ state }) => state.status === 'failed'),
      true,
    );
  }

  dismiss(): void {
    const rejected = this.#state.items.filter(({ state }) => state.status === 'rejected');
    if (rejected.length > 0) this.#remove(rejected);
  }

  move(id: string, to: number): void {
    const item = this.#state.get(id);
    if (item) this.#state.move(item, to);
  }

  destroy(): void {
    this.#revalidation.abort();
    this.#unscheduled.clear();
    this.#loader.stop();
    this.#engine?.destroy();
    this.#unloadGuard.set(false);
    this.#state.events.clear();
  }

  /** Lists a file as failed that could not be prepared. It is never sent in this form. */
  #addUnready(item: QueueItem, chosen: Chosen, error: BlobError): void {
    this.#state.add(item);
    item.unpreparedChoice = chosen;
    this.#state.change(item, { status: 'failed', error, retryable: true });
    queueMicrotask(() => this.#state.completeIfIdle());
  }

  /** @param restores lists the stored files again that the removed ones would have replaced */
  #remove(items: readonly QueueItem[], restores = false): void {
    const removed = new Set(items);
    this.#state.remove(removed, restores);
    for (const item of items) this.#unscheduled.delete(item);
    if (this.#unscheduled.size === 0) this.#loader.stop();
    this.#engine?.remove(removed);
    this.#state.completeIfIdle();
  }

  #createId(): string {
    return `file-${++this.#itemCount}`;
  }

  /** Whether files are sent without another call of `start`. */
  get #sendsFiles(): boolean {
    return this.#isStarted || !this.#options.manual;
  }

  /** Gives the files to the engine that may be sent. Loads it first if necessary. */
  #schedule(): void {
    if (this.#sendsFiles && this.#unscheduled.size > 0) this.#engine ??= this.#createEngine();
    if (this.#sendsFiles && this.#engine) {
      this.#endWaitForEngine();
      this.#engine.enqueue(this.#takeCompleted());
    }
    this.#engine?.setRunning(!this.#isPaused);
  }

  /** Takes the files that may be sent. Files whose fields are not completed stay. */
  #takeCompleted(): QueueItem[] {
    const { fieldSource } = this.#options;
    const completed = [...this.#unscheduled].filter((item) => {
      const metadata = fieldSource?.metadataOf(item);
      if (metadata && Object.keys(metadata).length > 0) item.metadata = metadata;
      return metadata !== null;
    });
    for (const item of completed) this.#unscheduled.delete(item);
    return completed;
  }

  /** @returns undefined while the engine is not loaded; `#schedule` is called again afterwards */
  #createEngine(): UploadEngine | undefined {
    const Engine = this.#loader.loaded;
    if (!Engine) {
      if (!this.#isPaused) this.#loader.load();
      return undefined;
    }
    const engine = new Engine(this.#state, () => ({ ...this.#options, limits: this.#limits }), {
      onTokenLimits: () => this.#updateLimits(),
      onConnectionChange: () => this.#emitStatus(),
    });
    this.#engine = engine;
    this.#updateListeners();
    return engine;
  }

  /** Shows on the files that would be sent first that the engine did not load and is tried again. */
  #waitForEngine(error: BlobError, retryAt: number, attempt: number): void {
    const first = [...this.#unscheduled].slice(0, this.#options.concurrency);
    for (const item of first) this.#state.change(item, { status: 'waiting', sent: 0, attempt, retryAt, error });
    for (const item of first) if (item.state.status === 'waiting') this.#state.events.emit('retry', { item, error, attempt });
  }

  #endWaitForEngine(): void {
    for (const item of this.#unscheduled) {
      if (item.state.status === 'waiting') this.#state.change(item, { status: 'queued' });
    }
  }

  #failWithoutEngine(error: BlobError): void {
    const items = [...this.#unscheduled];
    this.#unscheduled.clear();
    for (const item of items) this.#state.change(item, { status: 'failed', error, retryable: true });
    this.#state.completeIfIdle();
  }

  #retryWithoutEngine(items: readonly QueueItem[]): void {
    if (items.length === 0) return;
    for (const item of items) {
      this.#state.change(item, { status: 'queued' });
      this.#unscheduled.add(item);
    }
    this.#endWaitForEngine();
    this.#loader.stop();
  }

  #updateListeners(): void {
    const { active, queued } = this.#state.totals;
    const isBusy = active + queued > 0;
    this.#isStarted &&= isBusy;
    this.#engine?.listen(isBusy && !this.#isPaused);
    const unstarted = this.#sendsFiles && !this.#options.fieldSource ? 0 : this.#unscheduled.size;
    const isSending = this.#options.preventsLeaving && !this.#isPaused && active + queued > unstarted;
    this.#unloadGuard.set(isSending);
    this.#engine?.keepScreenOn(isSending);
  }

  #emitStatus(): void {
    this.#state.events.emit('status', { online: this.online, paused: this.#isPaused, limits: this.#limits });
  }

  /** Validates queued files again if the limits changed, and reports the limits. */
  #updateLimits(): void {
    const limits = this.#engine?.narrow(this.#options.limits) ?? this.#options.limits;
    if (JSON.stringify(limits) === JSON.stringify(this.#limits)) return;
    this.#limits = limits;
    this.#revalidation.abort();
    this.#revalidation = new AbortController();
    const queued = this.#state.items.filter(({ isQueued }) => isQueued);
    void processInSlices(queued, (items) => this.#revalidate(items), this.#revalidation.signal);
    this.#emitStatus();
  }

  #revalidate(items: readonly QueueItem[]): void {
    for (const item of items) {
      const rejection = item.isQueued && revalidateFile(item, this.#limits);
      if (!rejection) continue;
      this.#unscheduled.delete(item);
      this.#state.change(item, { status: 'rejected', rejection });
    }
    // No other file may be left that would complete the queue.
    queueMicrotask(() => this.#state.completeIfIdle());
  }
}

/**
 * Creates the headless queue behind the element. It lists files, validates them, and sends them with an engine that loads with the first
 * file. It adds no listener and makes no request before the first file, and none remains after the last.
 */
export const createUploadQueue = (options: Partial<QueueOptions> = {}): UploadQueue => new Queue(options);
