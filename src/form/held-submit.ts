/**
 * A submit that waits: stopped while `isBusy`, and sent again, by the same button, when `release()` says that it may go.
 * It then runs through validation like any other.
 */
export class HeldSubmit {
  #held: { form: HTMLFormElement; submitter: HTMLElement | null } | undefined;

  constructor(
    private readonly isBusy: () => boolean,
    private readonly onHold: () => void,
  ) {}

  /** Listens to a form; the first listener of all, so that nobody sends the form by script meanwhile. */
  readonly handleEvent = (event: SubmitEvent): void => {
    const form = event.target as HTMLFormElement;
    const submitter = event.submitter as HTMLButtonElement | null;
    if (event.defaultPrevented) return;
    // A page that sends the form itself, at the last file, has sent what waited.
    if (!this.isBusy()) return this.drop();
    // A dialog's Cancel sends nothing.
    if (submitter?.formNoValidate && (submitter.formMethod || form.method) === 'dialog') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#held = { form, submitter };
    this.onHold();
  };

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  release(): void {
    const held = this.#held;
    this.#held = undefined;
    try {
      held?.form.requestSubmit(held.submitter);
    } catch {
      // The button was removed since, or belongs to another form.
      held?.form.requestSubmit();
    }
  }

  /** A form does not wait for what is none of its own any more, and is not sent without it either: who sent it meant it with the files. */
  keep(form: HTMLFormElement | null): void {
    if (this.#held?.form !== form) this.drop();
  }

  drop(): void {
    this.#held = undefined;
  }
}
