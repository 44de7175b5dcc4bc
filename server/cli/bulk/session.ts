import { advice } from '../../../src/bulk/error-advice.js';
import type { RunOptions } from '../../../src/bulk/transfer/run-options.js';
import { toS3Error } from '../../../src/bulk/errors.js';
import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../../src/bulk/node/index.js';
import type { Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import type { CommonFlags, TransferFlags } from './flags.js';
import { makeReporter } from './reporter.js';
import type { Reporter, ReporterFlags } from './reporter.js';

/** How long a run waits for a store that does not respond. */
const OUTAGE_TIMEOUT_MS = 3 * 60_000;

/** A second signal within this time is the same one: `timeout` and npm signal the process and its group. */
const DUPLICATE_SIGNAL_MS = 300;

/** The connection, the output and the options of a command. */
export interface Session {
  bulk: BulkTransfer;
  reporter: Reporter;
  /** Options for every method of `bulk`. */
  run: RunOptions;
  /** Registers a resource that is closed at the end of the command. */
  closeAtEnd: <Resource extends { close(): void }>(resource: Resource) => Resource;
}

/** Flags that a command sets itself. */
interface SessionFlags {
  /** Exit status when standard output is closed, for commands whose output is their purpose. Others finish their work. */
  brokenPipeStatus?: number;
  /** The operation, for the summary of an interrupted run. @default "copy" */
  action?: 'copy' | 'delete' | 'verify';
}

/** SIGHUP arrives when the terminal is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Connects, runs a command and sets the exit status: 0 all done, 1 something failed, 130 interrupted.
 * The first Ctrl-C stops in order, so that the next run can resume. The second one ends the process at once.
 */
export async function withSession(
  flags: CommonFlags & Partial<TransferFlags> & SessionFlags & Pick<ReporterFlags, 'patternAdvice' | 'clobber'>,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const reporter = makeReporter(flags);
  const controller = new AbortController();
  let interruptedAt = 0;
  const interrupt = (): void => {
    if (interruptedAt === 0) interruptedAt = performance.now();
    else if (performance.now() - interruptedAt > DUPLICATE_SIGNAL_MS) process.exit(130);
    controller.abort();
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && flags.brokenPipeStatus !== undefined) process.exit(flags.brokenPipeStatus);
  });
  for (const signal of STOP_SIGNALS) process.on(signal, interrupt);
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
      run: {
        signal: controller.signal,
        ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
        retry: flags.retries === undefined ? { patience: OUTAGE_TIMEOUT_MS } : { tries: flags.retries },
        onEvent: (event) => reporter.reportEvent(event),
        ...(reporter.wantsProgress && { onProgress: (progress) => reporter.reportProgress(progress) }),
      },
      closeAtEnd: (resource) => {
        resources.push(resource);
        return resource;
      },
    });
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const error = toS3Error(thrown);
    if (error.summary !== undefined && (flags.json || didAnything(error.summary)))
      reporter.reportSummary(error.summary, flags.action ?? 'copy', flags.dryRun);
    process.exitCode = controller.signal.aborted ? 130 : error.code === 'InvalidOption' ? 2 : 1;
    reporter.reportFatalError(error, controller.signal.aborted ? 'Run the same command again.' : advice(error));
  } finally {
    reporter.close();
    bulk?.close();
    for (const resource of resources) resource.close();
    for (const signal of STOP_SIGNALS) process.off(signal, interrupt);
  }
  // A reader that has stopped reading would keep the process alive.
  if (controller.signal.aborted && flags.brokenPipeStatus !== undefined) process.exit();
}

const didAnything = ({ files, skipped, deleted, failed, maybeDeleted = 0 }: Summary): boolean =>
  files + skipped + deleted + failed + maybeDeleted > 0;
