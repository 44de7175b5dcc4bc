// Long because it connects the settings, the queue, the form and the view.
import type { PropertyValues } from 'lit';
import { state } from 'lit/decorators.js';
import { preloadEngine } from '../queue/engine-loader.js';
import { loadChunk } from '../queue/load-chunk.js';
import { createUploadQueue } from '../queue/upload-queue.js';
import { UploadTotals } from '../queue/upload-totals.js';
import type { Chosen, FieldSource, Limits, Totals, UploadItem, UploadQueue } from '../queue/types.js';
import { isInForm } from './form/form-value.js';
import type { FormStatus, InvalidReason } from './form/validity.js';
import { BlobError } from '../protocol/errors.js';
import type { FileRecord, StoredFile } from '../protocol/types.js';
import { UploaderAttributes } from './attributes.js';
import { RenderScheduler } from './before-paint.js';
import { LazyAnnouncer } from './lazy-announcer.js';
import { LanguageController } from './locales/language-controller.js';
import { englishLocalizer } from './locales/load-localizer.js';
import type { Localizer } from './locales/localizer.js';
import { resumeScopeOf } from './resume-scope.js';
import { forwardQueueEvents } from './queue-events.js';
import { Preloader } from './preloader.js';
import type { PickedFile } from './picking/picked-file.js';
import { ProblemLog, describeProblem } from './settings/problems.js';
import type { SettingProblem } from './settings/problems.js';
import { APPEARANCES, readSettings } from './settings/read-settings.js';
import type { Settings } from './settings/read-settings.js';
import { applyCustomStates, customStates } from './custom-states.js';
import { TokenProviderCache, loadRequestToken } from './token-source.js';
import type { SourceMenu } from './sources/source-menu.js';
import { LazyPart } from './view/lazy-part.js';

const NO_FILES = new UploadTotals();

/** Holds all files while the code of the fields is not loaded. */
const UNKNOWN_FIELDS: FieldSource = { complete() {}, metadataOf: () => null };

const loadFileFields = () => loadChunk('FileFields', () => import('./fields/file-fields.js'));
const loadSourceMenu = () => loadChunk('SourceMenu', () => import('./sources/source-menu.js'));
const loadEndpointLimits = () => loadChunk('EndpointLimits', () => import('./endpoint-limits.js'));

/** Connects queue, form and view: settings, language, counts, custom states. Renders nothing itself. */
export abstract class UploaderBase extends UploaderAttributes {
  /** @internal */
  readonly announcer = new LazyAnnouncer([(text) => (this.announcement = text), () => this.localizer]);
  /** @internal */
  localizer: Localizer = englishLocalizer;

  @state() protected announcement = '';
  @state() protected dragging = false;

  protected queue: UploadQueue | undefined;
  /** @internal */
  settings: Settings = readSettings(this);
  /** The element paused the queue because it was removed from the page. */
  #isPausedByDisconnect = false;
  /** Limits of the attributes, narrowed by the token; undefined before a token is known. */
  #effectiveLimits: Limits | undefined;
  #settingsError: BlobError | null = null;
  readonly #tokenProviders = new TokenProviderCache(() => this);
  /** @internal */
  readonly endpointLimits = new LazyPart(
    async () => new (await loadEndpointLimits())(this),
    () => this.requestUpdate(),
  );
  protected readonly fileFields = new LazyPart(
    async () => new (await loadFileFields())(this),
    () => {
      this.syncValue();
      this.onPartChange();
    },
  );
  protected readonly sourcePart = new LazyPart(
    async () => new (await loadSourceMenu())(this),
    () => this.onPartChange(),
  );
  readonly #problemLog = new ProblemLog();
  /** Ids of files that were refused while a submit waited for them. The form must not be sent without them before the person knows. */
  readonly #refusedInSubmit = new Set<string>();
  readonly #renderScheduler = new RenderScheduler(this, () => this.requestUpdate());

  constructor() {
    super();
    this.addController(new LanguageController(this));
    this.addController(new Preloader(this, () => this.preload()));
  }

  /** Every file of the list with its state, in the order of the list. */
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
    // Changes while the element was disconnected were not rendered.
    if (this.hasUpdated) this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#renderScheduler.cancel();
    removeEventListener('online', this.#onConnectionChange);
    removeEventListener('offline', this.#onConnectionChange);
    this.announcer.stop();
    // If the element is only moved, it is connected again by then. A removed element stops sending until it is connected again.
    queueMicrotask(() => {
      const { queue } = this;
      if (this.isConnected || queue === undefined || queue.paused || this.formStatus.busy === 0) return;
      this.#isPausedByDisconnect = true;
      queue.pause();
    });
  }

  protected override firstUpdated(_changed: PropertyValues<this>): void {
    // Formatting the first number of a page takes 10 ms or more. Doing it now keeps the upload from waiting for it.
    globalThis.requestIdleCallback?.(() => this.localizer.number(0));
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    this.#configureQueue();
    this.#updateCustomStates();
  }

  protected override updated(changed: PropertyValues<this>): void {
    // Styles select by the attribute. The default is not reflected, because server-rendered markup lacks it and React would report that.
    if (changed.has('appearance') && (this.appearance !== APPEARANCES[0] || this.hasAttribute('appearance')))
      this.setAttribute('appearance', this.appearance);
    if (this.fetchLimits) this.endpointLimits.use();
    if (this.hasFields) this.fileFields.use();
    if (this.sources !== '') this.sourcePart.use();
    if (changed.has('fields')) this.syncValue();
    this.syncValidity();
  }

  /** The menu of the sources, if the page asks for it and its code is loaded. */
  protected get sourceMenu(): SourceMenu | undefined {
    return this.sources === '' ? undefined : this.sourcePart.loaded;
  }

  /** @internal */
  get pickButton(): HTMLButtonElement | null {
    return this.renderRoot?.querySelector<HTMLButtonElement>('.pick') ?? null;
  }

  /** @internal */
  get totals(): Readonly<Totals> {
    return this.queue?.totals ?? NO_FILES;
  }

  /** @internal The limits of the attributes, narrowed by those of the token. */
  get limits(): Limits {
    return this.#effectiveLimits ?? this.settings.limits;
  }

  /** @internal Returns whether more than one file is accepted. */
  get acceptsMultiple(): boolean {
    return (this.multiple || this.webkitdirectory) && this.settings.appearance !== 'avatar';
  }

  /** Number of files that can still be added. Failed files do not count. Negative if the limit was lowered since. */
  get #freeSlots(): number {
    return (this.limits.maxFiles ?? Infinity) - this.totals.files + this.totals.failed;
  }

  get #isOverLimit(): boolean {
    return this.#freeSlots < 0;
  }

  protected get isFull(): boolean {
    return this.acceptsMultiple && this.#freeSlots <= 0;
  }

  /** @internal Returns whether files may be chosen now. */
  get canAddFiles(): boolean {
    return !this.isDisabled && !this.readOnly && !this.isFull;
  }

  /** Applies the current settings to the queue and returns it. Creates it on first use, and never in Node. */
  protected configuredQueue(): UploadQueue {
    this.queue ??= this.#createQueue();
    this.#configureQueue();
    return this.queue;
  }

  /** The text of the element's own label, else of the labels in the page. */
  protected get accessibleName(): string {
    const slottedText = this.slottedElement('label')?.textContent;
    const pageLabels = Array.from(this.labels ?? [], (label) => label.textContent).join(' ');
    return (this.label || slottedText || pageLabels).trim();
  }

  protected slottedElement(name: string): Element | null {
    // On a server, elements have no `querySelector`.
    return this.querySelector?.(`:scope > [slot="${name}"]`) ?? null;
  }

  /** Loads the code that only chosen files need, before the first one is chosen. */
  protected preload(): void {
    void preloadEngine();
    this.announcer.load();
    // If that fails, the first file loads it.
    if (this.tokenEndpoint !== '') loadRequestToken().catch(() => {});
  }

  /** Returns whether the page asks for fields of each file. */
  protected get hasFields(): boolean {
    return Boolean(this.fields?.length);
  }

  /** The upload starts when the person presses Upload. Fields have to be filled in before. */
  protected get startsManually(): boolean {
    return this.manual || this.hasFields;
  }

  /** @internal A part of the view is loaded, or could not be loaded. */
  abstract onPartChange(): void;
  abstract addFiles(files: Iterable<File>): Promise<void>;
  /** @internal */
  abstract addLink(link: PickedFile): Promise<void>;
  /** @internal Opens the picker for files of the device. */
  abstract pickFromDevice(): void;
  /** @internal Files of the list, without a single file that is shown beside the button. */
  abstract listedItems: readonly UploadItem[];
  /** @internal Scrolls a row into view and focuses one of its controls. */
  abstract focusRow(index: number, part?: string): Promise<void>;

  /** Number of choices whose files are not in the queue yet. A form waits for them as well. */
  protected abstract get busyChoices(): number;

  /** Prepares files again that could not be prepared. */
  protected abstract retryPreparation(chosen: readonly Chosen[]): void;

  #createQueue(): UploadQueue {
    const queue = createUploadQueue();
    queue.on('change', ({ item }) => {
      if (item.state.status === 'rejected' && this.isSubmitPendingInForm) this.#refusedInSubmit.add(item.id);
    });
    queue.on('remove', ({ item }) => this.#refusedInSubmit.delete(item.id));
    queue.on('status', ({ limits }) => (this.#effectiveLimits = limits));
    queue.on('prepare-again', ({ chosen }) => this.retryPreparation(chosen));
    forwardQueueEvents(this, queue);
    return queue;
  }

  #configureQueue(): void {
    const attributes = readSettings(this);
    const settings = this.endpointLimits.loaded?.apply(attributes) ?? attributes;
    const fields = this.hasFields ? this.fileFields.loaded : undefined;
    const withFields = fields?.apply(settings) ?? settings;
    this.settings = this.sourceMenu?.apply(withFields) ?? withFields;
    // Hints wait for the first render, because an adopted input may add the missing attribute.
    this.#problemLog.report(this.settings.problems.filter(({ isHint }) => this.hasUpdated || !isHint));
    const { limits, concurrency } = this.settings;
    const { endpoint, startsManually: manual, transport, sniff, verify } = this;
    const fieldSource = this.hasFields ? (fields ?? UNKNOWN_FIELDS) : null;
    const problem = this.#updateSettingsError(this.settings.problems);
    const { queued, active } = this.totals;
    const tokenProvider = this.#tokenProviders.current(queued + active > 0);
    const options = { tokenProvider, endpoint, problem, limits, concurrency, manual, fieldSource, transport, sniff, verify };
    this.queue?.configure({ ...options, resumeScope: resumeScopeOf(this) });
  }

  /** Nothing is sent while an attribute is invalid, because files might go to the wrong place, or be files that the page excludes. */
  #updateSettingsError(problems: readonly SettingProblem[]): BlobError | null {
    const problem = problems.find(({ isHint }) => !isHint);
    if (!problem) this.#settingsError = null;
    else if (this.#settingsError?.message !== describeProblem(problem))
      this.#settingsError = new BlobError('VALIDATION_ERROR', describeProblem(problem), { status: 0, path: problem.attribute });
    return this.#settingsError;
  }

  /** The queue itself listens for changes only while it has files to send. */
  readonly #onConnectionChange = (): void => this.#updateCustomStates();

  #updateCustomStates(): void {
    const { paused = false } = this.queue ?? {};
    const online = globalThis.navigator?.onLine ?? true;
    const facts = { dragging: this.dragging, totals: this.totals, paused, online, maxFiles: this.limits.maxFiles };
    applyCustomStates(this.internals.states, customStates(facts));
  }

  /** The files of the form value. A file stays in it until the one that replaces it is stored. */
  get #stored() {
    return this.uploads.map((item) => (item.state.status !== 'done' && item.replaced) || item).filter(isInForm);
  }

  protected override get records(): FileRecord[] {
    return this.#stored.map(({ state }) => state.file);
  }

  protected override get storedFiles(): StoredFile[] {
    return this.#stored.map(({ name, relativePath, state, metadata }) => ({
      ...state.file,
      shown_name: name,
      relative_path: relativePath,
      // The record of a page's own transport may lack it.
      ...(metadata && { metadata: { ...state.file.metadata, ...metadata } }),
    }));
  }

  protected override setFields(data: FormData): void {
    if (this.hasFields) this.fileFields.loaded?.appendTo(data, this.name, this.#stored);
  }

  protected override get formStatus(): Omit<FormStatus, 'required' | 'custom'> {
    const { done, queued, active, failed } = this.totals;
    return {
      done: done - (this.queue?.context.state.deleting ?? 0),
      unfilled: this.hasFields && (this.fileFields.loaded?.hasUnfilled(this.queue?.items ?? []) ?? false),
      busy: queued + active + this.busyChoices,
      failed: failed + this.#refusedInSubmit.size,
      tooMany: this.#isOverLimit,
      problem: this.settings.problems
        .filter(({ isHint }) => !isHint)
        .map(describeProblem)
        .join(' '),
    };
  }

  protected override validationText(reason: Exclude<InvalidReason, 'custom'>): string {
    if (reason === 'problem') return this.formStatus.problem;
    if (reason === 'tooMany') return this.localizer.text('tooManyFiles', { count: this.limits.maxFiles! });
    // Waiting would not help if no file is being sent.
    if (reason === 'busy' && (this.queue?.paused || (this.startsManually && this.totals.active === 0)))
      return this.localizer.text('notStarted');
    return this.localizer.text(reason);
  }

  protected override get validityAnchor(): HTMLElement | undefined {
    return this.fileFields.loaded?.unfilledField ?? this.pickButton ?? undefined;
  }

  protected override onSubmitPending(): void {
    // The form has to contain all files, so paused and unstarted ones are uploaded as well.
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
