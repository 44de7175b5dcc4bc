import { LitElement } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { FileRecord, StoredFile } from '../../protocol/types.js';
import { FormValueWriter } from './form-value-writer.js';
import { decodeState } from './form-value.js';
import { saveToSession, takeFromSession } from './session-state.js';
import { SubmitCoordinator } from './submit-coordinator.js';
import type { FormStatus, InvalidReason } from './validity.js';
import { ValidityReporter } from './validity-reporter.js';

/**
 * Makes an element a form control: name, value, validity, reset, restore, disabled, labels.
 * An attribute takes effect synchronously, as in native controls.
 */
export abstract class FormElement extends LitElement {
  static readonly formAssociated = true;
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  protected readonly internals: ElementInternals = this.attachInternals();
  #customMessage = '';
  /** The form whose events the element listens to. */
  #form: HTMLFormElement | null = null;
  #isRestoredFromSession = false;

  readonly #valueWriter = new FormValueWriter({
    internals: this.internals,
    name: () => this.name,
    records: () => this.records,
    storedFiles: () => this.storedFiles,
    setFields: (data) => this.setFields(data),
  });

  readonly #validity = new ValidityReporter({
    internals: this.internals,
    status: () => this.#fullStatus,
    readOnly: () => this.readOnly,
    text: (reason) => this.validationText(reason),
    anchor: () => this.validityAnchor,
    scheduleRender: () => this.scheduleRender(),
    onReport: () => this.onErrorReported(),
  });

  readonly #submits = new SubmitCoordinator({
    element: this,
    form: () => this.form,
    isDisabled: () => this.isDisabled,
    isReadOnly: () => this.readOnly,
    busyFiles: () => this.formStatus.busy,
    failedFiles: () => this.formStatus.failed,
    reportValidity: () => void this.reportValidity(),
    scheduleRender: () => this.scheduleRender(),
    onPending: () => this.onSubmitPending(),
    onCanceled: () => this.onSubmitCanceled(),
  });

  /** A fieldset around the element is disabled. */
  @state() private isDisabledByForm = false;

  /** Name under which the paths of the stored files are submitted, one entry per file. */
  @property({ noAccessor: true })
  get name(): string {
    return this.getAttribute('name') ?? '';
  }
  set name(value: string | null | undefined) {
    // Frameworks remove a property by setting null or undefined.
    if (value == null) this.removeAttribute('name');
    else this.setAttribute('name', value);
  }

  /** The form cannot be submitted before at least one file is stored. */
  @property({ type: Boolean, noAccessor: true })
  get required(): boolean {
    return this.hasAttribute('required');
  }
  set required(value: boolean) {
    this.toggleAttribute('required', value);
  }

  /** Accepts no files and is left out of the form. */
  @property({ type: Boolean, noAccessor: true })
  get disabled(): boolean {
    return this.hasAttribute('disabled');
  }
  set disabled(value: boolean) {
    this.toggleAttribute('disabled', value);
  }

  /** Shows its files but lets people change nothing, and is not validated. */
  @property({ type: Boolean, reflect: true, attribute: 'readonly' }) readOnly = false;

  /** A submit waits for files that are being sent. Without it, the submit is stopped with a message. */
  @property({ type: Boolean, reflect: true, attribute: 'submit-waits' }) submitWaits = false;

  /** The form that the element belongs to. */
  get form(): HTMLFormElement | null {
    return this.internals.form;
  }
  /** The `<label>` elements of this element. */
  get labels(): NodeList {
    return this.internals.labels;
  }
  /** The validity, as for every form control. */
  get validity(): ValidityState {
    this.syncValidity();
    return this.internals.validity;
  }
  /** The error in the reader's language; '' if there is none. */
  get validationMessage(): string {
    this.syncValidity();
    return this.internals.validationMessage;
  }
  /** False if the element is disabled. */
  get willValidate(): boolean {
    return this.internals.willValidate;
  }
  /** `svc-uploader`. */
  get type(): string {
    return this.localName;
  }

  /** Returns whether the element is valid. Fires `invalid` if it is not. */
  checkValidity(): boolean {
    return this.#validity.checkSilently();
  }
  /** Does the same as `checkValidity`, and shows the message beside the element. */
  reportValidity(): boolean {
    this.syncValidity();
    return this.internals.reportValidity();
  }
  /** Makes the element invalid with a message of the page. '' removes the message. */
  setCustomValidity(message: string): void {
    this.#customMessage = String(message);
    this.syncValidity();
  }

  /** Records of the stored files, in the order of the list. */
  protected abstract get records(): FileRecord[];
  /** The stored files with the names under which the person chose them. */
  protected abstract get storedFiles(): StoredFile[];
  /** Adds the fields of all stored files to the data of the form. */
  protected abstract setFields(data: FormData): void;
  protected abstract get formStatus(): Omit<FormStatus, 'required' | 'custom'>;
  protected abstract validationText(reason: Exclude<InvalidReason, 'custom'>): string;
  /** Anchor of the browser's message; undefined before the first render. */
  protected abstract get validityAnchor(): HTMLElement | undefined;
  /** @internal Renders before the next paint. */
  abstract scheduleRender(): void;
  /** The person is told that the element is invalid. */
  protected abstract onErrorReported(): void;
  /** A submit waits from now on. */
  protected abstract onSubmitPending(): void;
  /** The submit that waited is canceled, and the person has to be told. */
  protected abstract onSubmitCanceled(): void;
  /** @internal */
  abstract restore(files: readonly StoredFile[]): void;
  protected abstract reset(): void;

  constructor() {
    super();
    this.addEventListener('invalid', (event) => this.#validity.onInvalid(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.syncValidity();
    window.addEventListener('pagehide', this.#onPageHide);
    this.#restoreFromSession();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pagehide', this.#onPageHide);
    // If the element is only moved, it is connected again by then.
    queueMicrotask(() => {
      if (!this.isConnected) this.#submits.onRemovedFromPage();
    });
    this.#valueWriter.flush();
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    if (name !== 'name' && name !== 'required' && name !== 'disabled') return super.attributeChangedCallback(name, old, value);
    // These three properties are stored in their attributes. Lit would call the setters again.
    this.requestUpdate(name, old);
    if (name === 'name') this.syncValue();
    if (name === 'disabled' && value !== null) this.#submits.cancelIn(this.form);
    return this.syncValidity();
  }

  override requestUpdate(...change: Parameters<LitElement['requestUpdate']>): void {
    super.requestUpdate(...change);
    const [name] = change;
    if (name !== 'readOnly' && name !== 'submitWaits') return;
    if (name === 'readOnly' && this.readOnly) this.#submits.cancelIn(this.form);
    // Lit sets defaults in the constructor, before the element has a validity.
    if (this.#validity.isInitialized) this.syncValidity();
  }

  formAssociatedCallback(form: HTMLFormElement | null): void {
    const previous = this.#form;
    previous?.removeEventListener('formdata', this.#onFormData);
    previous?.removeEventListener('submit', this.#submits.onSubmit, true);
    this.#form = form;
    form?.addEventListener('formdata', this.#onFormData);
    form?.addEventListener('submit', this.#submits.onSubmit, true);
    if (this.isConnected) this.#restoreFromSession();
    // If the element is only moved, it is back in its form by then.
    queueMicrotask(() => {
      this.#submits.onFormChange(previous === this.form ? null : previous);
      this.requestUpdate();
    });
  }
  formDisabledCallback(disabled: boolean): void {
    this.isDisabledByForm = disabled;
    if (disabled) this.#submits.cancelIn(this.form);
  }
  formResetCallback(): void {
    this.#submits.onFormReset();
    this.reset();
    this.#validity.reset();
  }
  formStateRestoreCallback(state: unknown, reason: 'restore' | 'autocomplete'): void {
    if (reason === 'restore') this.restore(decodeState(state));
  }

  readonly #onFormData = (event: FormDataEvent): void => {
    if (this.name !== '' && !this.isDisabled) this.#valueWriter.appendPending(event.formData);
  };
  readonly #onPageHide = (): void => {
    if (this.form !== null && this.name !== '') saveToSession(this, this.form, this.name, this.storedFiles);
  };

  /** Restores once, as soon as the element has a form and a name. */
  #restoreFromSession(): void {
    if (this.#isRestoredFromSession || this.form === null || this.name === '') return;
    this.#isRestoredFromSession = true;
    this.restore(takeFromSession(this, this.form, this.name));
  }

  /** Returns whether its attribute or a fieldset disables the element. */
  protected get isDisabled(): boolean {
    return this.disabled || this.isDisabledByForm;
  }

  /** Hands the value to the form now. */
  protected syncValue(): void {
    this.#valueWriter.write();
  }

  /** Adds one stored file to the value in O(1). */
  protected appendValue(record: FileRecord, count: number): void {
    this.#valueWriter.append(record, count);
  }

  protected syncValidity(): void {
    this.#validity.update();
  }

  get #fullStatus(): FormStatus {
    const status = { ...this.formStatus, required: this.required, custom: this.#customMessage };
    // With `submit-waits`, validation must let the submit pass. While files are sent, `required` does not apply and busy files are no
    // error.
    if (this.submitWaits && status.busy > 0) Object.assign(status, { busy: 0, required: false });
    return status;
  }

  /** The error that the person was told of; '' if there is none or the page shows it itself. */
  protected get reportedProblem(): string {
    return this.#validity.reportedMessage;
  }

  /** A submit waits for the files. */
  protected get isSubmitPending(): boolean {
    return this.#submits.isPending;
  }

  /** A submit waits for the files of this element or of another uploader of the form. */
  protected get isSubmitPendingInForm(): boolean {
    return this.#submits.isPendingInForm;
  }

  /** The last submit was canceled while it waited. */
  protected get isSubmitCanceled(): boolean {
    return this.#submits.isCanceled;
  }

  protected forgetCanceledSubmit(): void {
    this.#submits.forgetCanceled();
  }

  /** Lets a submit go that waited for the files. */
  protected releaseSubmit(): void {
    this.#submits.release();
  }
}
