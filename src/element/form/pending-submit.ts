import { readFormProperty } from './form-property.js';

interface StoredSubmit {
  form: HTMLFormElement;
  submitter: HTMLButtonElement | null;
  /** The submitter's entry in the form's data at the time of the submit; null if it has no name. */
  entry: [name: string, value: string] | null;
}

/** Attributes by which a button changes how its form is sent. */
const OVERRIDES = ['formaction', 'formenctype', 'formmethod', 'formnovalidate', 'formtarget'];

/**
 * A submit that waits for files. `handleEvent` stops it while `isBusy`, and `release` sends it again with the same button. It then
 * runs through validation like any other submit.
 */
export class PendingSubmit {
  #submit: StoredSubmit | undefined;

  constructor(
    private readonly isBusy: () => boolean,
    private readonly onHold: () => void,
  ) {}

  /** Listens to a form as its first listener, so that no other one sends the form by script meanwhile. */
  readonly handleEvent = (event: SubmitEvent): void => {
    const form = event.target as HTMLFormElement;
    const submitter = event.submitter as HTMLButtonElement | null;
    if (event.defaultPrevented) return;
    // A newer submit replaces the one that waits: the page sends the form itself, or the person pressed another button.
    this.drop();
    if (!this.isBusy()) return;
    // A dialog's Cancel sends nothing.
    if (submitter?.formNoValidate && (submitter.formMethod || readFormProperty(form, 'method')) === 'dialog') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const entry: StoredSubmit['entry'] = submitter?.name ? [submitter.name, submitter.value] : null;
    this.#submit = { form, submitter, entry };
    this.onHold();
  };

  get isPending(): boolean {
    return this.#submit !== undefined;
  }

  /**
   * Sends the form as the person did.
   * @returns false if the button is gone without which the form would go elsewhere or say something else; nothing is sent then
   */
  release(): boolean {
    const held = this.#submit;
    this.#submit = undefined;
    if (held === undefined) return true;
    const { form, submitter, entry } = held;
    if (submitter !== null && !(isSubmitButton(submitter) && submitter.form === form)) {
      if (entry !== null || OVERRIDES.some((name) => submitter.hasAttribute(name))) return false;
      form.requestSubmit();
      return true;
    }
    // A button that was disabled meanwhile, as guards against a double click do, would be left out of the data.
    const complete = (event: FormDataEvent): void => {
      if (entry !== null && submitter!.matches(':disabled')) event.formData.append(...entry);
    };
    form.addEventListener('formdata', complete);
    try {
      form.requestSubmit(submitter);
    } finally {
      form.removeEventListener('formdata', complete);
    }
    return true;
  }

  /** Drops the submit of any other form: the control has left it. */
  dropUnlessOf(form: HTMLFormElement | null): void {
    if (this.#submit?.form !== form) this.drop();
  }

  drop(): void {
    this.#submit = undefined;
  }
}

/** An `<input>` may be a submitter as well, so the type is any text. */
const isSubmitButton = ({ type }: { type: string }): boolean => type === 'submit' || type === 'image';
