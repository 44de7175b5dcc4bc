import { computeValidity } from './validity.js';
import type { FormStatus, InvalidReason } from './validity.js';

/** Custom state that the element sets in addition to the states of its files. */
export const USER_INVALID = 'user-invalid';

/** The state of the element that `ValidityReporter` reads. */
export interface ValiditySource {
  readonly internals: ElementInternals;
  status(): FormStatus;
  readOnly(): boolean;
  /** Text for a reason. */
  text(reason: Exclude<InvalidReason, 'custom'>): string;
  /** Anchor of the browser's message; undefined before the first render. */
  anchor(): HTMLElement | undefined;
  /** Renders before the next paint. */
  scheduleRender(): void;
  /** The person is told of the error. */
  onReport(): void;
}

/**
 * Keeps the element's validity up to date, and remembers whether the person was told that something is wrong.
 * Browsers have `:user-invalid` for this, but on native controls only.
 */
export class ValidityReporter {
  /** Message and flags that the browser has, as text. */
  #lastReport: string | undefined;
  #lastAnchor: HTMLElement | undefined;
  /** True while page code calls `checkValidity()`, which tells the person nothing. */
  #isSilent = false;
  /** The event that reported the error to the person. */
  #invalidEvent: Event | undefined;
  #isBusy = false;
  /** The person was told that files are being sent, because they submitted the form. Otherwise that is no error. */
  #isBusyReported = false;

  constructor(private readonly source: ValiditySource) {}

  /** Returns whether the browser has received a validity yet. */
  get isInitialized(): boolean {
    return this.#lastReport !== undefined;
  }

  /** Message to show in the element; '' if the page shows it itself, which it does when it cancels the browser's message. */
  get reportedMessage(): string {
    const { states, validationMessage } = this.source.internals;
    return states.has(USER_INVALID) && !this.#invalidEvent!.defaultPrevented ? validationMessage : '';
  }

  update(): void {
    const { internals } = this.source;
    const status = this.source.status();
    const { flags, reason } = computeValidity(status);
    this.#isBusy = reason === 'busy';
    this.#isBusyReported &&= this.#isBusy;
    const message = this.#messageFor(reason, status);
    const anchor = this.source.anchor();
    // Browsers lay out the page at each call. Thousands of files would cause thousands of calls with the same arguments.
    const report = `${message}\n${Object.keys(flags).join()}`;
    if (report === this.#lastReport && anchor === this.#lastAnchor) return;
    this.#lastReport = report;
    this.#lastAnchor = anchor;
    if (message === '') internals.setValidity({});
    else internals.setValidity(flags, message, anchor);
    this.#updateState();
  }

  checkSilently(): boolean {
    this.update();
    this.#isSilent = true;
    const isValid = this.source.internals.checkValidity();
    this.#isSilent = false;
    return isValid;
  }

  /** Handles the `invalid` event. */
  onInvalid(event: Event): void {
    if (this.#isSilent) return;
    this.#invalidEvent = event;
    this.#isBusyReported = this.#isBusy;
    this.#updateState();
    this.source.onReport();
  }

  reset(): void {
    this.#invalidEvent = undefined;
    this.#updateState();
  }

  #messageFor(reason: InvalidReason | null, { custom }: FormStatus): string {
    if (reason === null || this.source.readOnly()) return '';
    return reason === 'custom' ? custom : this.source.text(reason);
  }

  #updateState(): void {
    const { states, validity } = this.source.internals;
    const isShown = this.#invalidEvent !== undefined && !validity.valid && (!this.#isBusy || this.#isBusyReported);
    if (isShown || states.has(USER_INVALID)) this.source.scheduleRender();
    if (isShown) states.add(USER_INVALID);
    else states.delete(USER_INVALID);
  }
}
