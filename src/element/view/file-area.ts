import { html, nothing } from 'lit';
import type { CSSResult, TemplateResult } from 'lit';
import type { Rejection, UploadItem, UploadQueue } from '../../queue/types.js';
import { fileStyles } from '../styles/file-styles.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import { errorText, rejectionText } from '../locales/error-messages.js';
import type { Appearance } from '../settings/read-settings.js';
import { loadChunk } from '../../queue/load-chunk.js';
import type { EditController, EditHost } from '../editor/edit-controller.js';
import { isEditable } from '../editor/is-editable.js';
import type { Avatar, AvatarContext } from '../avatar/avatar.js';
import type { Lightbox, LightboxHost } from '../lightbox/lightbox.js';
import { Clock } from './clock.js';
import { FileDeleter } from './file-deleter.js';
import type { DeletionHost } from './file-deleter.js';
import { LazyPart } from './lazy-part.js';
import { listLayout } from './file-layout.js';
import type { FileLayout } from './file-layout.js';
import { ListView } from './list-view.js';
import type { ListHost } from './list-view.js';
import type { RowContext } from './row.js';
import { isRefused } from './row-status.js';
import { renderSingleFile } from './single-file.js';
import type { SingleFileContext } from './single-file.js';
import type { StoredPreviews } from './stored-previews.js';
import { hasUploadControls, isBusy, renderSummary } from './summary.js';

export interface FileAreaContext {
  queue: UploadQueue;
  appearance: Appearance;
  /** Files of the list, without a single file that is shown beside the button. */
  items: readonly UploadItem[];
  manual: boolean;
  row: RowContext;
  onCancel: () => void;
  onClear: () => void;
  onRemoveFailed: () => void;
  onDismiss: () => void;
}

/** The part of the element that previews of stored files use. */
interface PreviewHost {
  readonly fetchPreviews: boolean;
  readonly tokenEndpoint: string;
}

/** The part of the element that hears of parts of the view. */
interface PartHost {
  /** A part is loaded, or could not be loaded. Adds its styles and renders. */
  onPartChange(): void;
}

/** The part of the element that offers to edit pictures. */
interface EditableHost extends EditHost {
  readonly editable: boolean;
}

const loadEditController = () => loadChunk('EditController', () => import('../editor/edit-controller.js'));
const loadAvatar = () => loadChunk('Avatar', () => import('../avatar/avatar.js'));
const loadLightbox = () => loadChunk('Lightbox', () => import('../lightbox/lightbox.js'));
const loadGridLayout = () => loadChunk('gridLayout', () => import('../grid/grid-layout.js'));
const loadStoredPreviews = () => loadChunk('StoredPreviews', () => import('./stored-previews.js'));

const canRetry = ({ state }: UploadItem): boolean => state.status === 'failed' && state.retryable;

/** Renders the chosen files of one element. Pages load this module and all it imports with the first file, see `lazy-part.ts`. */
export class FileArea {
  readonly #grid: LazyPart<FileLayout>;
  readonly #lightbox: LazyPart<Lightbox>;
  /** Id of the picture that is shown when the lightbox is loaded. */
  #viewedId: string | undefined;
  readonly #avatar: LazyPart<Avatar>;
  readonly #list: ListView;
  readonly #deleter: FileDeleter;
  readonly #editing: LazyPart<EditController>;

  readonly #loadedPreviews: LazyPart<typeof StoredPreviews>;
  #previews: StoredPreviews | undefined;
  /** The endpoint of `#previews`. */
  #endpoint = '';

  constructor(private readonly host: ListHost & DeletionHost & PreviewHost & PartHost & EditableHost & LightboxHost) {
    addFileTexts();
    this.#grid = new LazyPart(loadGridLayout, () => host.onPartChange());
    this.#avatar = new LazyPart(
      async () => new (await loadAvatar())(),
      () => host.onPartChange(),
    );
    this.#lightbox = new LazyPart(
      async () => new (await loadLightbox())(host),
      () => this.#onLightboxChange(),
    );
    this.#loadedPreviews = new LazyPart(loadStoredPreviews, () => host.requestUpdate());
    this.#editing = new LazyPart(
      async () => new (await loadEditController())(host),
      () => host.onPartChange(),
    );
    this.#deleter = new FileDeleter(host);
    this.#list = new ListView(host);
    host.addController(new Clock(host));
  }

  /** Loads the code of an appearance before the first file is chosen. An avatar loads it with its first render. */
  static async preload(appearance: Appearance): Promise<void> {
    if (appearance === 'grid') await loadGridLayout();
  }

  /** The element adds these styles to its own. */
  get styles(): CSSResult[] {
    const parts = [this.#grid, this.#avatar, this.#lightbox, this.#editing];
    return [...fileStyles, ...parts.flatMap(({ loaded }) => loaded?.styles ?? [])];
  }

  /** Resolves when the code that renders the files is loaded or has failed to load; undefined if it is not being loaded. */
  get loading(): Promise<void> | undefined {
    return this.#grid.loading ?? this.#avatar.loading;
  }

  get hasFailed(): boolean {
    return this.#grid.hasFailed || this.#avatar.hasFailed || this.#lightbox.hasFailed;
  }

  /** Lets parts load again that could not be loaded. */
  forgetFailure(): void {
    this.#grid.forgetFailure();
    this.#editing.forgetFailure();
    this.#avatar.forgetFailure();
    this.#lightbox.forgetFailure();
  }

  /** Renders the files, and a summary if there are several files or one large one. */
  render(context: FileAreaContext): TemplateResult {
    const { queue, items } = context;
    // If the code of the grid does not load, the files are in a list.
    const layout =
      context.appearance === 'grid' ? (this.#grid.use() ?? (this.#grid.hasFailed ? listLayout : undefined)) : listLayout;
    if (layout === undefined) return html``;
    const row = this.#rowContext(context.row, queue);
    const hasSummary = this.#hasSummary(context);
    // While files are sent, the summary describes the upload, so each row states its own error.
    const sharedError = hasSummary && !isBusy(queue.totals) ? findSharedError(queue, row) : '';
    const storedImageOf = this.#storedImageOf();
    const onView = (id: string) => this.view(id);
    const rowContext = { ...row, isWithoutSummary: !hasSummary, sharedError, storedImageOf, onView };
    return html`<div part="files" class="files">
      ${hasSummary ? this.#renderSummary(context, sharedError) : nothing}
      ${this.#list.render(items, row.localizer.text('list'), rowContext, layout)}
      ${this.#lightbox.loaded?.render(items, storedImageOf)}
    </div>`;
  }

  /** Renders the file beside the button of the `inline` appearance. */
  renderSingleFile(context: SingleFileContext): TemplateResult {
    return renderSingleFile({ ...context, row: this.#rowContext(context.row, context.queue) });
  }

  /** Scrolls a row into view and focuses one of its buttons. */
  focusRow(index: number, part?: string): Promise<void> {
    return this.#list.focusRow(index, part);
  }

  #rowContext(row: RowContext, queue: UploadQueue): RowContext {
    const context = this.#deleter.rowContext(row, queue);
    const editing = this.host.editable && queue.items.some(isEditable) ? this.#editing.use() : undefined;
    return editing?.rowContext(context, queue) ?? context;
  }

  /** Renders one picture with its actions; undefined while the code is not loaded. */
  renderAvatar(context: AvatarContext): TemplateResult | undefined {
    const row = { ...this.#rowContext(context.row, context.queue), storedImageOf: this.#storedImageOf() };
    return this.#avatar.use()?.render({ ...context, row });
  }

  /** Shows the picture of a file large. */
  view(id: string): void {
    this.#viewedId = id;
    this.#lightbox.forgetFailure();
    if (this.#lightbox.use()) this.#onLightboxChange();
  }

  #onLightboxChange(): void {
    if (this.#viewedId !== undefined) this.#lightbox.loaded?.open(this.#viewedId);
    this.#viewedId = undefined;
    this.host.onPartChange();
  }

  #storedImageOf(): RowContext['storedImageOf'] {
    const { fetchPreviews, tokenEndpoint } = this.host;
    const Previews = fetchPreviews && tokenEndpoint !== '' ? this.#loadedPreviews.use() : undefined;
    if (Previews === undefined) return undefined;
    if (tokenEndpoint !== this.#endpoint) this.#previews = undefined;
    this.#endpoint = tokenEndpoint;
    const previews = (this.#previews ??= new Previews(tokenEndpoint));
    return (record, size) => previews.imageOf(record, size);
  }

  #hasSummary({ queue, items, manual }: FileAreaContext): boolean {
    const listsAllFiles = items.length === queue.size;
    return listsAllFiles && (items.length > 1 || hasUploadControls(queue, manual));
  }

  #renderSummary({ queue, items, manual, row, ...actions }: FileAreaContext, sharedError: string): TemplateResult {
    const { totals, paused, online } = queue;
    return renderSummary({
      localizer: row.localizer,
      queue,
      totals,
      paused,
      online,
      manual,
      readOnly: row.readOnly,
      now: row.now,
      sharedError,
      canRetry: totals.failed > 0 && items.some(canRetry),
      hasHeld: row.fields?.hasHeld(items) ?? false,
      hasUnfilled: row.fields?.hasUnfilled(items) ?? false,
      refused: queue.size - totals.files,
      ...actions,
      deletesFiles: row.deletesFiles,
      onClear: () => (row.deletesFiles ? void this.#deleter.delete(queue.items, queue, row) : actions.onClear()),
    });
  }
}

/** Equal for files that were refused for the same reason, whatever their sizes. */
const describeCause = ({ code, details }: Rejection): string => JSON.stringify([code, { ...details, size: 0 }]);

/** Returns the text of the error that all failed and refused files share; '' if there are fewer than two, or several errors. */
function findSharedError({ items, totals }: UploadQueue, { localizer, errorTexts }: RowContext): string {
  if (totals.failed + totals.rejected < 2) return '';
  const texts = new Set<string>();
  // Most files share an error, and formatting its text for each of thousands would take long.
  const seen = new Set<unknown>();
  for (const { state } of items) {
    if (state.status !== 'failed' && !isRefused(state)) continue;
    const cause = state.status === 'failed' ? state.error : describeCause(state.rejection);
    if (seen.has(cause)) continue;
    seen.add(cause);
    texts.add(
      state.status === 'failed' ? errorText(localizer, state.error, errorTexts) : rejectionText(localizer, state.rejection),
    );
    if (texts.size > 1) return '';
  }
  return [...texts][0] ?? '';
}
