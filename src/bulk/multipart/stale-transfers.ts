import { isForbidden } from '../error-kinds.js';
import { toS3Error } from '../errors.js';
import { isAtPlace, journalPlace } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { Action, Place } from '../types.js';
import { abortStaleUpload } from './abort-upload.js';

/**
 * Ends unfinished transfers of earlier runs whose files this run did not process. After a failure, ends nothing, because the failed
 * file may be one of them. Leaves files of other places, and files that a filter excludes, to a later run.
 * @param kind.end aborts one transfer
 */
export async function endStaleTransfers(
  context: TransferContext,
  { bucket, prefix }: Place,
  { filter, paths }: { filter?: (path: string) => boolean; paths?: unknown },
  kind: { action: Action; end(old: Unfinished): Promise<void> } = {
    action: 'upload',
    end: (old) => abortStaleUpload(context, bucket, old),
  },
): Promise<void> {
  const { action, end } = kind;
  if (context.dryRun || context.report.summary.failed > 0) return;
  const place = journalPlace(action === 'download' ? 'from' : 'to', bucket);
  for (const old of context.journal.unfinished.values()) {
    if (context.journal.seen(old.key)) continue;
    const isInScope = isAtPlace(old, place) && old.key.startsWith(prefix) && paths === undefined;
    if (!isInScope || filter?.(old.key.slice(prefix.length)) === false) context.report.leavesWork = true;
    else
      await end(old).catch((error: unknown) => {
        if (context.signal.aborted) throw error;
        // An upload without an id has no parts. Credentials that may not list uploads leave it to others.
        if (old.uploadId === undefined && isForbidden(error)) context.report.leavesWork = true;
        else context.report.fail(action, old.key, toS3Error(error));
      });
  }
}
