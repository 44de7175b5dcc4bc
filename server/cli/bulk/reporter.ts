import type { S3Error } from '../../../src/bulk/errors.js';
import type { Action, Progress, Summary, TransferEvent } from '../../../src/bulk/types.js';
import { safeJson } from '../output.js';
import { failuresText } from './failures-text.js';
import { formatCount, formatDuration, formatNumber, formatSize, printable } from './format.js';
import { ProgressView } from './progress-view.js';

export interface ReporterFlags {
  json?: true;
  quiet?: true;
  verbose?: true;
  /** False where nothing is replaced: then what is skipped was there, and nobody looked whether it is the same. */
  clobber?: boolean;
  /** What to do where nothing has the name that was typed; see `patternAdvice`. */
  patternAdvice?: string | undefined;
}

/** Tells people on stderr, programs on stdout. */
export interface Reporter {
  wantsProgress: boolean;
  /** Whether the same command, run again, goes on with what this one has begun. */
  goesOn: boolean;
  event(event: TransferEvent): void;
  progress(progress: Progress): void;
  /**
   * The last words: what was done, and what failed with what to do. Sets exit status 1 when something failed.
   * @param unseen nobody looked whether what was deleted was there
   */
  summary(summary: Summary, action: 'copy' | 'delete' | 'verify', dryRun?: boolean, unseen?: boolean): void;
  fatal(error: S3Error, advice: string): void;
  /** What was done that is no transfer: for people a line, for programs an object. */
  did(text: string, value: object): void;
  /** A line of a listing or of `du`: text for people, an object with `--json`. */
  line(text: string, value: object): void;
  close(): void;
}

/** What ended a run, for programs. */
export const errorEvent = ({ code, message, status }: S3Error, advice: string): object => ({
  type: 'error',
  code,
  message,
  status,
  advice,
});

/** Codes of what is not there. */
const NOT_THERE = new Set(['NoSuchKey', 'NothingThere', 'SourceUnreadable']);

/** Codes of what ends a thing that may be gone on with. */
const CUT_SHORT = new Set(['Aborted', 'BudgetExhausted', 'ConnectionFailed', 'Stalled', 'StoreAway']);

/** What is tried again after a shorter pause is over before anybody has read of it. */
const LONG_MS = 2000;

/** What became of a thing, as people read it. */
const WORDS = { upload: 'uploaded', download: 'downloaded', copy: 'copied', delete: 'deleted', verify: 'verified' } as const;

export function makeReporter(
  flags: ReporterFlags,
  out: NodeJS.WriteStream = process.stdout,
  err: NodeJS.WriteStream = process.stderr,
): Reporter {
  // A terminal that is said to be dumb would show how lines are redrawn.
  const redraws = err.isTTY && process.env['TERM'] !== 'dumb';
  const view = redraws && !flags.quiet && !flags.json ? new ProgressView(err) : undefined;
  const write = (value: object): void => void out.write(`${safeJson(value)}\n`);
  const advised = <One extends { code: string; advice: string }>(one: One): One => {
    if (flags.patternAdvice !== undefined && NOT_THERE.has(one.code)) return { ...one, advice: flags.patternAdvice };
    return reporter.goesOn && CUT_SHORT.has(one.code) ? { ...one, advice: `${one.advice} It goes on where it stopped.` } : one;
  };
  let toldRetry = false;
  const say = (text: string): void => {
    view?.clear();
    err.write(`${text}\n`);
  };

  const reporter: Reporter = {
    wantsProgress: view !== undefined || flags.json === true,
    goesOn: false,
    event(event) {
      if (flags.json) write(event.type === 'failed' ? advised(event) : event);
      else if (event.type === 'failed') {
        // The list at the end tells it again, with what to do.
        const told = event.message.startsWith(`${event.name}: `) ? event.message : `${event.name}: ${event.message}`;
        if (!flags.quiet) say(`failed: ${printable(told)}`);
      } else if (event.type === 'waiting') {
        if (!flags.quiet) say(`the store does not answer, waiting for it: ${printable(event.message)}`);
      } else if (event.type === 'journal-error') {
        if (!flags.quiet) say(`a next run will not know all that this one did: ${printable(event.message)}\n${event.advice}`);
      } else if (event.type === 'leftover') {
        if (!flags.quiet)
          say(`a download that was cut short left ${printable(event.name)} (${formatSize(event.size)}); sync --delete drops it`);
      } else if (event.type === 'done' && event.dryRun) {
        view?.clear();
        out.write(`would have ${WORDS[event.action]} ${printable(event.name)} (${formatSize(event.size)})\n`);
      } else if (flags.verbose && event.type === 'done') say(`${WORDS[event.action]} ${printable(event.name)}`);
      else if (flags.verbose && event.type === 'skipped') say(`skipped ${printable(event.name)}: ${event.reason}`);
      else if (flags.verbose && event.type === 'retry')
        say(`retry ${event.tries} of ${printable(event.name)} after ${printable(event.code)}`);
      else if (event.type === 'retry' && !flags.quiet && !toldRetry && (event.code === 'Stalled' || event.delayMs >= LONG_MS)) {
        toldRetry = true;
        say(`a request failed, trying again (-v tells each): ${printable(event.message)}`);
      }
    },
    progress(progress) {
      if (flags.json) write({ type: 'progress', ...progress });
      else view?.show(progress);
    },
    summary(run, action, dryRun = false, unseen = false) {
      const summary = { ...run, failures: run.failures.map(advised) };
      view?.clear();
      if (summary.failed > 0) process.exitCode = 1;
      if (flags.json) return write({ type: 'summary', ...summary });
      if (!flags.quiet) err.write(`${summaryText(summary, action, dryRun, unseen, flags.clobber === false)}\n`);
      if (summary.failed > 0) err.write(failuresText(summary.failures));
      return undefined;
    },
    fatal(error, usual) {
      const { advice } = advised({ code: error.code, advice: usual });
      view?.clear();
      if (flags.json) write(errorEvent(error, advice));
      err.write(`svc-blob: ${printable(`${error.code}: ${error.message}`)}\n${advice}\n`);
    },
    did(text, value) {
      if (flags.json) write(value);
      else if (!flags.quiet) say(printable(text));
    },
    line(text, value) {
      if (flags.json) write(value);
      else out.write(`${text}\n`);
    },
    close: () => view?.clear(),
  };
  return reporter;
}

/** Why there is nothing to do, after which somebody who has mistyped a place looks at it again. */
const IDLE = {
  copy: 'the source is empty, or nothing of it is wanted',
  delete: 'nothing is there, or nothing of it is wanted',
  verify: 'both sides are empty, or nothing of them is wanted',
} as const;

function summaryText(summary: Summary, action: keyof typeof IDLE, dryRun: boolean, unseen: boolean, kept: boolean): string {
  const word = (one: Action): string => (dryRun ? `would ${one}` : WORDS[one]);
  const seconds = summary.elapsedMs / 1000;
  const parts: string[] = [];
  if (summary.files > 0) {
    const rate = seconds > 0.05 && summary.bytes > 0 ? `, ${formatSize(summary.bytes / seconds)}/s` : '';
    const there = summary.resumed > 0 ? `, of which ${formatSize(summary.resumed)} were there,` : '';
    const pace = dryRun ? '' : ` in ${formatDuration(seconds)}${rate}`;
    parts.push(
      `${word(action)} ${formatCount(summary.files, 'file')} (${formatSize(summary.bytes + summary.resumed)}${there}${pace})`,
    );
  }
  if (summary.deleted > 0)
    parts.push(`${word('delete')} ${formatCount(summary.deleted, 'file')}${unseen ? ', as far as they were there' : ''}`);
  if (summary.skipped > 0) {
    const one = summary.skipped === 1;
    const there = kept ? `skipped: ${one ? 'was' : 'were'} there` : one ? 'as it should be' : 'as they should be';
    const how = action === 'delete' ? 'not there' : there;
    parts.push(`${formatCount(summary.skipped, 'file')} ${how}`);
  }
  if (summary.retries > 0) parts.push(`${formatCount(summary.retries, 'request')} repeated`);
  if (summary.unverified > 0)
    parts.push(`${formatCount(summary.unverified, 'file')} not verified: the store has no checksum to compare`);
  if (summary.failed > 0) parts.push(`${summary.failed} failed`);
  if (summary.ended !== undefined && summary.undone !== 0) parts.push(endedText(summary, summary.ended));
  return parts.length === 0 ? `nothing to do: ${IDLE[action]}` : parts.join('; ');
}

/** How much is left, where anybody knows how much there is. */
function endedText({ undone, maybeDeleted }: Summary, code: string): string {
  const left = undone === undefined ? '' : `, ${formatCount(undone, 'file')} not done`;
  const [what, most] = undone === undefined ? ['more', Infinity] : ['of them', undone];
  const maybe = maybeDeleted === undefined ? '' : `, up to ${formatNumber(Math.min(maybeDeleted, most))} ${what} may be deleted`;
  return `stopped${code === 'Aborted' ? '' : ` by ${code}`}${left}${maybe}`;
}
