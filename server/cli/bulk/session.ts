import { advice } from '../../../src/bulk/error-advice.js';
import type { RunOptions } from '../../../src/bulk/transfer/run-options.js';
import { toS3Error } from '../../../src/bulk/errors.js';
import { awsSettings } from '../../../src/bulk/node/config/aws-settings.js';
import { createBulkTransfer, proxyFromEnvironment } from '../../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../../src/bulk/node/index.js';
import type { Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import type { CommonFlags, TransferFlags } from './flags.js';
import { makeReporter } from './reporter.js';
import type { Reporter, ReporterFlags } from './reporter.js';

/** How long a store that went away is waited for. */
const PATIENCE_MS = 3 * 60_000;

/** What comes so soon after a first signal is the same one: `timeout` and npm send theirs to the process and to its group. A second one ends it at once. */
const AT_ONCE_MS = 300;

/** What a command works with. */
export interface Session {
  bulk: BulkTransfer;
  reporter: Reporter;
  /** For every method of `bulk`. */
  run: RunOptions;
  /** What the command makes for its work, closed at its end. */
  hold: <Held extends { close(): void }>(one: Held) => Held;
}

/** Of commands whose work is what they print; others go on when nobody reads it, and end with the status of what they did. */
interface PrintFlags {
  /** Exit status, at once, when nobody reads standard output any more. */
  unread?: number;
  /** What the command does, for the summary of a run that was cut short. @default "copy" */
  action?: 'copy' | 'delete' | 'verify';
}

/** The last one of a terminal that is closed, or a connection to it that is lost. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Connects, runs a command and turns its outcome into an exit status: 0 all done, 1 something failed, 130 interrupted.
 * A first Ctrl-C ends in order, so that the next run can go on; a second one ends at once.
 */
export async function withSession(
  flags: CommonFlags & Partial<TransferFlags> & PrintFlags & Pick<ReporterFlags, 'patternAdvice' | 'clobber'>,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const reporter = makeReporter(flags);
  const stop = new AbortController();
  let asked = 0;
  const interrupt = (): void => {
    if (asked === 0) asked = performance.now();
    else if (performance.now() - asked > AT_ONCE_MS) process.exit(130);
    stop.abort();
  };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' && flags.unread !== undefined) process.exit(flags.unread);
  });
  for (const signal of STOPS) process.on(signal, interrupt);
  let bulk: BulkTransfer | undefined;
  const held: { close(): void }[] = [];
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
        signal: stop.signal,
        ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
        retry: flags.retries === undefined ? { patience: PATIENCE_MS } : { tries: flags.retries },
        onEvent: (event) => reporter.event(event),
        ...(reporter.wantsProgress && { onProgress: (progress) => reporter.progress(progress) }),
      },
      hold: (one) => {
        held.push(one);
        return one;
      },
    });
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const error = toS3Error(thrown);
    if (error.summary !== undefined && (flags.json || didAnything(error.summary)))
      reporter.summary(error.summary, flags.action ?? 'copy', flags.dryRun);
    process.exitCode = stop.signal.aborted ? 130 : error.code === 'InvalidOption' ? 2 : 1;
    reporter.fatal(error, stop.signal.aborted ? 'Run the same command again.' : advice(error));
  } finally {
    reporter.close();
    bulk?.close();
    for (const one of held) one.close();
    for (const signal of STOPS) process.off(signal, interrupt);
  }
  // A reader that stands still would hold what it has not taken, and with it the process.
  if (stop.signal.aborted && flags.unread !== undefined) process.exit();
}

const didAnything = ({ files, skipped, deleted, failed, maybeDeleted = 0 }: Summary): boolean =>
  files + skipped + deleted + failed + maybeDeleted > 0;
