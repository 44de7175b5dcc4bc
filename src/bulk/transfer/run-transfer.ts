import { AbortableWait } from '../abort.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import type { Summary } from '../types.js';
import type { RunOptions } from './run-options.js';
import { createTransferContext } from './transfer-context.js';
import type { TransferContext } from './transfer-context.js';

/** Time that requests get after an abort to end by themselves, including the one that aborts a multipart upload. */
const GRACE_MS = 15_000;

/**
 * Runs an operation and returns its summary. A fatal error of one file is listed in the summary.
 * @throws S3Error when the caller stops the transfer, or when it cannot continue; `summary` tells what was done until then
 */
export async function runTransfer(
  store: Store,
  options: RunOptions,
  work: (context: TransferContext) => Promise<void>,
): Promise<Summary> {
  const context = createTransferContext(store, options);
  const { report, signal } = context;
  // Callbacks and targets of the caller may never settle.
  const waiting = new AbortableWait(signal, () => GRACE_MS);
  try {
    await waiting.race(work(context));
  } catch (thrown) {
    const error = toS3Error(thrown);
    const isStoppedByFailure = report.summary.failed > 0 && signal.aborted;
    const isStoppedByCaller = options.signal?.aborted === true || report.listenerError !== undefined;
    const summary = report.finish(error);
    if (isStoppedByFailure && !isStoppedByCaller) return summary;
    throw Object.assign(error, { summary });
  } finally {
    await waiting.close(() => undefined);
  }
  const summary = report.finish();
  if (report.listenerError !== undefined) throw Object.assign(report.listenerError, { summary });
  return summary;
}
