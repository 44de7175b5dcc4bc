import { EventEmitter } from './event-emitter.js';
import type { QueueItem } from './queue-item.js';
import { isUnreadable } from './errors.js';
import type { ListedFiles } from './file-rules.js';
import { UploadTotals } from './upload-totals.js';
import type { QueueEventMap, UploadState } from './types.js';

/** The files and their sums. A file's state changes here and nowhere else, and every change is told. */
export class QueueState {
  items: QueueItem[] = [];
  readonly totals = new UploadTotals();
  readonly events = new EventEmitter<QueueEventMap>();
  readonly #byId = new Map<string, QueueItem>();
  readonly #identities = new Map<string, QueueItem>();
  /** Files that came to an end since the last `complete`, and whether any did: it may have been taken off the list at once. */
  #ended = new Set<QueueItem>();
  #hasEnded = false;

  get listed(): ListedFiles {
    const { files, failed, bytes, failedBytes } = this.totals;
    // What failed may be in the list beside another in its place.
    return { files: files - failed, bytes: bytes - failedBytes, identities: this.#identities };
  }

  get(id: string): QueueItem | undefined {
    return this.#byId.get(id);
  }

  /** The file of the same path, size and date. */
  findDuplicate({ identity }: QueueItem): QueueItem | undefined {
    return this.#identities.get(identity);
  }

  /**
   * Finds the failed files that are chosen again, which nobody has to remove first: those of the same identity, and for each file that
   * could not be read, the one with its place in the folder, because a changed file has another size or date.
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
    this.#byId.set(item.id, item);
    this.totals.addFile(item, 1);
    if (item.file && item.state.status !== 'rejected') this.#identities.set(item.identity, item);
    this.events.emit('add', { item });
  }

  remove(items: ReadonlySet<QueueItem>): void {
    this.items = this.items.filter((item) => !items.has(item));
    for (const item of items) {
      item.isRemoved = true;
      this.#byId.delete(item.id);
      this.totals.addFile(item, -1);
      // What is stored is stored, whether it is listed or not.
      if (item.state.status !== 'done') this.#ended.delete(item);
      if (item.state.status !== 'rejected') this.#identities.delete(item.identity);
      this.events.emit('remove', { item });
    }
  }

  /** Puts a file at another place of the list. */
  move(item: QueueItem, to: number): void {
    this.items = this.items.filter((one) => one !== item).toSpliced(to, 0, item);
  }

  /** Changes nothing of a file that was taken off the list: it counts no more. */
  change(item: QueueItem, state: UploadState): void {
    if (item.isRemoved) return;
    const previous = item.state;
    if (state.status === 'done') this.#addProgress(item, item.size);
    item.state = state;
    this.totals.changeState(item, previous);
    if (state.status === 'done' || state.status === 'failed' || state.status === 'rejected') {
      this.#ended.add(item);
      this.#hasEnded = true;
    } else this.#ended.delete(item);
    if (state.status === 'rejected') this.#identities.delete(item.identity);
    this.events.emit('change', { item, previous });
  }

  /** Bytes the service has or that are on their way; less than before (a try that starts over) changes nothing. */
  setProgress(item: QueueItem, sent: number, attempt: number): void {
    const { state } = item;
    const phase = sent >= item.size ? 'finishing' : 'sending';
    const advanced = this.#addProgress(item, Math.min(sent, item.size));
    if (!advanced && state.status === 'uploading' && state.phase === phase && state.attempt === attempt) return;
    this.change(item, { status: 'uploading', phase, sent: item.sent, attempt });
  }

  /** Tells that everything came to an end, once. */
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
    item.sent = sent;
    this.totals.addSent(more, item.size);
    return true;
  }
}
