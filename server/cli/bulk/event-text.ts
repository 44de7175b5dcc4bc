import type { Action, TransferEvent } from '../../../src/bulk/types.js';
import { escapeControls, formatSize } from './format.js';

export const PAST_TENSE: Record<Action, string> = {
  upload: 'uploaded',
  download: 'downloaded',
  copy: 'copied',
  delete: 'deleted',
  verify: 'verified',
};

/** Retries after a shorter delay are printed with `--verbose` only. */
const LONG_DELAY_MS = 2000;

/**
 * Returns the text that an event prints on standard error.
 * @returns undefined if the flags hide the event
 */
export function eventText(event: TransferEvent, { quiet, verbose }: { quiet?: true; verbose?: true }): string | undefined {
  switch (event.type) {
    case 'done':
      return verbose && `${PAST_TENSE[event.action]} ${escapeControls(event.name)}`;
    case 'skipped':
      return verbose && `skipped ${escapeControls(event.name)}: ${event.reason}`;
    case 'retry':
      if (verbose) return `retry ${event.tries} of ${escapeControls(event.name)} after ${escapeControls(event.code)}`;
      return quiet ? undefined : `a request failed and is retried (-v prints every retry): ${escapeControls(event.message)}`;
    default:
      return quiet ? undefined : problemText(event);
  }
}

/** Returns whether a retry delays the run so much that it is printed without `--verbose`. */
export const isLongRetry = ({ code, delayMs }: Extract<TransferEvent, { type: 'retry' }>): boolean =>
  code === 'Stalled' || delayMs >= LONG_DELAY_MS;

function problemText(event: Exclude<TransferEvent, { type: 'done' | 'skipped' | 'retry' }>): string {
  switch (event.type) {
    case 'failed': {
      // The summary adds the advice.
      const namesFile = event.message.startsWith(`${event.name}: `);
      return `failed: ${escapeControls(namesFile ? event.message : `${event.name}: ${event.message}`)}`;
    }
    case 'waiting':
      return `the store does not respond, waiting: ${escapeControls(event.message)}`;
    case 'journal-error':
      return `the journal is incomplete, so the next run will repeat some work: ${escapeControls(event.message)}\n${event.advice}`;
    case 'leftover':
      return `an interrupted download left ${escapeControls(event.name)} (${formatSize(event.size)}); sync --delete removes it`;
  }
}
