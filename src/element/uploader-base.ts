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
import { Frame } from './before-paint.js';
import { Language } from './locales/language.js';
import { builtIn } from './locales/load.js';
import type { Words } from './locales/messages.js';
import { relay } from './queue-events.js';
import { ProblemLog, describe } from './settings/problems.js';
import type { Problem } from './settings/problems.js';
import { APPEARANCES, readSettings } from './settings/read.js';
import type { Settings } from './settings/read.js';
import { applyStates, statesOf } from './custom-states.js';
import { tokenSupply } from './token-source.js';

const NOTHING = new Tally();

/** What stands between the queue, the form and the face: settings, language, counts, states. Draws nothing. */
export abstract class UploaderCore extends UploaderAttributes {
  /** @internal */
  readonly announcer = new Announcer(
    (text) => (this.announcement = text),
    () => this.words,
  );
  /** @internal */
  words: Words = builtIn;

  @state() protected announcement = '';
  @state() protected dragging = false;
  /** Choices whose photos are being made ready; a form waits for them too. */
  @state() protected preparing = 0;

  /** Choices with files that are not in the list yet: thousands are checked over several tasks. A form waits for them too. */
  protected readonly checking = new Set<object>();

  protected queue: UploadQueue | undefined;
  protected settings: Settings = readSettings(this);
  #parked = false;
  #learned: Limits | undefined;
  #sources: readonly unknown[] = [];
  #problem: BlobError | null = null;
  #supply = tokenSupply(() => this);
  readonly #log = new ProblemLog();
  readonly #frame = new Frame(this, () => this.requestUpdate());
  readonly #tooMany = new Set<string>();

  constructor() {
    super();
    this.addController(new Language(this));
  }

  /** Every file in the list with its state, in the order of choosing. */
  get uploads(): readonly UploadItem[] {
    return [...(this.queue?.items ?? [])];
  }

  /** @internal */
  override redraw(): void {
    this.#frame.ask();
  }

  /** @internal */
  recount(): void {
    this.syncValidity();
    this.#showStates();
  }

  /** @internal */
  finished(): void {
    this.recount();
    if (this.formStatus.busy > 0 || !this.isSubmitHeld) return;
    this.settled();
    this.requestUpdate();
  }

  /** @internal */
  stored(record: FileRecord): void {
    this.appendValue(record, this.totals.done);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('online', this.#connection);
    addEventListener('offline', this.#connection);
    if (this.#parked) this.queue?.resume();
    this.#parked = false;
    // What happened meanwhile was not drawn.
    if (this.hasUpdated) this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#frame.cancel();
    removeEventListener('online', this.#connection);
    removeEventListener('offline', this.#connection);
    this.announcer.stop();
    // Moved elements are connected again at once; one that is gone stops sending, and goes on should it come back.
    queueMicrotask(() => {
      const { queue } = this;
      if (this.isConnected || queue === undefined || queue.paused || this.formStatus.busy === 0) return;
      this.#parked = true;
      queue.pause();
    });
  }

  protected override firstUpdated(_changed: PropertyValues<this>): void {
    // A page's first number takes ten milliseconds and more to format, which nobody has to wait for between a choice and its first byte.
    globalThis.requestIdleCallback?.(() => this.words.number(0));
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    this.#configure();
    this.#showStates();
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
    return this.#learned ?? this.settings.limits;
  }

  /** Takes more than one file. */
  protected get isPlural(): boolean {
    return this.multiple || this.webkitdirectory;
  }

  /** Places that are left for files, a failed one's among them; below 0 when fewer are allowed since. */
  get #free(): number {
    return (this.limits.maxFiles ?? Infinity) - this.totals.files + this.totals.failed;
  }

  get #isOver(): boolean {
    return this.#free < 0;
  }

  protected get isFull(): boolean {
    return this.isPlural && this.#free <= 0;
  }

  /** Whether files may be chosen now. */
  protected get isOpen(): boolean {
    return !this.isDisabled && !this.readOnly && !this.isFull;
  }

  /** The queue with the newest settings, made when it is first needed: never in Node. */
  protected get ready(): UploadQueue {
    this.queue ??= this.#begin();
    this.#configure();
    return this.queue;
  }

  /** What the element is called: its own label, else the page's. */
  protected get ownName(): string {
    const slotted = this.slotted('label')?.textContent;
    return (this.label || slotted || Array.from(this.labels ?? [], (one) => one.textContent).join(' ')).trim();
  }

  protected slotted(name: string): Element | null {
    // A server has no children to ask.
    return this.querySelector?.(`:scope > [slot="${name}"]`) ?? null;
  }

  /** Makes ready once more what could not be. */
  protected abstract takeAgain(chosen: readonly Chosen[]): void;

  #begin(): UploadQueue {
    const queue = createUploadQueue();
    queue.on('add', ({ item }) => {
      if (item.state.status === 'rejected' && item.state.rejection.code === 'TOO_MANY_FILES') this.#tooMany.add(item.id);
    });
    queue.on('remove', ({ item }) => this.#tooMany.delete(item.id));
    queue.on('status', ({ limits }) => (this.#learned = limits));
    queue.on('again', ({ chosen }) => this.takeAgain(chosen));
    relay(this, queue);
    return queue;
  }

  #configure(): void {
    this.settings = readSettings(this);
    // An input inside the tag, which may say what is missing, is adopted after the first drawing.
    this.#log.report(this.settings.problems.filter(({ isHint }) => this.hasUpdated || !isHint));
    const { limits, concurrency } = this.settings;
    const { endpoint, manual, transport, sniff, verify } = this;
    const problem = this.#problemOf(this.settings.problems);
    const tokenProvider = this.#supplyOf([this.token, this.tokenEndpoint, this.tokenProvider]);
    this.queue?.configure({ tokenProvider, endpoint, problem, limits, concurrency, manual, transport, sniff, verify });
  }

  /** Nothing is sent while an attribute cannot be used: it might go elsewhere, or be what the page wanted to keep back. */
  #problemOf(problems: readonly Problem[]): BlobError | null {
    const problem = problems.find(({ isHint }) => !isHint);
    if (!problem) this.#problem = null;
    else if (this.#problem?.message !== describe(problem))
      this.#problem = new BlobError('VALIDATION_ERROR', describe(problem), { status: 0, path: problem.attribute });
    return this.#problem;
  }

  /** A queue hears of it only while it has something to send. */
  readonly #connection = (): void => this.#showStates();

  /** Another source makes another supply, whose tokens and limits are its own. */
  #supplyOf(sources: readonly unknown[]): TokenProvider {
    const changed = (source: unknown, at: number) => source !== this.#sources[at];
    // A function may be a new one at every render, hence counts only between two choices.
    const { queued, active } = this.totals;
    if (sources.slice(0, queued + active > 0 ? 2 : 3).some(changed)) {
      this.#sources = sources;
      this.#supply = tokenSupply(() => this);
    }
    return this.#supply;
  }

  #showStates(): void {
    const { paused = false } = this.queue ?? {};
    const online = globalThis.navigator?.onLine ?? true;
    const facts = { dragging: this.dragging, totals: this.totals, paused, online, maxFiles: this.limits.maxFiles };
    applyStates(this.internals.states, statesOf(facts));
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
      busy: queued + active + this.preparing + this.checking.size,
      failed: failed + rejected - this.#tooMany.size,
      tooMany: this.#tooMany.size > 0 || this.#isOver,
      problem: this.settings.problems
        .filter(({ isHint }) => !isHint)
        .map(describe)
        .join(' '),
    };
  }

  protected override wordsFor(reason: Exclude<InvalidReason, 'custom'>): string {
    if (reason === 'problem') return this.formStatus.problem;
    if (reason === 'tooMany' && this.#isOver) return this.words.say('tooManyFiles', { count: this.limits.maxFiles! });
    // Nothing moves that could be waited for.
    if (reason === 'busy' && (this.queue?.paused || (this.manual && this.totals.active === 0)))
      return this.words.say('notStarted');
    return this.words.say(reason);
  }

  protected override get validityAnchor(): HTMLElement | undefined {
    return this.pickButton ?? undefined;
  }

  protected override submitHeld(): void {
    // Who sends the form wants the files in it, also those that were not started or stand still.
    this.queue?.resume();
    this.queue?.start();
    this.announcement = this.words.say('heldSubmit');
    this.requestUpdate();
  }

  protected override submitCanceled(): void {
    this.announcement = this.words.say('submitCanceled');
    this.requestUpdate();
  }

  protected override reset(): void {
    this.queue?.clear();
    this.syncValue();
  }
}
