import { readFormProperty } from './form-property.js';

interface InterceptedSubmit {
  form: HTMLFormElement;
  submitter: HTMLButtonElement | null;
  /** The submitter's entry in the form's data at the time of the submit; null if it has no name. */
  entry: [name: string, value: string] | null;
}

/** Attributes by which a button changes how its form is sent. */
const OVERRIDE_ATTRIBUTES = ['formaction', 'formenctype', 'formmethod', 'formnovalidate', 'formtarget'];

/**
 * A submit that waits for files. `handleEvent` stops the submit while `isBusy`, and `release` sends it again with the same button.
 * It then runs through validation like any other submit.
 */
export class PendingSubmit {
  #submit: InterceptedSubmit | undefined;

  constructor(
    private readonly isBusy: () => boolean,
    private readonly onPending: () => void,
  ) {}

  /** Must be the form's first listener, so that no other listener sends the form by script. */
  readonly handleEvent = (event: SubmitEvent): void => {
    const form = event.target as HTMLFormElement;
    const submitter = event.submitter as HTMLButtonElement | null;
    if (event.defaultPrevented) return;
    // A newer submit replaces the one that waits: the page sends the form itself, or the person pressed another button.
    this.drop();
    if (!this.isBusy()) return;
    // The Cancel button of a dialog sends nothing.
    if (submitter?.formNoValidate && (submitter.formMethod || readFormProperty(form, 'method')) === 'dialog') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const entry: InterceptedSubmit['entry'] = submitter?.name ? [submitter.name, submitter.value] : null;
    this.#submit = { form, submitter, entry };
    this.onPending();
  };

  get isPending(): boolean {
    return this.#submit !== undefined;
  }

  /**
   * Sends the form as the person did.
   *
   * @returns false, and sends nothing, if the button is gone and the form would be sent elsewhere or with other data without it
   */
  release(): boolean {
    const submit = this.#submit;
    this.#submit = undefined;
    if (submit === undefined) return true;
    const { form, submitter, entry } = submit;
    if (submitter !== null && !(isSubmitButton(submitter) && submitter.form === form)) {
      if (entry !== null || OVERRIDE_ATTRIBUTES.some((name) => submitter.hasAttribute(name))) return false;
      form.requestSubmit();
      return true;
    }
    // Guards against a double click disable the button. The browser leaves the entry of a disabled button out of the data.
    const addEntry = (event: FormDataEvent): void => {
      if (entry !== null && submitter!.matches(':disabled')) event.formData.append(...entry);
    };
    form.addEventListener('formdata', addEntry);
    try {
      form.requestSubmit(submitter);
    } finally {
      form.removeEventListener('formdata', addEntry);
    }
    return true;
  }

  /** Drops the submit of any other form, because the control has left that form. */
  dropUnlessOf(form: HTMLFormElement | null): void {
    if (this.#submit?.form !== form) this.drop();
  }

  drop(): void {
    this.#submit = undefined;
  }
}

/** An `<input>` can submit a form as well. */
const isSubmitButton = ({ type }: { type: string }): boolean => type === 'submit' || type === 'image';
