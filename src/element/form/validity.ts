/** All that validity depends on. Kept small, so that the rule below stays a pure function. */
export interface FormStatus {
  required: boolean;
  /** Finished uploads: what a submit would send. */
  done: number;
  /** Files that are queued, waiting or on their way. */
  busy: number;
  /** Files that failed or were refused and still stand in the list. */
  failed: number;
  /** Some were refused because there were too many. */
  tooMany: boolean;
  /** What is wrong with the element's own attributes; '' when nothing is. */
  problem: string;
  /** What the page set by `setCustomValidity`. */
  custom: string;
}

/** Which message is shown; the locale has the words. */
export type InvalidReason = 'problem' | 'custom' | 'busy' | 'tooMany' | 'failed' | 'missing';

export interface ValidityResult {
  flags: ValidityStateFlags;
  /** The first reason that holds; null when valid. */
  reason: InvalidReason | null;
}

/** The platform's validity flags for a status, and the one reason that is worth saying. */
export function computeValidity(status: FormStatus): ValidityResult {
  const reasons: [InvalidReason, keyof ValidityStateFlags, boolean][] = [
    ['problem', 'customError', status.problem !== ''],
    ['custom', 'customError', status.custom !== ''],
    ['busy', 'customError', status.busy > 0],
    ['tooMany', 'rangeOverflow', status.tooMany],
    ['failed', 'badInput', status.failed > 0],
    ['missing', 'valueMissing', status.required && status.done === 0 && status.busy === 0],
  ];
  const held = reasons.filter(([, , holds]) => holds);
  return {
    flags: Object.fromEntries(held.map(([, flag]) => [flag, true])),
    reason: held[0]?.[0] ?? null,
  };
}
