import { asBlobError } from '../../queue/errors.js';
import { processInSlices } from '../../queue/tasks.js';
import { loadChunk } from '../../queue/load-chunk.js';
import type { Chosen, UploadQueue } from '../../queue/types.js';
import type { BlobError } from '../../protocol/errors.js';
import type { ImageOptions } from '../../images/prepare-image.js';
import type { EditFirstHost } from '../editor/edit-first.js';
import { emit, emitChange } from '../events.js';
import type { PickedFile } from './picked-file.js';

/** The part of the element that the intake uses. */
export interface IntakeHost {
  readonly element: EditFirstHost;
  /** The queue with the current settings. */
  queue(): UploadQueue;
  acceptsMultiple(): boolean;
  /** Null if images stay unchanged. */
  imageOptions(): ImageOptions | null;
  acceptsEmptyFolders(): boolean;
  isSubmitPending(): boolean;
  /** A new choice begins. */
  onChoice(): void;
  /** The number of choices that are being processed changed. */
  onBusyChange(): void;
  /** A choice is processed completely. */
  onIdle(): void;
  /** A single file was replaced. */
  onReplace(): void;
}

/**
 * Takes chosen files into the queue: reads folders, prepares images, fires `svc-file-add`, and adds the files in slices so that
 * thousands do not block the page. The element is busy until all files of a choice are in the queue.
 */
export class FileIntake {
  /** Choices that are being processed, the oldest first. Aborted when the list is cleared. */
  readonly #choices = new Set<AbortController>();
  /** Choices whose files are being added over several tasks. */
  readonly #adding = new Set<AbortController>();
  /** The last choice that needs preparation. The next one is added after it. */
  #lastPreparation: Promise<unknown> = Promise.resolve();
  #preparing = 0;

  constructor(private readonly host: IntakeHost) {}

  /** Number of choices whose folders are being read or whose images are being prepared. */
  get preparingCount(): number {
    return this.#preparing;
  }

  /** Number of choices with files that are not in the queue yet. */
  get busyCount(): number {
    return this.#preparing + this.#adding.size;
  }

  /** Takes all files of one choice. The first ones are in the queue when this returns, unless they need preparation. */
  async take(files: readonly PickedFile[], folders: readonly FileSystemEntry[] = []): Promise<void> {
    if (files.length + folders.length === 0) return;
    const queue = this.host.queue();
    const choice = new AbortController();
    this.#choices.add(choice);
    this.host.onChoice();
    // A new choice removes the files that were refused before.
    queue.dismiss();
    try {
      if (this.host.imageOptions() === null && folders.length === 0) await this.#add(queue, files, choice);
      else await this.#prepareAndAdd(queue, files, folders, choice);
    } finally {
      this.#choices.delete(choice);
    }
  }

  /** Takes files again that could not be prepared, because the person retried them. */
  takeAgain(chosen: readonly Chosen[]): void {
    const files = chosen.flatMap(({ file, relativePath, folder }) => (folder ? [] : { file, relativePath }));
    const folders = chosen.flatMap(({ folder }) => folder ?? []);
    void this.take(files, folders);
  }

  /** @param newest stops before this choice; without it, all choices are aborted */
  abort(newest?: AbortController): void {
    for (const choice of this.#choices) {
      if (choice === newest) return;
      choice.abort();
      this.#adding.delete(choice);
    }
  }

  /** With several files, choices are added in their order, however long each takes. A single file is always the last one chosen. */
  async #prepareAndAdd(
    queue: UploadQueue,
    files: readonly PickedFile[],
    folders: readonly FileSystemEntry[],
    choice: AbortController,
  ): Promise<void> {
    this.#preparing += 1;
    this.host.onBusyChange();
    const previous = this.host.acceptsMultiple() ? this.#lastPreparation : undefined;
    const preparation = this.#prepare(files, folders, choice.signal).then(async (prepared) => {
      await previous;
      await this.#add(queue, prepared, choice);
    });
    this.#lastPreparation = preparation.catch(() => {});
    await preparation.finally(() => {
      this.#preparing -= 1;
      this.host.onIdle();
    });
  }

  async #prepare(
    files: readonly PickedFile[],
    folders: readonly FileSystemEntry[],
    signal: AbortSignal,
  ): Promise<readonly Chosen[]> {
    const imageOptions = this.host.imageOptions();
    const withEmpty = this.host.acceptsEmptyFolders();
    try {
      const collectFiles = await loadChunk('collectFiles', () => import('./collect-files.js'));
      return await collectFiles(files, folders, imageOptions, signal, withEmpty, this.host.element);
    } catch (cause) {
      return failedEntries(files, folders, asBlobError(cause));
    }
  }

  async #add(queue: UploadQueue, chosen: readonly Chosen[], choice: AbortController): Promise<void> {
    if (chosen.length === 0 || choice.signal.aborted) return;
    // As in a native input, the first accepted file replaces a single file. Until then the earlier choice stays.
    let mustReplace = !this.host.acceptsMultiple();
    let processed = 0;
    const addSlice = (slice: readonly Chosen[]) => {
      processed += slice.length;
      const added = queue.add(
        slice.filter((file) => this.#isAllowedByPage(file)),
        mustReplace,
      );
      if (!mustReplace || !added.some(({ state }) => state.status === 'queued')) return;
      mustReplace = false;
      this.abort(choice);
      this.host.onReplace();
    };
    this.#adding.add(choice);
    // The first slice is added before this returns.
    const addAll = processInSlices(chosen, addSlice, choice.signal);
    if (processed === chosen.length) this.#adding.delete(choice);
    else this.host.onBusyChange();
    await addAll;
    if (this.#adding.delete(choice)) this.host.onIdle();
    if (this.host.isSubmitPending()) queue.start();
    emitChange(this.host.element);
  }

  /** Fires `svc-file-add`. Files that failed already are listed without asking the page. */
  #isAllowedByPage({ file, relativePath, url, preparationError }: Chosen): boolean {
    return preparationError !== undefined || emit(this.host.element, 'svc-file-add', { file, relativePath, url });
  }
}

/** Lists files and folders as failed that could not be prepared. Unprepared files must not be uploaded, nor get lost. */
function failedEntries(files: readonly PickedFile[], folders: readonly FileSystemEntry[], error: BlobError): Chosen[] {
  const folderRows = folders.map((folder) => ({ file: new File([], folder.name), relativePath: '', folder }));
  return [...files, ...folderRows].map((entry): Chosen => ({ ...entry, preparationError: error }));
}
