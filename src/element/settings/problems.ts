import { shorten } from '../../protocol/display-text.js';

/** An attribute whose value cannot be used. */
export interface SettingProblem {
  attribute: string;
  value: string;
  /** What would be right, for the console and the validation message. */
  rule: string;
  /** Nothing comes of it: told to whoever makes the page, and no reason to stop a form. */
  isHint?: boolean;
}

/** Tells what cannot be used of an attribute, and what would be right. */
export type ReportProblem = (attribute: string, value: unknown, rule: string) => void;

export const describeProblem = ({ attribute, value, rule }: SettingProblem): string =>
  `<svc-uploader>: ${attribute}=${JSON.stringify(shorten(value, 200))} cannot be used. ${rule}`;

/** Says a problem on the console once for as long as it lasts. Never throws: a page must survive its own mistakes. */
export class ProblemLog {
  #said = new Set<string>();

  report(problems: readonly SettingProblem[]): void {
    const now = new Set(problems.map(describeProblem));
    for (const text of now) if (!this.#said.has(text)) console.warn(text);
    this.#said = now;
  }
}
