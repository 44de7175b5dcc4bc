import type { S3Error } from '../../../src/bulk/errors.js';
import type { Progress, Summary, TransferEvent } from '../../../src/bulk/types.js';
import { safeJson } from '../output.js';
import { eventText, isLongRetry } from './event-text.js';
import { failuresText } from './failures-text.js';
import { escapeControls, formatSize } from './format.js';
import { ProgressView } from './progress-view.js';
import { summaryText } from './summary-text.js';
import type { Operation } from './summary-text.js';

export interface ReporterFlags {
  json?: true;
  quiet?: true;
  verbose?: true;
  /** False with `--no-clobber`. */
  clobber?: boolean;
  /** Advice if nothing has the given name; see `adviseOnPattern`. */
  patternAdvice?: string | undefined;
}

/** Details of a summary. */
export interface SummaryFlags {
  /** @default false */
  dryRun?: boolean | undefined;
  /** True if deleted objects may not have existed. @default false */
  mayNotHaveExisted?: boolean;
}

/** Prints the progress and the results of a command: text on standard error, `--json` on standard output. */
export interface Reporter {
  wantsProgress: boolean;
  /** True if the same command resumes an interrupted run. */
  isResumable: boolean;
  reportEvent(event: TransferEvent): void;
  reportProgress(progress: Progress): void;
  /** Prints what was done and what failed. Sets exit status 1 if something failed. */
  reportSummary(summary: Summary, operation: Operation, flags?: SummaryFlags): void;
  /** Prints an error that ended the run. */
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

export function makeReporter(
  flags: ReporterFlags,
  out: NodeJS.WriteStream = process.stdout,
  err: NodeJS.WriteStream = process.stderr,
): Reporter {
  // Dumb terminals cannot redraw lines.
  const canRedraw = err.isTTY && process.env['TERM'] !== 'dumb';
  const view = canRedraw && !flags.quiet && !flags.json ? new ProgressView(err) : undefined;
  const writeJson = (value: object): void => void out.write(`${safeJson(value)}\n`);
  const print = (text: string): void => {
    view?.clear();
    err.write(`${text}\n`);
  };
  const withAdvice = <Problem extends { code: string; advice: string }>(problem: Problem): Problem => {
    if (flags.patternAdvice !== undefined && MISSING_CODES.has(problem.code)) return { ...problem, advice: flags.patternAdvice };
    if (!reporter.isResumable || !RESUMABLE_CODES.has(problem.code)) return problem;
    return { ...problem, advice: `${problem.advice} It resumes where it stopped.` };
  };
  let hasPrintedRetry = false;

  const reporter: Reporter = {
    wantsProgress: view !== undefined || flags.json === true,
    isResumable: false,
    reportEvent(event) {
      if (flags.json) return writeJson(event.type === 'failed' ? withAdvice(event) : event);
      if (event.type === 'done' && event.dryRun) {
        view?.clear();
        out.write(`would ${event.action} ${escapeControls(event.name)} (${formatSize(event.size)})\n`);
        return undefined;
      }
      if (event.type === 'retry' && !flags.verbose && (hasPrintedRetry || !isLongRetry(event))) return undefined;
      const text = eventText(event, flags);
      if (text === undefined) return undefined;
      hasPrintedRetry ||= event.type === 'retry';
      return print(text);
    },
    reportProgress(progress) {
      if (flags.json) writeJson({ type: 'progress', ...progress });
      else view?.show(progress);
    },
    reportSummary(run, operation, { dryRun = false, mayNotHaveExisted = false } = {}) {
      const summary = { ...run, failures: run.failures.map(withAdvice) };
      view?.clear();
      if (summary.failed > 0) process.exitCode = 1;
      if (flags.json) return writeJson({ type: 'summary', ...summary });
      const context = { operation, dryRun, mayNotHaveExisted, keepsExisting: flags.clobber === false };
      if (!flags.quiet) err.write(`${summaryText(summary, context)}\n`);
      if (summary.failed > 0) err.write(failuresText(summary.failures));
      return undefined;
    },
    reportFatalError(error, defaultAdvice) {
      const { advice } = withAdvice({ code: error.code, advice: defaultAdvice });
      view?.clear();
      if (flags.json) writeJson(errorEvent(error, advice));
      err.write(`svc-blob: ${escapeControls(`${error.code}: ${error.message}`)}\n${advice}\n`);
    },
    printResult(text, value) {
      if (flags.json) writeJson(value);
      else if (!flags.quiet) print(escapeControls(text));
    },
    printLine(text, value) {
      if (flags.json) writeJson(value);
      else out.write(`${text}\n`);
    },
    close: () => view?.clear(),
  };
  return reporter;
}
