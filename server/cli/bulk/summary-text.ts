import type { Action, Summary } from '../../../src/bulk/types.js';
import { PAST_TENSE } from './event-text.js';
import { formatCount, formatDuration, formatNumber, formatSize } from './format.js';

/** The operation of a command. `copy` stands for uploads, downloads and copies. */
export type Operation = 'copy' | 'delete' | 'verify';

export interface SummaryContext {
  operation: Operation;
  dryRun: boolean;
  /** True if deleted objects may not have existed, because the store reports success for missing keys. */
  mayNotHaveExisted: boolean;
  /** True with `--no-clobber`: skipped files exist, but were not compared. */
  keepsExisting: boolean;
}

const NOTHING_TO_DO: Record<Operation, string> = {
  copy: 'the source is empty, or the filters exclude everything',
  delete: 'nothing matches',
  verify: 'both sides are empty, or the filters exclude everything',
};

/** Returns the line that a command prints at its end, such as `copied 3 files (1.5 MiB in 2.0 s, 768 KiB/s); 1 failed`. */
export function summaryText(summary: Summary, context: SummaryContext): string {
  const { files, deleted, skipped, retries, unverified, failed, ended, undone } = summary;
  const parts: string[] = [];
  if (files > 0) parts.push(transferredText(summary, context));
  if (deleted > 0) {
    const condition = context.mayNotHaveExisted ? ', if they existed' : '';
    parts.push(`${verbFor('delete', context)} ${formatCount(deleted, 'file')}${condition}`);
  }
  if (skipped > 0) parts.push(`${formatCount(skipped, 'file')} ${skippedReason(context)}`);
  if (retries > 0) parts.push(`${formatCount(retries, 'request')} retried`);
  if (unverified > 0) parts.push(`${formatCount(unverified, 'file')} not verified because the store has no checksum`);
  if (failed > 0) parts.push(`${failed} failed`);
  if (ended !== undefined && undone !== 0) parts.push(interruptedText(summary, ended));
  return parts.length === 0 ? `nothing to do: ${NOTHING_TO_DO[context.operation]}` : parts.join('; ');
}

const verbFor = (action: Action, { dryRun }: SummaryContext): string => (dryRun ? `would ${action}` : PAST_TENSE[action]);

function transferredText({ files, bytes, resumed, elapsedMs }: Summary, context: SummaryContext): string {
  const seconds = elapsedMs / 1000;
  const resumedText = resumed > 0 ? `, of which ${formatSize(resumed)} were already transferred,` : '';
  const rate = seconds > 0.05 && bytes > 0 ? `, ${formatSize(bytes / seconds)}/s` : '';
  const duration = context.dryRun ? '' : ` in ${formatDuration(seconds)}${rate}`;
  const total = formatSize(bytes + resumed);
  return `${verbFor(context.operation, context)} ${formatCount(files, 'file')} (${total}${resumedText}${duration})`;
}

function skippedReason({ operation, keepsExisting }: SummaryContext): string {
  if (operation === 'delete') return 'not found';
  return keepsExisting ? 'skipped because the target exists' : 'already up to date';
}

/** Describes a run that ended early, with the number of remaining files if it is known. */
function interruptedText({ undone, maybeDeleted }: Summary, code: string): string {
  const cause = code === 'Aborted' ? '' : ` by ${code}`;
  const remaining = undone === undefined ? '' : `, ${formatCount(undone, 'file')} not done`;
  if (maybeDeleted === undefined) return `stopped${cause}${remaining}`;
  const unconfirmed =
    undone === undefined ? `${formatNumber(maybeDeleted)} more` : `${formatNumber(Math.min(maybeDeleted, undone))} of them`;
  return `stopped${cause}${remaining}, up to ${unconfirmed} may be deleted`;
}
