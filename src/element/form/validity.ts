/** Everything that the validity depends on, so that the rule below is a pure function. */
export interface FormStatus {
  required: boolean;
  /** Number of stored files, which a submit sends. */
  done: number;
  /** Number of files that are queued, waiting or being sent. */
  busy: number;
  /** A required field of a file has to be filled in before its upload. */
  unfilled: boolean;
  /** Number of files in the list that failed, or were refused while a submit waited. Files that are refused before do not count. */
  failed: number;
  /** There are more files than a limit allows that the page has lowered. */
  tooMany: boolean;
  /** The error in the element's own attributes; '' if there is none. */
  problem: string;
  /** The message that the page set with `setCustomValidity`. */
  custom: string;
}

/** The reason whose message is shown. The locale has the text. */
export type InvalidReason = 'problem' | 'custom' | 'fillIn' | 'busy' | 'tooMany' | 'failed' | 'missing';

/** Validity of the element, as the browser takes it. */
export interface ValidityResult {
  flags: ValidityStateFlags;
  /** The first reason that applies; null if the element is valid. */
  reason: InvalidReason | null;
}

/** Computes the platform's validity flags, and the one reason to show. Earlier reasons in the list win. */
export function computeValidity(status: FormStatus): ValidityResult {
  const reasons: [reason: InvalidReason, flag: keyof ValidityStateFlags, applies: boolean][] = [
    ['problem', 'customError', status.problem !== ''],
    ['custom', 'customError', status.custom !== ''],
    ['fillIn', 'valueMissing', status.unfilled],
    ['busy', 'customError', status.busy > 0],
    ['tooMany', 'rangeOverflow', status.tooMany],
    ['failed', 'badInput', status.failed > 0],
    ['missing', 'valueMissing', status.required && status.done === 0 && status.busy === 0],
  ];
  const applying = reasons.filter(([, , applies]) => applies);
  return {
    flags: Object.fromEntries(applying.map(([, flag]) => [flag, true])),
    reason: applying[0]?.[0] ?? null,
  };
}
