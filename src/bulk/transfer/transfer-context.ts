import { EmptyJournal } from '../journal/resume-journal.js';
import type { Journal } from '../journal/resume-journal.js';
import type { Store } from '../s3/object-store.js';
import { AdaptiveConcurrency } from './adaptive-concurrency.js';
import { BufferPool } from './buffer-pool.js';
import { ProgressMeter } from './progress-meter.js';
import { RetryBudget } from './retry-budget.js';
import type { RunOptions } from './run-options.js';
import { TransferExecutor } from './transfer-executor.js';
import { TransferReport } from './transfer-report.js';
import { validateRunOptions } from './validate-options.js';
import { WorkerPool } from './worker-pool.js';

const DEFAULT_MEMORY = 40 * 1024 * 1024;

/** Resources that all files of an upload session share. */
export interface SharedResources {
  concurrency: AdaptiveConcurrency;
  /** Memory for file contents. */
  buffers: BufferPool;
  retries: RetryBudget;
  journal: Journal;
  meter: ProgressMeter;
}

/** Everything that an operation needs to carry out one transfer. */
export interface TransferContext extends SharedResources {
  readonly store: Store;
  /** Aborts when the caller stops the transfer or a fatal error ends it. */
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  readonly executor: TransferExecutor;
  readonly workers: WorkerPool;
  readonly report: TransferReport;
}

/** @throws S3Error `InvalidOption` */
export function createTransferContext(store: Store, options: RunOptions, shared?: SharedResources): TransferContext {
  validateRunOptions(options);
  const resources = shared ?? createResources(options);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const dryRun = options.dryRun ?? false;
  const report = new TransferReport({
    ...resources,
    listeners: options,
    signal,
    dryRun,
    stop: (error) => stop.abort(error),
  });
  const executor = new TransferExecutor({ ...resources, store, signal, emit: (event) => report.emit(event) });
  report.onFailure = (error) => {
    if (executor.isFatal(error)) stop.abort(error);
  };
  const workers = new WorkerPool({
    signal,
    callerSignal: options.signal,
    stopSignal: stop.signal,
    concurrency: resources.concurrency,
    report,
  });
  return { ...resources, store, signal, dryRun, executor, workers, report };
}

/** Creates the context of a method that only reads and returns no summary. It reports no progress. */
export function createQueryContext(store: Store, options: RunOptions): TransferContext {
  const { onProgress: _, ...others } = options;
  return createTransferContext(store, others);
}

function createResources(options: RunOptions): SharedResources {
  return {
    concurrency: new AdaptiveConcurrency({
      ...(options.concurrency !== undefined && { fixed: options.concurrency }),
      ...(options.maxConcurrency !== undefined && { max: options.maxConcurrency }),
    }),
    buffers: new BufferPool(options.memory ?? DEFAULT_MEMORY),
    retries: new RetryBudget(options.retry),
    journal: options.journal ?? new EmptyJournal(),
    meter: new ProgressMeter(),
  };
}
