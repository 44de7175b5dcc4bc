import { isForbidden } from '../error-kinds.js';
import { toS3Error } from '../errors.js';
import { isAtPlace, journalPlace } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { Action, Place } from '../types.js';
import { abortStaleUpload } from './abort-upload.js';

/**
 * Ends the unfinished transfers of earlier runs whose files this run did not meet. Nothing is ended after a failure: the
 * failed file may be theirs. Files that a filter excludes and other places are left to a later run.
 */
export async function endStaleTransfers(
  context: TransferContext,
  { bucket, prefix }: Place,
  { filter, paths }: { filter?: (path: string) => boolean; paths?: unknown },
  { action, end }: { action: Action; end(old: Unfinished): Promise<void> } = {
    action: 'upload',
    end: (old) => abortStaleUpload(context, bucket, old),
  },
): Promise<void> {
  if (context.dryRun || context.report.summary.failed > 0) return;
  const place = journalPlace(action === 'download' ? 'from' : 'to', bucket);
  for (const old of context.journal.unfinished.values()) {
    if (context.journal.seen(old.key)) continue;
    const isMet = isAtPlace(old, place) && old.key.startsWith(prefix) && paths === undefined;
    if (!isMet || filter?.(old.key.slice(prefix.length)) === false) context.report.leavesWork = true;
    else
      await end(old).catch((error: unknown) => {
        if (context.signal.aborted) throw error;
        // Without an id it has no parts, if it was begun at all: a key that may not ask leaves it to one that may.
        if (old.uploadId === undefined && isForbidden(error)) context.report.leavesWork = true;
        else context.report.fail(action, old.key, toS3Error(error));
      });
  }
}
