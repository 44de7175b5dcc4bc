import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import { advice } from '../error-advice.js';
import type { Journal } from '../journal/resume-journal.js';
import type { Action, Progress, Summary, TransferEvent } from '../types.js';
import type { AdaptiveConcurrency } from './adaptive-concurrency.js';
import { EventListeners } from './event-listeners.js';
import type { ProgressMeter } from './progress-meter.js';
import type { RetryBudget } from './retry-budget.js';
import type { ListenerOptions } from './run-options.js';

/** Failures that the summary lists. Later ones are only counted. */
const FAILURES_MAX = 1000;

interface ReportContext {
  listeners: ListenerOptions;
  signal: AbortSignal;
  dryRun: boolean;
  concurrency: AdaptiveConcurrency;
  retries: RetryBudget;
  meter: ProgressMeter;
  journal: Journal;
  /** Called for an error of a callback, which ends the transfer. */
  stop(error: S3Error): void;
}

/** Records what a transfer did: it fills the summary, emits the events and closes the journal at the end. */
export class TransferReport {
  readonly summary: Summary = {
    files: 0,
    bytes: 0,
    resumed: 0,
    skipped: 0,
    deleted: 0,
    failed: 0,
    failures: [],
    retries: 0,
    unverified: 0,
    elapsedMs: 0,
  };
  /** Keeps the journal although the transfer succeeded, because a later run can resume something else. */
  leavesWork = false;
  /** Stops the transfer when nothing else in it can succeed. */
  onFailure: (error: S3Error) => void = () => {};
  /** Requests that settle after the end must not change the summary. */
  #isFinished = false;
  readonly #listeners: EventListeners;

  constructor(private readonly context: ReportContext) {
    this.#listeners = new EventListeners(context.listeners, () => this.progress(), context.stop);
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** The error that a callback of the caller threw. */
  get listenerError(): S3Error | undefined {
    return this.#listeners.error;
  }

  /** Without a listener, the events of small files are not even created. */
  get hasEventListener(): boolean {
    return this.#listeners.hasEventListener;
  }

  emit(event: TransferEvent): void {
    if (!this.#isFinished) this.#listeners.emit(event);
  }

  progress(): Progress {
    const { files, skipped, failed, deleted } = this.summary;
    const { concurrency, meter } = this.context;
    return meter.snapshot({ files: files + deleted, skipped, failed, concurrency: concurrency.limit });
  }

  /** Records a failed item and stops the transfer after a fatal error. */
  fail(action: Action, name: string, error: S3Error): void {
    if (this.#isFinished || this.#isInterrupted(error)) return;
    const { code, message, tries, status } = error;
    const failure = { action, name, code, message, advice: advice(error), tries, status };
    this.summary.failed++;
    if (this.summary.failures.length < FAILURES_MAX) this.summary.failures.push(withHiddenError({ ...failure }, error));
    this.emit(withHiddenError({ type: 'failed', ...failure }, error));
    this.onFailure(error);
  }

  /** Records an item that needs no work. */
  skip(action: Action, name: string, size: number, reason: string): void {
    if (this.#isFinished) return;
    this.summary.skipped++;
    this.context.meter.addUnmoved(size);
    if (this.hasEventListener) this.emit({ type: 'skipped', action, name, reason });
  }

  /** Records a finished item. @param resumedBytes bytes of it that an earlier run had moved */
  done(action: Action, name: string, size: number, resumedBytes = 0): void {
    if (this.#isFinished) return;
    if (action === 'delete') this.summary.deleted++;
    else {
      this.summary.files++;
      this.summary.bytes += size - resumedBytes;
      this.summary.resumed += resumedBytes;
    }
    if (this.hasEventListener)
      this.emit({ type: 'done', action, name, size, ...(this.context.dryRun && { dryRun: true as const }) });
  }

  /** Ends the report. @param error ended the transfer before everything was tried */
  finish(error?: S3Error): Summary {
    const { meter, retries, signal } = this.context;
    this.summary.retries = retries.used;
    this.summary.elapsedMs = meter.elapsedMs;
    this.#listeners.close();
    if (error !== undefined) {
      this.summary.ended = error.code;
      const { planned, totalFiles, files, skipped, failed } = this.progress();
      if (planned) this.summary.undone = Math.max(0, totalFiles - files - skipped - failed);
    }
    const keepsJournal = error !== undefined || this.leavesWork || this.summary.failed > 0 || signal.aborted;
    this.#closeJournal(keepsJournal);
    this.#isFinished = true;
    return this.summary;
  }

  #closeJournal(keep: boolean): void {
    try {
      this.context.journal.close(keep);
    } catch (thrown) {
      const error = toS3Error(thrown);
      this.emit({ type: 'journal-error', code: error.code, message: error.message, advice: advice(error) });
    }
  }

  /** Items that the abort interrupted have not failed: the next run resumes them. */
  #isInterrupted(error: S3Error): boolean {
    const { signal } = this.context;
    return signal.aborted && (error.code === 'Aborted' || error.code === toS3Error(signal.reason).code);
  }
}

/** Adds the error as a property that is not enumerable: its cause may be anything, even the failure itself, and logs need not show it. */
const withHiddenError = <Failed extends object>(failed: Failed, error: S3Error): Failed & { error: S3Error } =>
  Object.defineProperty(failed, 'error', { value: error }) as Failed & { error: S3Error };
