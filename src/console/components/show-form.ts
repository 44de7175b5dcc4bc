import { texts } from '../texts/texts.js';
import type { ReusableDialog } from './open-dialog.js';
import { showToast } from './toast.js';

/** The request of a form, whose dialog is open or was closed. */
export interface SentForm<Result> {
  /** Returns the request that runs. It resolves after `problem` is set, also when it fails. */
  sending(): Promise<Result | undefined> | undefined;
  /** Describes why the last request failed; undefined if it did not. */
  problem(): string | undefined;
}

/**
 * Shows a dialog with a form until the person closes it. A request that runs then continues, because the service may have created a record
 * with a secret that is shown only once. If it fails, a message says so and offers to open the dialog again.
 * @returns the result of the dialog, or of the request that ended after it
 */
export async function showForm<Result>(
  dialog: ReusableDialog<Result>,
  { sending, problem }: SentForm<Result>,
): Promise<Result | undefined> {
  for (;;) {
    const result = await dialog.show();
    const request = sending();
    if (result !== undefined || request === undefined) return result;
    const late = await request;
    const failure = problem();
    if (failure === undefined) return late;
    if (!(await offerToReopen(`${dialog.heading}: ${failure}`))) return undefined;
  }
}

/** Shows a message with a button. @returns whether the person pressed it; the message stays until then, or until it is closed */
const offerToReopen = (text: string): Promise<boolean> =>
  new Promise((resolve) =>
    showToast({
      kind: 'problem',
      text,
      action: { label: texts.retry, run: () => resolve(true) },
      dismissed: () => resolve(false),
    }),
  );
