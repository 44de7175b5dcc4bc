import type { PropertyValues } from 'lit';
import { state } from 'lit/decorators.js';
import { createUploadQueue } from '../queue/upload-queue.js';
import { Tally } from '../queue/upload-totals.js';
import type { Chosen, Limits, TokenProvider, Totals, UploadItem, UploadQueue } from '../queue/types.js';
import type { FormStatus, InvalidReason } from './form/validity.js';
import { BlobError } from '../protocol/errors.js';
import type { FileRecord, StoredFile } from '../protocol/types.js';
import { Announcer } from './announcer.js';
import { UploaderAttributes } from './attributes.js';
import { RenderScheduler } from './before-paint.js';
import { LanguageController } from './locales/language-controller.js';
import { englishLocalizer } from './locales/load-localizer.js';
import type { Localizer } from './locales/localizer.js';
import { forwardQueueEvents } from './queue-events.js';
import { ProblemLog, describeProblem } from './settings/problems.js';
import type { SettingProblem } from './settings/problems.js';
import { APPEARANCES, readSettings } from './settings/read-settings.js';
import type { Settings } from './settings/read-settings.js';
import { applyCustomStates, customStates } from './custom-states.js';
import { createTokenProvider } from './token-source.js';

const NOTHING = new Tally();

/** What stands between the queue, the form and the face: settings, language, counts, states. Draws nothing. */
export abstract class UploaderBase extends UploaderAttributes {
  /** @internal */
  readonly announcer = new Announcer(
    (text) => (this.announcement = text),
    () => this.localizer,
  );
  /** @internal */
  localizer: Localizer = englishLocalizer;

  @state() protected announcement = '';
  @state() protected dragging = false;
  /** Choices whose photos are being made ready; a form waits for them too. */
  @state() protected preparingCount = 0;

  /** Choices with files that are not in the list yet: thousands are checked over several tasks. A form waits for them too. */
  protected readonly pendingChoices = new Set<object>();

  protected queue: UploadQueue | undefined;
  protected settings: Settings = readSettings(this);
  #isPausedByDisconnect = false;
  #effectiveLimits: Limits | undefined;
  #tokenSources: readonly unknown[] = [];
  #settingsError: BlobError | null = null;
  #tokenProvider = createTokenProvider(() => this);
  readonly #problemLog = new ProblemLog();
  readonly #renderScheduler = new RenderScheduler(this, () => this.requestUpdate());
  readonly #overLimitIds = new Set<string>();

  constructor() {
    super();
    this.addController(new LanguageController(this));
  }

  /** Every file in the list with its state, in the order of choosing. */
  get uploads(): readonly UploadItem[] {
    return [...(this.queue?.items ?? [])];
  }

  /** @internal */
  override scheduleRender(): void {
    this.#renderScheduler.schedule();
  }

  /** @internal */
  updateStatus(): void {
    this.syncValidity();
    this.#updateCustomStates();
  }

  /** @internal */
  uploadsFinished(): void {
    this.updateStatus();
    if (this.formStatus.busy > 0 || !this.isSubmitPending) return;
    this.releaseSubmit();
    this.requestUpdate();
  }

  /** @internal */
  fileStored(record: FileRecord): void {
    this.appendValue(record, this.totals.done);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('online', this.#onConnectionChange);
    addEventListener('offline', this.#onConnectionChange);
    if (this.#isPausedByDisconnect) this.queue?.resume();
    this.#isPausedByDisconnect = false;
    // What happened meanwhile was not drawn.
    if (this.hasUpdated) this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#renderScheduler.cancel();
    removeEventListener('online', this.#onConnectionChange);
    removeEventListener('offline', this.#onConnectionChange);
    this.announcer.stop();
    // Moved elements are connected again at once; one that is gone stops sending, and goes on should it come back.
    queueMicrotask(() => {
      const { queue } = this;
      if (this.isConnected || queue === undefined || queue.paused || this.formStatus.busy === 0) return;
      this.#isPausedByDisconnect = true;
      queue.pause();
    });
  }

  protected override firstUpdated(_changed: PropertyValues<this>): void {
    // A page's first number takes ten milliseconds and more to format, which nobody has to wait for between a choice and its first byte.
    globalThis.requestIdleCallback?.(() => this.localizer.number(0));
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    this.#configureQueue();
    this.#updateCustomStates();
  }

  protected override updated(changed: PropertyValues<this>): void {
    // Styles go by the attribute. The default is not reflected: markup from a server has no such attribute, and React would report it.
    if (changed.has('appearance') && (this.appearance !== APPEARANCES[0] || this.hasAttribute('appearance')))
      this.setAttribute('appearance', this.appearance);
    this.syncValidity();
  }

  protected get pickButton(): HTMLButtonElement | null {
    return this.renderRoot?.querySelector<HTMLButtonElement>('.pick') ?? null;
  }

  protected get totals(): Readonly<Totals> {
    return this.queue?.totals ?? NOTHING;
  }

  /** The attributes' limits, narrowed by what the token told. */
  protected get limits(): Limits {
    return this.#effectiveLimits ?? this.settings.limits;
  }

  /** Takes more than one file. */
  protected get acceptsMultiple(): boolean {
    return this.multiple || this.webkitdirectory;
  }

  /** Places that are left for files, a failed one's among them; below 0 when fewer are allowed since. */
  get #freeSlots(): number {
    return (this.limits.maxFiles ?? Infinity) - this.totals.files + this.totals.failed;
  }

  get #isOverLimit(): boolean {
    return this.#freeSlots < 0;
  }

  protected get isFull(): boolean {
    return this.acceptsMultiple && this.#freeSlots <= 0;
  }

  /** Whether files may be chosen now. */
  protected get canAddFiles(): boolean {
    return !this.isDisabled && !this.readOnly && !this.isFull;
  }

  /** The queue with the newest settings, made when it is first needed: never in Node. */
  protected get ready(): UploadQueue {
    this.queue ??= this.#begin();
    this.#configureQueue();
    return this.queue;
  }

  /** What the element is called: its own label, else the page's. */
  protected get accessibleName(): string {
    const slottedElement = this.slotted('label')?.textContent;
    return (this.label || slottedElement || Array.from(this.labels ?? [], (one) => one.textContent).join(' ')).trim();
  }

  protected slotted(name: string): Element | null {
    // A server has no children to ask.
    return this.querySelector?.(`:scope > [slot="${name}"]`) ?? null;
  }

  /** Makes ready once more what could not be. */
  protected abstract retryPreparation(chosen: readonly Chosen[]): void;

  #begin(): UploadQueue {
    const queue = createUploadQueue();
    queue.on('add', ({ item }) => {
      if (item.state.status === 'rejected' && item.state.rejection.code === 'TOO_MANY_FILES') this.#overLimitIds.add(item.id);
    });
    queue.on('remove', ({ item }) => this.#overLimitIds.delete(item.id));
    queue.on('status', ({ limits }) => (this.#effectiveLimits = limits));
    queue.on('again', ({ chosen }) => this.retryPreparation(chosen));
    forwardQueueEvents(this, queue);
    return queue;
  }

  #configureQueue(): void {
    this.settings = readSettings(this);
    // An input inside the tag, which may say what is missing, is adopted after the first drawing.
    this.#problemLog.report(this.settings.problems.filter(({ isHint }) => this.hasUpdated || !isHint));
    const { limits, concurrency } = this.settings;
    const { endpoint, manual, transport, sniff, verify } = this;
    const problem = this.#updateSettingsError(this.settings.problems);
    const tokenProvider = this.#tokenProviderFor([this.token, this.tokenEndpoint, this.tokenProvider]);
    this.queue?.configure({ tokenProvider, endpoint, problem, limits, concurrency, manual, transport, sniff, verify });
  }

  /** Nothing is sent while an attribute cannot be used: it might go elsewhere, or be what the page wanted to keep back. */
  #updateSettingsError(problems: readonly SettingProblem[]): BlobError | null {
    const problem = problems.find(({ isHint }) => !isHint);
    if (!problem) this.#settingsError = null;
    else if (this.#settingsError?.message !== describeProblem(problem))
      this.#settingsError = new BlobError('VALIDATION_ERROR', describeProblem(problem), { status: 0, path: problem.attribute });
    return this.#settingsError;
  }

  /** A queue hears of it only while it has something to send. */
  readonly #onConnectionChange = (): void => this.#updateCustomStates();

  /** Another source makes another supply, whose tokens and limits are its own. */
  #tokenProviderFor(sources: readonly unknown[]): TokenProvider {
    const changed = (source: unknown, at: number) => source !== this.#tokenSources[at];
    // A function may be a new one at every render, hence counts only between two choices.
    const { queued, active } = this.totals;
    if (sources.slice(0, queued + active > 0 ? 2 : 3).some(changed)) {
      this.#tokenSources = sources;
      this.#tokenProvider = createTokenProvider(() => this);
    }
    return this.#tokenProvider;
  }

  #updateCustomStates(): void {
    const { paused = false } = this.queue ?? {};
    const online = globalThis.navigator?.onLine ?? true;
    const facts = { dragging: this.dragging, totals: this.totals, paused, online, maxFiles: this.limits.maxFiles };
    applyCustomStates(this.internals.states, customStates(facts));
  }

  protected override get records(): FileRecord[] {
    return this.uploads.flatMap(({ state }) => (state.status === 'done' ? state.file : []));
  }

  protected override get storedFiles(): StoredFile[] {
    return this.uploads.flatMap(({ name, relativePath, state }) =>
      state.status === 'done' ? { ...state.file, shown_name: name, relative_path: relativePath } : [],
    );
  }

  protected override get formStatus(): Omit<FormStatus, 'required' | 'custom'> {
    const { done, queued, active, failed, rejected } = this.totals;
    return {
      done,
      busy: queued + active + this.preparingCount + this.pendingChoices.size,
      failed: failed + rejected - this.#overLimitIds.size,
      tooMany: this.#overLimitIds.size > 0 || this.#isOverLimit,
      problem: this.settings.problems
        .filter(({ isHint }) => !isHint)
        .map(describeProblem)
        .join(' '),
    };
  }

  protected override validationText(reason: Exclude<InvalidReason, 'custom'>): string {
    if (reason === 'problem') return this.formStatus.problem;
    if (reason === 'tooMany' && this.#isOverLimit) return this.localizer.text('tooManyFiles', { count: this.limits.maxFiles! });
    // Nothing moves that could be waited for.
    if (reason === 'busy' && (this.queue?.paused || (this.manual && this.totals.active === 0)))
      return this.localizer.text('notStarted');
    return this.localizer.text(reason);
  }

  protected override get validityAnchor(): HTMLElement | undefined {
    return this.pickButton ?? undefined;
  }

  protected override onSubmitPending(): void {
    // Who sends the form wants the files in it, also those that were not started or stand still.
    this.queue?.resume();
    this.queue?.start();
    this.announcement = this.localizer.text('submitPending');
    this.requestUpdate();
  }

  protected override onSubmitCanceled(): void {
    this.announcement = this.localizer.text('submitCanceled');
    this.requestUpdate();
  }

  protected override reset(): void {
    this.queue?.clear();
    this.syncValue();
  }
}
