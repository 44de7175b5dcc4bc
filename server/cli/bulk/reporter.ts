import type { S3Error } from '../../../src/bulk/errors.js';
import type { Action, Progress, Summary, TransferEvent } from '../../../src/bulk/types.js';
import { safeJson } from '../output.js';
import { failuresText } from './failures-text.js';
import { formatCount, formatDuration, formatNumber, formatSize, escapeControls } from './format.js';
import { ProgressView } from './progress-view.js';

export interface ReporterFlags {
  json?: true;
  quiet?: true;
  verbose?: true;
  /** False with `--no-clobber`: skipped files exist, but were not compared. */
  clobber?: boolean;
  /** Advice if nothing has the given name; see `patternAdvice`. */
  patternAdvice?: string | undefined;
}

/** Prints the progress and the results of a command: text on stderr, `--json` on stdout. */
export interface Reporter {
  wantsProgress: boolean;
  /** True if the same command resumes an interrupted run. */
  isResumable: boolean;
  reportEvent(event: TransferEvent): void;
  reportProgress(progress: Progress): void;
  /**
   * Prints what was done and what failed. Sets exit status 1 if something failed.
   * @param unseen true if deleted objects may not have existed
   */
  reportSummary(summary: Summary, action: 'copy' | 'delete' | 'verify', dryRun?: boolean, unseen?: boolean): void;
  reportFatalError(error: S3Error, advice: string): void;
  /** Prints the result of a command that transfers nothing. */
  printResult(text: string, value: object): void;
  /** Prints a line of a listing; the value with `--json`. */
  printLine(text: string, value: object): void;
  close(): void;
}

/** Returns the JSON event of an error that ended a run. */
export const errorEvent = ({ code, message, status }: S3Error, advice: string): object => ({
  type: 'error',
  code,
  message,
  status,
  advice,
});

/** Codes of missing sources and objects. */
const MISSING_CODES = new Set(['NoSuchKey', 'NothingThere', 'SourceUnreadable']);

/** Codes of errors after which a run can be resumed. */
const RESUMABLE_CODES = new Set(['Aborted', 'BudgetExhausted', 'ConnectionFailed', 'Stalled', 'StoreAway']);

/** Retries after a shorter delay are not printed. */
const MIN_PRINTED_DELAY_MS = 2000;

const PAST_TENSE = { upload: 'uploaded', download: 'downloaded', copy: 'copied', delete: 'deleted', verify: 'verified' } as const;

export function makeReporter(
  flags: ReporterFlags,
  out: NodeJS.WriteStream = process.stdout,
  err: NodeJS.WriteStream = process.stderr,
): Reporter {
  // Dumb terminals cannot redraw lines.
  const redraws = err.isTTY && process.env['TERM'] !== 'dumb';
  const view = redraws && !flags.quiet && !flags.json ? new ProgressView(err) : undefined;
  const write = (value: object): void => void out.write(`${safeJson(value)}\n`);
  const withAdvice = <Problem extends { code: string; advice: string }>(problem: Problem): Problem => {
    if (flags.patternAdvice !== undefined && MISSING_CODES.has(problem.code)) return { ...problem, advice: flags.patternAdvice };
    if (!reporter.isResumable || !RESUMABLE_CODES.has(problem.code)) return problem;
    return { ...problem, advice: `${problem.advice} It resumes where it stopped.` };
  };
  let printedRetry = false;
  const print = (text: string): void => {
    view?.clear();
    err.write(`${text}\n`);
  };

  const reporter: Reporter = {
    wantsProgress: view !== undefined || flags.json === true,
    isResumable: false,
    reportEvent(event) {
      if (flags.json) write(event.type === 'failed' ? withAdvice(event) : event);
      else if (event.type === 'failed') {
        // The list of failures at the end adds the advice.
        const message = event.message.startsWith(`${event.name}: `) ? event.message : `${event.name}: ${event.message}`;
        if (!flags.quiet) print(`failed: ${escapeControls(message)}`);
      } else if (event.type === 'waiting') {
        if (!flags.quiet) print(`the store does not respond, waiting: ${escapeControls(event.message)}`);
      } else if (event.type === 'journal-error') {
        if (!flags.quiet)
          print(
            `the journal is incomplete, so the next run will repeat some work: ${escapeControls(event.message)}\n${event.advice}`,
          );
      } else if (event.type === 'leftover') {
        if (!flags.quiet)
          print(
            `an interrupted download left ${escapeControls(event.name)} (${formatSize(event.size)}); sync --delete removes it`,
          );
      } else if (event.type === 'done' && event.dryRun) {
        view?.clear();
        out.write(`would have ${PAST_TENSE[event.action]} ${escapeControls(event.name)} (${formatSize(event.size)})\n`);
      } else if (flags.verbose && event.type === 'done') print(`${PAST_TENSE[event.action]} ${escapeControls(event.name)}`);
      else if (flags.verbose && event.type === 'skipped') print(`skipped ${escapeControls(event.name)}: ${event.reason}`);
      else if (flags.verbose && event.type === 'retry')
        print(`retry ${event.tries} of ${escapeControls(event.name)} after ${escapeControls(event.code)}`);
      else if (
        event.type === 'retry' &&
        !flags.quiet &&
        !printedRetry &&
        (event.code === 'Stalled' || event.delayMs >= MIN_PRINTED_DELAY_MS)
      ) {
        printedRetry = true;
        print(`a request failed and is retried (-v prints every retry): ${escapeControls(event.message)}`);
      }
    },
    reportProgress(progress) {
      if (flags.json) write({ type: 'progress', ...progress });
      else view?.show(progress);
    },
    reportSummary(run, action, dryRun = false, unseen = false) {
      const summary = { ...run, failures: run.failures.map(withAdvice) };
      view?.clear();
      if (summary.failed > 0) process.exitCode = 1;
      if (flags.json) return write({ type: 'summary', ...summary });
      if (!flags.quiet) err.write(`${summaryText(summary, action, dryRun, unseen, flags.clobber === false)}\n`);
      if (summary.failed > 0) err.write(failuresText(summary.failures));
      return undefined;
    },
    reportFatalError(error, usual) {
      const { advice } = withAdvice({ code: error.code, advice: usual });
      view?.clear();
      if (flags.json) write(errorEvent(error, advice));
      err.write(`svc-blob: ${escapeControls(`${error.code}: ${error.message}`)}\n${advice}\n`);
    },
    printResult(text, value) {
      if (flags.json) write(value);
      else if (!flags.quiet) print(escapeControls(text));
    },
    printLine(text, value) {
      if (flags.json) write(value);
      else out.write(`${text}\n`);
    },
    close: () => view?.clear(),
  };
  return reporter;
}

const NOTHING_TO_DO = {
  copy: 'the source is empty, or the filters exclude everything',
  delete: 'nothing matches',
  verify: 'both sides are empty, or the filters exclude everything',
} as const;

function summaryText(
  summary: Summary,
  action: keyof typeof NOTHING_TO_DO,
  dryRun: boolean,
  unseen: boolean,
  kept: boolean,
): string {
  const verb = (done: Action): string => (dryRun ? `would ${done}` : PAST_TENSE[done]);
  const seconds = summary.elapsedMs / 1000;
  const parts: string[] = [];
  if (summary.files > 0) {
    const rate = seconds > 0.05 && summary.bytes > 0 ? `, ${formatSize(summary.bytes / seconds)}/s` : '';
    const there = summary.resumed > 0 ? `, of which ${formatSize(summary.resumed)} were already transferred,` : '';
    const pace = dryRun ? '' : ` in ${formatDuration(seconds)}${rate}`;
    parts.push(
      `${verb(action)} ${formatCount(summary.files, 'file')} (${formatSize(summary.bytes + summary.resumed)}${there}${pace})`,
    );
  }
  if (summary.deleted > 0)
    parts.push(`${verb('delete')} ${formatCount(summary.deleted, 'file')}${unseen ? ', if they existed' : ''}`);
  if (summary.skipped > 0) {
    const state = action === 'delete' ? 'not found' : kept ? 'skipped because the target exists' : 'already up to date';
    parts.push(`${formatCount(summary.skipped, 'file')} ${state}`);
  }
  if (summary.retries > 0) parts.push(`${formatCount(summary.retries, 'request')} retried`);
  if (summary.unverified > 0)
    parts.push(`${formatCount(summary.unverified, 'file')} not verified because the store has no checksum`);
  if (summary.failed > 0) parts.push(`${summary.failed} failed`);
  if (summary.ended !== undefined && summary.undone !== 0) parts.push(endedText(summary, summary.ended));
  return parts.length === 0 ? `nothing to do: ${NOTHING_TO_DO[action]}` : parts.join('; ');
}

/** Describes an interrupted run, with the number of remaining files if it is known. */
function endedText({ undone, maybeDeleted }: Summary, code: string): string {
  const left = undone === undefined ? '' : `, ${formatCount(undone, 'file')} not done`;
  const [what, most] = undone === undefined ? ['more', Infinity] : ['of them', undone];
  const maybe = maybeDeleted === undefined ? '' : `, up to ${formatNumber(Math.min(maybeDeleted, most))} ${what} may be deleted`;
  return `stopped${code === 'Aborted' ? '' : ` by ${code}`}${left}${maybe}`;
}
