// Long because retries, failures and the pump are one state: what a run knows of its store, and whether it goes on.
import { Buffers } from './buffer-pool.js';
import { listBuckets } from '../s3/commands/list-buckets.js';
import { advice, isFatal, isOdd, isRetryable, isThrottle, S3Error, toS3Error } from '../errors.js';
import { Gate } from './adaptive-concurrency.js';
import type { Journal } from '../journal/resume-journal.js';
import { NoJournal } from '../journal/resume-journal.js';
import { RetryBudget } from './retry-budget.js';
import type { RetryOptions } from './retry-budget.js';
import type { Store } from '../s3/object-store.js';
import type { Action, Progress, Summary, TransferEvent } from '../types.js';
import { aborted, Listening, sleep } from './abort.js';
import { checkOptions } from './validate-options.js';
import { Listeners } from './event-listeners.js';
import type { ListenerOptions } from './event-listeners.js';
import { Meter } from './progress-meter.js';
import type { Following } from './progress-meter.js';
import { Outage } from './outage.js';

/** What every command of the adapter takes. */
export interface RunOptions extends ListenerOptions {
  signal?: AbortSignal;
  /** Requests at once; by default it adapts to what the store rewards. */
  concurrency?: number;
  /** @default 128 */
  maxConcurrency?: number;
  /** Bytes of file contents held at once; what a wire writes by itself is not held. @default 40 MiB */
  memory?: number;
  retry?: RetryOptions;
  /** Say what would be done and do nothing. */
  dryRun?: boolean;
  /** For this run alone, which closes it at its end. A call that is refused (`InvalidOption`) leaves it open, and so does an upload session. */
  journal?: Journal;
}

const MEMORY = 40 * 1024 * 1024;
const FAILURES_KEPT = 1000;
/** How often a request is sent again at once: one that found a pooled connection closed, or taught us how to ask. */
const AT_ONCE = 8;
/** Outages that one request may meet at no cost. More of them are its own doing, as where a store dies of one object. */
const OUTAGES = 3;
/** Things begun beyond the requests at once, so that the next body is ready when a place gets free. */
const AHEAD = 8;

/** What is under way ends by itself in this time after a stop, the last request for parts that are given up included. */
const GRACE_MS = 15_000;
/** A run that ended by itself tells how much is left, as far as it can be counted in this time. */
const COUNTING_MS = 1000;
/** Things that are counted at a stretch. */
const COUNTING_STEP = 1000;

/** So many signatures in a row that the store does not take may still be a proxy's doing, which writes some names anew: it is asked. */
const ODD_ROW = 16;

/** What runs have in common that carry the files of one session. */
export type Common = Pick<Run, 'gate' | 'buffers' | 'retries' | 'journal' | 'meter'>;

/** One run of one command: its limits, its retries, what was done and what failed. */
export class Run {
  readonly gate: Gate;
  readonly buffers: Buffers;
  readonly retries: RetryBudget;
  readonly meter: Meter;
  readonly journal: Journal;
  readonly dryRun: boolean;
  /** Another run has something to go on with, even when this one does all it was told to. */
  leavesMore = false;
  readonly #stop = new AbortController();
  readonly #outage: Outage;
  /** The store has done as it was asked, once at least. */
  #answered = false;
  /** Signatures that it did not take since. */
  #odd = 0;
  /** What is told is told: something that never answered in time may do so yet. */
  #finished = false;
  readonly signal: AbortSignal;
  readonly #options: RunOptions;
  readonly #listeners: Listeners;
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

  constructor(
    readonly store: Store,
    options: RunOptions,
    common?: Common,
  ) {
    checkOptions(options);
    this.#options = options;
    this.meter = common?.meter ?? new Meter();
    this.gate =
      common?.gate ??
      new Gate({
        ...(options.concurrency !== undefined && { fixed: options.concurrency }),
        ...(options.maxConcurrency !== undefined && { max: options.maxConcurrency }),
      });
    this.buffers = common?.buffers ?? new Buffers(options.memory ?? MEMORY);
    this.retries = common?.retries ?? new RetryBudget(options.retry);
    this.#outage = new Outage(this);
    this.journal = common?.journal ?? options.journal ?? new NoJournal();
    this.dryRun = options.dryRun ?? false;
    this.signal = options.signal === undefined ? this.#stop.signal : AbortSignal.any([options.signal, this.#stop.signal]);
    this.#listeners = new Listeners(
      options,
      () => this.progress(),
      (error) => this.#stop.abort(error),
    );
  }

  emit(event: TransferEvent): void {
    if (!this.#finished) this.#listeners.emit(event);
  }

  get over(): boolean {
    return this.#finished;
  }

  /** What a listener threw. */
  get broken(): S3Error | undefined {
    return this.#listeners.broken;
  }

  /** Whether anybody listens; events of small files are not even made otherwise. */
  get heard(): boolean {
    return this.#options.onEvent !== undefined;
  }

  progress(): Progress {
    const { files, skipped, failed, deleted } = this.summary;
    return this.meter.snapshot({ files: files + deleted, skipped, failed, concurrency: this.gate.limit });
  }

  /**
   * One request, tried as long as it makes sense and the run's budget lasts.
   * @param weight bytes that cross the wire for it, by which the gate judges throughput and keeps places for the light
   * @param work told what to call as bytes move
   * @param following which file's they are: those of a try that failed are taken back
   */
  async request<Answer>(
    name: string,
    weight: number,
    work: (moved: (bytes: number) => void) => Promise<Answer>,
    following?: Following,
  ): Promise<Answer> {
    let [atOnce, outlasted] = [0, 0];
    for (let tries = 1; ; tries++) {
      const place = this.gate.enter(this.signal, weight);
      if (place !== undefined) await place;
      const outages = this.#outage.count;
      let counted = 0;
      const moved = (bytes: number): void => {
        counted += bytes;
        following?.moved(bytes);
      };
      try {
        const answer = await work(moved);
        this.gate.leave(weight, true);
        this.retries.succeeded();
        this.#answered = true;
        this.#odd = 0;
        return answer;
      } catch (thrown) {
        moved(-counted);
        this.gate.leave(weight, false);
        const error = toS3Error(thrown);
        if (this.signal.aborted) throw aborted(this.signal);
        if (error.again && atOnce++ < AT_ONCE) {
          tries--;
          continue;
        }
        if (this.#answered && error.code === 'SignatureDoesNotMatch' && ++this.#odd % ODD_ROW === 0) await this.#askForKey();
        if (this.#answered && (await this.#outage.outlasted(error, outages)) && outlasted++ < OUTAGES) tries--;
        else await this.#beforeNext(name, error, tries);
      }
    }
  }

  /** Whether the store still takes the key at all: one that was replaced in mid-run would cost a refusal for every file that is left. */
  async #askForKey(): Promise<void> {
    await listBuckets(this.store, this.signal).catch((error: unknown) => {
      if (toS3Error(error).code === 'SignatureDoesNotMatch') this.#answered = false;
    });
  }

  async #beforeNext(name: string, error: S3Error, tries: number): Promise<void> {
    error.tries = tries;
    if (isThrottle(error)) this.gate.backOff();
    const passing = isRetryable(error) || (this.#answered && error.code === 'NotS3' && error.status > 0);
    if (!passing || tries >= this.retries.tries) throw error;
    if (!this.retries.spend())
      throw new S3Error('BudgetExhausted', `The run has spent its retries; the last error was ${error.code}: ${error.message}`, {
        cause: error,
        tries,
      });
    const delayMs = Math.round(this.retries.delay(tries, error));
    this.emit({ type: 'retry', name, code: error.code, message: error.message, tries, delayMs });
    await sleep(delayMs, this.signal);
  }

  /**
   * Runs `each` over all items, as many at once as the gate lets through and a few more. One that fails is recorded
   * and stops none of the others, unless nothing else could succeed either.
   */
  async pump<Item>(
    action: Action,
    items: AsyncIterable<Item> | Iterable<Item>,
    nameOf: (item: Item) => string,
    each: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    const flight: { active: number; wake?: (() => void) | undefined } = { active: 0 };
    const room = (): Promise<void> => new Promise((resolve) => (flight.wake = resolve));
    const settled = (): void => {
      flight.active--;
      flight.wake?.();
      flight.wake = undefined;
    };
    let [counting, counted] = [0, 0];
    const isAsync = Symbol.asyncIterator in items;
    const source = isAsync ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
    // What is left of one that says something is counted after a failure of all.
    const listening = new Listening(this.signal, () => (this.#options.signal?.aborted ? 0 : COUNTING_MS));
    try {
      for (;;) {
        const saying = source.next();
        const said = isAsync ? await listening.to(saying) : (saying as IteratorResult<Item>);
        if (said.done) break;
        const item = said.value;
        if (this.signal.aborted) {
          counting ||= performance.now() + COUNTING_MS;
          if (!this.#stop.signal.aborted || performance.now() > counting) break;
          // A source that is there at once would leave nobody else a turn.
          if (++counted % COUNTING_STEP === 0) await new Promise((resolve) => setTimeout(resolve, 0));
          continue;
        }
        while (flight.active >= this.gate.limit + AHEAD) await room();
        flight.active++;
        each(item).then(settled, (error: unknown) => {
          this.fail(action, nameOf(item), toS3Error(error));
          settled();
        });
      }
    } finally {
      while (flight.active > 0) await room();
      await listening.close(() => source.return?.());
    }
    if (this.signal.aborted) throw aborted(this.signal);
  }

  /** Whether nothing else in this run can succeed either. */
  isFatal(error: S3Error): boolean {
    return isFatal(error) && !(this.#answered && isOdd(error));
  }

  fail(action: Action, name: string, error: S3Error): void {
    if (this.#finished) return;
    // What a stop cuts short has not failed: the next run goes on with it.
    if (this.signal.aborted && (error.code === 'Aborted' || error.code === toS3Error(this.signal.reason).code)) return;
    const { code, message, tries, status } = error;
    const told = { action, name, code, message, advice: advice(error), tries, status };
    this.summary.failed++;
    if (this.summary.failures.length < FAILURES_KEPT) this.summary.failures.push(withError({ ...told }, error));
    this.emit(withError({ type: 'failed', ...told }, error));
    if (this.isFatal(error)) this.#stop.abort(error);
  }

  /** A thing is as it should be. */
  skip(action: Action, name: string, size: number, reason: string): void {
    if (this.#finished) return;
    this.summary.skipped++;
    this.meter.passed(size);
    if (this.heard) this.emit({ type: 'skipped', action, name, reason });
  }

  /** @param there of its bytes, those that an earlier run moved */
  done(action: Action, name: string, size: number, there = 0): void {
    if (this.#finished) return;
    if (action === 'delete') this.summary.deleted++;
    else {
      this.summary.files++;
      this.summary.bytes += size - there;
      this.summary.resumed += there;
    }
    if (this.heard) this.emit({ type: 'done', action, name, size, ...(this.dryRun && { dryRun: true as const }) });
  }

  /** Ends the run. @param ended what keeps it from going on: there is more to do, for a next one. */
  finish(ended?: S3Error): Summary {
    this.summary.retries = this.retries.used;
    this.summary.elapsedMs = this.meter.elapsedMs;
    this.#listeners.close();
    if (ended !== undefined) {
      this.summary.ended = ended.code;
      const { planned, totalFiles, files, skipped, failed } = this.progress();
      if (planned) this.summary.undone = Math.max(0, totalFiles - files - skipped - failed);
    }
    try {
      this.journal.close(ended !== undefined || this.leavesMore || this.summary.failed > 0 || this.signal.aborted);
    } catch (error) {
      // What a next run would know is no file.
      const unnoted = toS3Error(error);
      this.emit({ type: 'unnoted', code: unnoted.code, message: unnoted.message, advice: advice(unnoted) });
    }
    this.#finished = true;
    return this.summary;
  }
}

/** Not enumerable: a log of a failure tells it already, and what caused it may be anything, the failure itself included. */
const withError = <Told extends object>(told: Told, error: S3Error): Told & { error: S3Error } =>
  Object.defineProperty(told, 'error', { value: error }) as Told & { error: S3Error };

/**
 * Makes a run, does the work and ends it however it goes. A fatal failure is in the summary; a stop from outside, and what keeps
 * the run from going on, is thrown, with what was done until then as `summary`.
 */
export async function withRun(store: Store, options: RunOptions, work: (run: Run) => Promise<void>): Promise<Summary> {
  const run = new Run(store, options);
  // Whoever was asked for something, as a target is, may never answer.
  const listening = new Listening(run.signal, () => GRACE_MS);
  try {
    await listening.to(work(run));
  } catch (thrown) {
    const error = toS3Error(thrown);
    const known = run.summary.failed > 0 && run.signal.aborted && options.signal?.aborted !== true && run.broken === undefined;
    const summary = run.finish(error);
    if (known) return summary;
    throw Object.assign(error, { summary });
  } finally {
    await listening.close(() => undefined);
  }
  const summary = run.finish();
  if (run.broken !== undefined) throw Object.assign(run.broken, { summary });
  return summary;
}

/** A run that only answers questions: it has no progress to tell, and no end. */
export function questions(store: Store, options: RunOptions): Run {
  const { onProgress: _, ...rest } = options;
  return new Run(store, rest);
}
