import { readFormProperty } from './form-property.js';
import { PendingSubmit } from './pending-submit.js';

/** The part of a form control that the coordinator uses. */
export interface SubmitControl {
  readonly element: HTMLElement;
  form(): HTMLFormElement | null;
  isDisabled(): boolean;
  isReadOnly(): boolean;
  /** Number of files that are not stored yet. */
  busyFiles(): number;
  failedFiles(): number;
  reportValidity(): void;
  scheduleRender(): void;
  /** A submit waits from now on. */
  onPending(): void;
  /** The submit that waited is canceled, and the person has to be told. */
  onCanceled(): void;
}

const coordinators = new WeakMap<Element, SubmitCoordinator>();

/** Finds the coordinators of all uploaders in a form. */
function coordinatorsOf(form: HTMLFormElement | null): SubmitCoordinator[] {
  if (form === null) return [];
  return [...readFormProperty(form, 'elements')].flatMap((element) => coordinators.get(element) ?? []);
}

/**
 * Delays the submit of a form while files are being sent, together with the other uploaders of the form. Decides when the submit
 * is sent, reported as failed, or canceled.
 */
export class SubmitCoordinator {
  #isCanceled = false;

  /** Without `submit-waits`, validation stops a busy form before its `submit` event, unless the form is not validated. */
  readonly #pending = new PendingSubmit(
    () => this.control.busyFiles() > 0 && !this.control.isDisabled(),
    () => {
      // One control delays the submit. When the form is sent again, the next busy control delays it in turn.
      for (const other of coordinatorsOf(this.control.form())) if (other !== this) other.#drop();
      this.control.onPending();
    },
  );

  constructor(private readonly control: SubmitControl) {
    coordinators.set(control.element, this);
  }

  get isPending(): boolean {
    return this.#pending.isPending;
  }

  /** A submit waits in this control or in another uploader of its form. */
  get isPendingInForm(): boolean {
    return coordinatorsOf(this.control.form()).some(({ isPending }) => isPending);
  }

  /** A submit was canceled while it waited, and the person has not acted since. */
  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  readonly onSubmit = (event: SubmitEvent): void => {
    if (!event.defaultPrevented) this.forgetCanceled();
    this.#pending.handleEvent(event);
  };

  /** Removes the message about a canceled submit, because the person has acted since. */
  forgetCanceled(): void {
    if (!this.#isCanceled) return;
    this.#isCanceled = false;
    this.control.scheduleRender();
  }

  /** Sends the submit that waited, now that no file is being sent. If a file of the form failed, reports that instead. */
  release(): void {
    const form = this.control.form();
    // A listener of the last event may have removed the element. The submit is dropped then.
    if (!this.isPending || form === null) return;
    const failed = coordinatorsOf(form).find(({ control }) => !control.isDisabled() && control.failedFiles() > 0)?.control;
    if (failed === undefined) {
      if (!this.#pending.release()) this.#cancel();
    } else if (failed.isReadOnly()) {
      // A read-only control is not validated, so it cannot report the failure.
      this.#cancel();
    } else {
      this.#pending.drop();
      failed.reportValidity();
    }
  }

  /**
   * Cancels a submit that waits for this control's files, because a form must not be sent without files that it contained. The
   * submit may be pending in another uploader of the form.
   *
   * @param form the form that the control no longer takes part in
   */
  cancelIn(form: HTMLFormElement | null): void {
    const isBusy = this.control.busyFiles() > 0;
    for (const coordinator of coordinatorsOf(form))
      if (coordinator.isPending && (coordinator === this || isBusy)) coordinator.#cancel();
  }

  onFormReset(): void {
    this.#pending.drop();
    this.forgetCanceled();
  }

  /** @param previous the form that the control has left; null if there was none or it is still the same */
  onFormChange(previous: HTMLFormElement | null): void {
    this.#pending.dropUnlessOf(this.control.form());
    if (previous === null) return;
    this.#isCanceled = false;
    this.cancelIn(previous);
  }

  /** A form outside the page cannot be sent. */
  onRemovedFromPage(): void {
    if (this.control.form() !== null && this.isPending) this.#cancel();
  }

  #drop(): void {
    if (!this.isPending) return;
    this.#pending.drop();
    this.control.scheduleRender();
  }

  #cancel(): void {
    this.#pending.drop();
    this.#isCanceled = true;
    this.control.onCanceled();
  }
}
