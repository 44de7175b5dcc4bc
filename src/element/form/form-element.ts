// Long because the members of one form control share one private state.
import { LitElement } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { FileRecord, StoredFile } from '../../protocol/types.js';
import { readFormProperty } from './form-property.js';
import { PendingSubmit } from './pending-submit.js';
import { takeFromSession, saveToSession } from './session-state.js';
import { computeValidity } from './validity.js';
import type { FormStatus, InvalidReason } from './validity.js';
import { decodeState, encodeState, toFormValue } from './form-value.js';

/** A custom state beside those of the files. */
export const USER_INVALID = 'user-invalid';
/** Above this many uploads the value is renewed once a moment, and a form that is read meanwhile gets the rest at that instant. */
const SYNCHRONOUS_UP_TO = 200;
const RENEW_EVERY_MS = 250;
/** What Back gives to a form is written once the many have come to rest: thousands of records take tens of milliseconds. */
const KEEP_AFTER_MS = 600;

/**
 * What makes an element a form control: name, value, validity, reset, restore, disabled, labels.
 * Like the platform's own controls it answers at once: an attribute that was just set counts in the next line.
 */
export abstract class FormElement extends LitElement {
  static readonly formAssociated = true;
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  protected readonly internals: ElementInternals = this.attachInternals();
  #customMessage = '';
  #form: HTMLFormElement | null = null;
  #told: string | undefined;
  #anchor: HTMLElement | undefined;
  /** Page code asks; nobody is told. */
  #isAsked = false;
  /** By this the person was told of something wrong: what `:user-invalid` is for native controls, and for no others in any browser. */
  #toldBy: Event | undefined;
  #isBusy = false;
  /** They sent the form while files are on their way; that these are is nothing wrong otherwise. */
  #isBusyTold = false;
  #isRecalled = false;
  /** Without `submit-waits` nothing comes as far as this while files are on their way, but from a form that is not validated. */
  readonly #pendingSubmit = new PendingSubmit(
    () => this.formStatus.busy > 0 && !this.isDisabled,
    () => {
      // One control holds the submit: the others of the form hold it in turn when it is sent again.
      for (const one of controlsOf(this.form)) if (one !== this) one.#dropSubmit();
      this.onSubmitPending();
    },
  );
  /** A submit that waited was canceled, and the person has not acted since. */
  #isSubmitCanceled = false;
  /** Finished uploads that the value handed to the form lacks so far. */
  #pending: FileRecord[] = [];
  #renewal: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;

  /** Disabled by its attribute or by a fieldset around it. */
  @state() private isDisabledByFieldset = false;

  /** Name under which the uploaded paths are submitted, one entry a file. */
  @property({ noAccessor: true })
  get name(): string {
    return this.getAttribute('name') ?? '';
  }
  set name(value: string | null | undefined) {
    // Frameworks take a property back by setting null or undefined.
    if (value == null) this.removeAttribute('name');
    else this.setAttribute('name', value);
  }

  /** A form cannot be submitted before at least one file is uploaded. */
  @property({ type: Boolean, noAccessor: true })
  get required(): boolean {
    return this.hasAttribute('required');
  }
  set required(value: boolean) {
    this.toggleAttribute('required', value);
  }

  /** Takes no files and is left out of the form. */
  @property({ type: Boolean, noAccessor: true })
  get disabled(): boolean {
    return this.hasAttribute('disabled');
  }
  set disabled(value: boolean) {
    this.toggleAttribute('disabled', value);
  }

  /** Shows its files without letting anyone change them, and is not validated. */
  @property({ type: Boolean, reflect: true, attribute: 'readonly' }) readOnly = false;

  /** A submit while files are on their way waits for them, instead of being stopped with a message. */
  @property({ type: Boolean, reflect: true, attribute: 'submit-waits' }) submitWaits = false;

  /** The form the element belongs to. */
  get form(): HTMLFormElement | null {
    return this.internals.form;
  }
  /** The `<label>` elements of this element. */
  get labels(): NodeList {
    return this.internals.labels;
  }
  /** As of every form control. */
  get validity(): ValidityState {
    this.syncValidity();
    return this.internals.validity;
  }
  /** What is wrong, in the reader's language; '' when nothing is. */
  get validationMessage(): string {
    this.syncValidity();
    return this.internals.validationMessage;
  }
  /** False when disabled. */
  get willValidate(): boolean {
    return this.internals.willValidate;
  }
  /** `svc-uploader`. */
  get type(): string {
    return this.localName;
  }

  /** True when valid; else fires `invalid`. */
  checkValidity(): boolean {
    this.syncValidity();
    this.#isAsked = true;
    const isValid = this.internals.checkValidity();
    this.#isAsked = false;
    return isValid;
  }
  /** As `checkValidity`, and shows the message beside the element. */
  reportValidity(): boolean {
    this.syncValidity();
    return this.internals.reportValidity();
  }
  /** Makes the element invalid with a message of the page; '' takes it back. */
  setCustomValidity(message: string): void {
    this.#customMessage = String(message);
    this.syncValidity();
  }

  /** Finished uploads in the order of the list. */
  protected abstract get records(): FileRecord[];
  /** The same, with what the person knows them by. */
  protected abstract get storedFiles(): StoredFile[];
  protected abstract get formStatus(): Omit<FormStatus, 'required' | 'custom'>;
  protected abstract validationText(reason: Exclude<InvalidReason, 'custom'>): string;
  /** Where the browser points its message at; undefined before the first render. */
  protected abstract get validityAnchor(): HTMLElement | undefined;
  /** @internal Draws anew before the next paint. */
  abstract scheduleRender(): void;
  /** A submit waits from now on. */
  protected abstract onSubmitPending(): void;
  /** The submit that waited is canceled; the person has to be told. */
  protected abstract onSubmitCanceled(): void;
  /** @internal */
  abstract restore(files: readonly StoredFile[]): void;
  protected abstract reset(): void;

  protected get isDisabled(): boolean {
    return this.disabled || this.isDisabledByFieldset;
  }

  protected syncValidity(): void {
    const status = { ...this.formStatus, required: this.required, custom: this.#customMessage };
    // The submit that waits has to get as far as that: what is on its way is neither wrong nor missing.
    if (this.submitWaits && status.busy > 0) Object.assign(status, { busy: 0, required: false });
    const { flags, reason } = computeValidity(status);
    this.#isBusy = reason === 'busy';
    this.#isBusyTold &&= this.#isBusy;
    const message =
      reason === null || this.readOnly ? '' : reason === 'custom' ? this.#customMessage : this.validationText(reason);
    const anchor = this.validityAnchor;
    // Told only when it changes: thousands of files change nothing about it, and browsers look at the page each time.
    const told = `${message}\n${Object.keys(flags).join()}`;
    if (told === this.#told && anchor === this.#anchor) return;
    this.#told = told;
    this.#anchor = anchor;
    if (message === '') this.internals.setValidity({});
    else this.internals.setValidity(flags, message, anchor);
    this.#showProblem();
  }

  #showProblem(): void {
    const { states, validity } = this.internals;
    const isShown = this.#toldBy !== undefined && !validity.valid && (!this.#isBusy || this.#isBusyTold);
    if (isShown || states.has(USER_INVALID)) this.scheduleRender();
    if (isShown) states.add(USER_INVALID);
    else states.delete(USER_INVALID);
  }

  /** What is wrong, once the person was told; '' where the page says it itself, as it does when it prevents the browser's message. */
  protected get reportedProblem(): string {
    return this.internals.states.has(USER_INVALID) && !this.#toldBy!.defaultPrevented ? this.internals.validationMessage : '';
  }

  /** A submit waits for the files. */
  protected get isSubmitPending(): boolean {
    return this.#pendingSubmit.isPending;
  }

  /** The last submit was canceled while it waited. */
  protected get isSubmitCanceled(): boolean {
    return this.#isSubmitCanceled;
  }

  /** The person acts anew, so the canceled submit is no longer news. */
  protected forgetCanceledSubmit(): void {
    if (!this.#isSubmitCanceled) return;
    this.#isSubmitCanceled = false;
    this.scheduleRender();
  }

  #dropSubmit(): void {
    if (!this.isSubmitPending) return;
    this.#pendingSubmit.drop();
    this.scheduleRender();
  }

  #cancelSubmit(): void {
    this.#pendingSubmit.drop();
    this.#isSubmitCanceled = true;
    this.onSubmitCanceled();
  }

  /**
   * Cancels the submit that waits for this element's files, because a form must not be sent without the files that it was sent
   * with. Another uploader of the form may be the one that holds it.
   * @param form the form that this element takes no part in any more
   */
  #cancelSubmitsOf(form: HTMLFormElement | null): void {
    const isMissed = this.formStatus.busy > 0;
    for (const one of controlsOf(form)) if (one.isSubmitPending && (one === this || isMissed)) one.#cancelSubmit();
  }

  /** Nothing is in flight any more: a submit that waited may go, but not without a failed file of the form, even without validation. */
  protected releaseSubmit(): void {
    // A listener of the last event may have removed the element; the submit is dropped then.
    if (!this.isSubmitPending || this.form === null) return;
    const bad = controlsOf(this.form).find((one) => !one.isDisabled && one.formStatus.failed > 0);
    // A read-only control has no validity that could be reported.
    if (bad?.readOnly) this.#cancelSubmit();
    else if (bad) {
      this.#pendingSubmit.drop();
      bad.reportValidity();
    } else if (!this.#pendingSubmit.release()) this.#cancelSubmit();
  }

  /** Hands the value to the form, at once. */
  protected syncValue(): void {
    const { records } = this;
    const many = records.length > SYNCHRONOUS_UP_TO;
    this.#hand(records, !many);
    if (many) this.#keeping = setTimeout(() => this.#hand(this.records), KEEP_AFTER_MS);
  }

  /** All of them, so that nothing is pending any more. */
  #hand(records: FileRecord[], isKept = true): void {
    clearTimeout(this.#renewal);
    clearTimeout(this.#keeping);
    this.#renewal = this.#keeping = undefined;
    this.#pending = [];
    // A form is come back to with its files; a list without one begins anew, as its page does.
    const state = isKept && this.form !== null && records.length > 0 ? encodeState(this.storedFiles) : null;
    this.internals.setFormValue(toFormValue(this.name, records), state);
  }

  /** One more upload is finished. Costs O(1) however many there are. */
  protected appendValue(record: FileRecord, count: number): void {
    if (count <= SYNCHRONOUS_UP_TO) return this.syncValue();
    this.#pending.push(record);
    this.#renewal ??= setTimeout(() => this.syncValue(), RENEW_EVERY_MS);
  }

  readonly #completeFormData = (event: FormDataEvent): void => {
    if (this.name === '' || this.isDisabled) return;
    for (const record of this.#pending) event.formData.append(this.name, record.path);
  };

  readonly #leave = (): void => {
    if (this.form !== null && this.name !== '') saveToSession(this, this.form, this.name, this.storedFiles);
  };

  /** What was kept for a return is given back once, as soon as there is a form for it. */
  #recall(): void {
    if (this.#isRecalled || this.form === null || this.name === '') return;
    this.#isRecalled = true;
    this.restore(takeFromSession(this, this.form, this.name));
  }

  constructor() {
    super();
    this.addEventListener('invalid', (event) => {
      if (this.#isAsked) return;
      this.#toldBy = event;
      this.#isBusyTold = this.#isBusy;
      this.#showProblem();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.syncValidity();
    window.addEventListener('pagehide', this.#leave);
    this.#recall();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pagehide', this.#leave);
    // An element that is only moved is connected again at once. A form outside the page cannot be sent.
    queueMicrotask(() => {
      if (!this.isConnected && this.form !== null && this.isSubmitPending) this.#cancelSubmit();
    });
    // No timer outlives the element on the page; one that is only moved has its whole value.
    if (this.#renewal !== undefined || this.#keeping !== undefined) this.#hand(this.records);
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    if (name !== 'name' && name !== 'required' && name !== 'disabled') return super.attributeChangedCallback(name, old, value);
    // The attribute is where these three live, so the setter above must not run again.
    this.requestUpdate(name, old);
    if (name === 'name') this.syncValue();
    if (name === 'disabled' && value !== null) this.#cancelSubmitsOf(this.form);
    return this.syncValidity();
  }

  override requestUpdate(...change: Parameters<LitElement['requestUpdate']>): void {
    super.requestUpdate(...change);
    const [name] = change;
    if (name !== 'readOnly' && name !== 'submitWaits') return;
    if (name === 'readOnly' && this.readOnly) this.#cancelSubmitsOf(this.form);
    // Before the element is connected for the first time there is no validity that could be out of date.
    if (this.#told !== undefined) this.syncValidity();
  }

  formAssociatedCallback(form: HTMLFormElement | null): void {
    const left = this.#form;
    left?.removeEventListener('formdata', this.#completeFormData);
    left?.removeEventListener('submit', this.#submitSeen, true);
    this.#form = form;
    form?.addEventListener('formdata', this.#completeFormData);
    form?.addEventListener('submit', this.#submitSeen, true);
    if (this.isConnected) this.#recall();
    // An element that is only moved is back in its form at once.
    queueMicrotask(() => {
      this.#pendingSubmit.dropUnlessOf(this.form);
      if (left !== null && left !== this.form) {
        this.#isSubmitCanceled = false;
        this.#cancelSubmitsOf(left);
      }
      this.requestUpdate();
    });
  }
  readonly #submitSeen = (event: SubmitEvent): void => {
    if (!event.defaultPrevented) this.forgetCanceledSubmit();
    this.#pendingSubmit.handleEvent(event);
  };
  formDisabledCallback(disabled: boolean): void {
    this.isDisabledByFieldset = disabled;
    if (disabled) this.#cancelSubmitsOf(this.form);
  }
  formResetCallback(): void {
    this.#pendingSubmit.drop();
    this.forgetCanceledSubmit();
    this.reset();
    this.#toldBy = undefined;
    this.#showProblem();
  }
  formStateRestoreCallback(state: unknown, reason: 'restore' | 'autocomplete'): void {
    if (reason === 'restore') this.restore(decodeState(state));
  }
}

/** The uploaders of a form. */
const controlsOf = (form: HTMLFormElement | null): FormElement[] =>
  form === null ? [] : [...readFormProperty(form, 'elements')].filter((one) => one instanceof FormElement);
