import { EventEmitter } from './event-emitter.js';
import type { QueueItem } from './queue-item.js';
import { isUnreadable } from './errors.js';
import type { ListedFiles } from './file-rules.js';
import { UploadTotals } from './upload-totals.js';
import type { QueueEventMap, UploadState } from './types.js';

/** The list of files and their totals. The state of a file changes only here, and every change emits an event. */
export class QueueState {
  items: QueueItem[] = [];
  readonly totals = new UploadTotals();
  /** Number of listed files that the service is asked to delete, see `delete-stored.ts`. */
  deleting = 0;
  readonly events = new EventEmitter<QueueEventMap>();
  readonly #byId = new Map<string, QueueItem>();
  readonly #identities = new Map<string, QueueItem>();
  /** Files that ended since the last `complete` event. `#hasEnded` stays true if they were removed at once. */
  #ended = new Set<QueueItem>();
  #hasEnded = false;

  get listed(): ListedFiles {
    const { files, failed, bytes, failedBytes } = this.totals;
    // A failed file does not count: the same file may be chosen again in its place.
    return { files: files - failed, bytes: bytes - failedBytes, identities: this.#identities };
  }

  get(id: string): QueueItem | undefined {
    return this.#byId.get(id);
  }

  /** Returns the listed file with the same path, size and date. */
  findDuplicate({ identity }: QueueItem): QueueItem | undefined {
    return this.#identities.get(identity);
  }

  /**
   * Finds the failed files that are chosen again, and that the choice replaces. They have the same path, size and date. A file that
   * could not be read only needs the same path, because a changed file has another size or date.
   */
  replacedBy(chosen: readonly QueueItem[]): QueueItem[] {
    if (this.totals.failed === 0) return [];
    const unreadable = new Map<string, QueueItem[]>();
    for (const item of this.items) {
      if (item.state.status !== 'failed' || !isUnreadable(item.state.error)) continue;
      const sharing = unreadable.get(item.displayPath);
      if (sharing) sharing.push(item);
      else unreadable.set(item.displayPath, [item]);
    }
    const replaced = new Set<QueueItem>();
    for (const item of chosen) {
      const same = this.findDuplicate(item) ?? unreadable.get(item.displayPath)?.shift();
      if (same?.state.status === 'failed') replaced.add(same);
    }
    return [...replaced];
  }

  add(item: QueueItem): void {
    this.items.push(item);
    this.#register(item);
  }

  #register(item: QueueItem): void {
    item.isRemoved = false;
    this.#byId.set(item.id, item);
    this.totals.addFile(item, 1);
    if ((item.file || item.url) && item.state.status !== 'rejected') this.#identities.set(item.identity, item);
    this.events.emit('add', { item });
  }

  /** @param restores lists the stored files again that the removed ones would have replaced */
  remove(items: ReadonlySet<QueueItem>, restores = false): void {
    this.items = this.items.flatMap((item) => (items.has(item) ? (restores && item.replaced) || [] : item));
    for (const item of items) {
      item.isRemoved = true;
      if (item.deletion === 'running') this.deleting--;
      this.#byId.delete(item.id);
      this.totals.addFile(item, -1);
      // A stored file counts as successful although it is no longer listed.
      if (item.state.status !== 'done') this.#ended.delete(item);
      if (item.state.status !== 'rejected') this.#identities.delete(item.identity);
      this.events.emit('remove', { item });
      if (restores && item.replaced) this.#register(item.replaced);
    }
  }

  /** Moves a file to another index of the list. */
  move(item: QueueItem, to: number): void {
    this.items = this.items.filter((other) => other !== item).toSpliced(to, 0, item);
  }

  /** Changes the state of a file, unless the file was removed from the list. */
  change(item: QueueItem, state: UploadState): void {
    if (item.isRemoved) return;
    const previous = item.state;
    if (state.status === 'done') this.#addProgress(item, item.size);
    if (state.status === 'waiting' && state.retryAt !== null) item.retriedError = state.error;
    else if (state.status !== 'uploading' && state.status !== 'queued') item.retriedError = undefined;
    item.state = state;
    this.totals.changeState(item, previous);
    if (state.status === 'done' || state.status === 'failed' || state.status === 'rejected') {
      this.#ended.add(item);
      this.#hasEnded = true;
    } else this.#ended.delete(item);
    if (state.status === 'rejected') this.#identities.delete(item.identity);
    this.events.emit('change', { item, previous });
  }

  /** Notes bytes that were sent. Fewer bytes than before change nothing: an attempt started over. */
  setProgress(item: QueueItem, sent: number, attempt: number): void {
    const { state } = item;
    const size = item.isSizeUnknown ? Infinity : item.size;
    const phase = sent >= size ? 'finishing' : 'sending';
    const advanced = this.#addProgress(item, Math.min(sent, size));
    if (!advanced && state.status === 'uploading' && state.phase === phase && state.attempt === attempt) return;
    this.change(item, { status: 'uploading', phase, sent: item.sent, attempt });
  }

  /** Emits `complete` once after the last queued or active file ended. */
  completeIfIdle(): void {
    if (this.totals.queued > 0 || this.totals.active > 0) return;
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    const ended = [...this.#ended];
    this.#ended = new Set();
    const successful = ended.filter(({ state }) => state.status === 'done');
    const failed = ended.filter(({ state }) => state.status === 'failed');
    this.events.emit('complete', { successful, failed });
  }

  #addProgress(item: QueueItem, sent: number): boolean {
    const more = sent - item.sent;
    if (more <= 0) return false;
    item.retriedError = undefined;
    item.sent = sent;
    this.totals.addSent(more, item.size);
    return true;
  }
}
