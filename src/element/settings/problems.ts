import { truncateText } from '../../protocol/display-text.js';

/** An attribute with an invalid value. */
export interface SettingProblem {
  attribute: string;
  value: string;
  /** The values that are valid, for the console and the validation message. */
  rule: string;
  /** Only a hint for the developer. It does not make the element invalid. */
  isHint?: boolean;
}

/** Reports an invalid value, and the rule for valid ones. */
export type ReportProblem = (attribute: string, value: unknown, rule: string) => void;

export const describeProblem = ({ attribute, value, rule }: SettingProblem): string =>
  `<svc-uploader>: ${attribute}=${JSON.stringify(truncateText(value, 200))} cannot be used. ${rule}`;

/** Logs a problem once, until it is fixed and comes back. */
export class ProblemLog {
  #logged = new Set<string>();

  report(problems: readonly SettingProblem[]): void {
    const texts = new Set(problems.map(describeProblem));
    for (const text of texts) if (!this.#logged.has(text)) console.warn(text);
    this.#logged = texts;
  }
}
