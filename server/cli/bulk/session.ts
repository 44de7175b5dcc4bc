import { advice } from '../../../src/bulk/error-advice.js';
import { toS3Error } from '../../../src/bulk/errors.js';
import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../../src/bulk/node/index.js';
import type { RunOptions } from '../../../src/bulk/transfer/run-options.js';
import type { Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import type { CommonFlags, TransferFlags } from './flags.js';
import { makeReporter } from './reporter.js';
import type { Reporter, ReporterFlags } from './reporter.js';
import type { Operation } from './summary-text.js';

/** Time that a run waits for a store that does not respond. `--retries` replaces it by a number of attempts. */
const OUTAGE_TIMEOUT_MS = 3 * 60_000;

/** Signals within this time count as one. `timeout` and npm signal both the process and its group. */
const DUPLICATE_SIGNAL_MS = 300;

/** SIGHUP arrives when the terminal is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The exit status that shells give a command after SIGINT. */
const INTERRUPTED_STATUS = 130;

/** The connection, the output and the options of a command. */
export interface Session {
  bulk: BulkTransfer;
  reporter: Reporter;
  /** Options for every method of `bulk`. */
  runOptions: RunOptions;
  /** Registers a resource that is closed at the end of the command. */
  closeAtEnd: <Resource extends { close(): void }>(resource: Resource) => Resource;
}

/** Settings that depend on the command. */
interface CommandSettings {
  /** Exit status after standard output was closed, for commands that exist for their output. Other commands finish their work. */
  brokenPipeStatus?: number;
  /** The operation, for the summary of an interrupted run. @default "copy" */
  operation?: Operation;
}

type SessionFlags = CommonFlags & Partial<TransferFlags> & CommandSettings & Pick<ReporterFlags, 'patternAdvice' | 'clobber'>;

/**
 * Connects to the store, runs a command and sets the exit status: 0 all done, 1 something failed, 2 invalid use, 130 interrupted.
 * The first Ctrl+C stops the run in order, so that the next run can resume it. The second Ctrl+C ends the process at once.
 * @throws UsageError if `work` throws one
 */
export async function withSession(flags: SessionFlags, work: (session: Session) => Promise<void>): Promise<void> {
  const reporter = makeReporter(flags);
  const { signal, stopListening } = abortOnSignals();
  exitOnBrokenPipe(flags.brokenPipeStatus);
  let bulk: BulkTransfer | undefined;
  const resources: { close(): void }[] = [];
  try {
    bulk = createBulkTransfer({
      ...awsSettings(process.env, flags),
      proxy: proxyFromEnvironment(process.env),
      ...(flags.integrity !== undefined && { integrity: flags.integrity }),
      ...(flags.bwlimit !== undefined && { bandwidth: flags.bwlimit }),
    });
    await work({
      bulk,
      reporter,
      runOptions: makeRunOptions(flags, reporter, signal),
      closeAtEnd: (resource) => {
        resources.push(resource);
        return resource;
      },
    });
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    reportFailedRun(thrown, flags, reporter, signal);
  } finally {
    reporter.close();
    bulk?.close();
    for (const resource of resources) resource.close();
    stopListening();
  }
  // A reader that no longer reads would keep the process alive.
  if (signal.aborted && flags.brokenPipeStatus !== undefined) process.exit();
}

/** Aborts at the first stop signal and ends the process at the second one. */
function abortOnSignals(): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  let interruptedAtMs: number | undefined;
  const interrupt = (): void => {
    interruptedAtMs ??= performance.now();
    if (performance.now() - interruptedAtMs > DUPLICATE_SIGNAL_MS) process.exit(INTERRUPTED_STATUS);
    controller.abort();
  };
  for (const name of STOP_SIGNALS) process.on(name, interrupt);
  const stopListening = (): void => {
    for (const name of STOP_SIGNALS) process.off(name, interrupt);
  };
  return { signal: controller.signal, stopListening };
}

function exitOnBrokenPipe(status: number | undefined): void {
  if (status === undefined) return;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(status);
  });
}

const makeRunOptions = (flags: CommonFlags, reporter: Reporter, signal: AbortSignal): RunOptions => ({
  signal,
  ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
  retry: flags.retries === undefined ? { patience: OUTAGE_TIMEOUT_MS } : { tries: flags.retries },
  onEvent: (event) => reporter.reportEvent(event),
  ...(reporter.wantsProgress && { onProgress: (progress) => reporter.reportProgress(progress) }),
});

/** Reports an error that ended a run, and what the run had done before. Sets the exit status. */
function reportFailedRun(thrown: unknown, flags: SessionFlags, reporter: Reporter, signal: AbortSignal): void {
  const error = toS3Error(thrown);
  if (error.summary !== undefined && (flags.json || didAnything(error.summary)))
    reporter.reportSummary(error.summary, flags.operation ?? 'copy', { dryRun: flags.dryRun });
  if (signal.aborted) {
    process.exitCode = INTERRUPTED_STATUS;
    reporter.reportFatalError(error, 'Run the same command again.');
  } else {
    process.exitCode = error.code === 'InvalidOption' ? 2 : 1;
    reporter.reportFatalError(error, advice(error));
  }
}

const didAnything = ({ files, skipped, deleted, failed, maybeDeleted = 0 }: Summary): boolean =>
  files + skipped + deleted + failed + maybeDeleted > 0;
