import type { UploadItem, UploadQueue, UploadState } from '../queue/types.js';
import type { FileRecord } from '../protocol/types.js';
import type { Announcer } from './announcer.js';
import { emit, emitChange } from './events.js';
import { wordsForError, wordsForRejection } from './locales/error-messages.js';
import type { Words } from './locales/messages.js';
import { nameOf } from './view/file-name.js';

/** What the element does when the queue has news. */
export interface RelayHost extends HTMLElement {
  readonly words: Words;
  readonly announcer: Announcer;
  /** The list has to be drawn anew before the next paint. */
  redraw(): void;
  /** Counts changed, hence validity and states. */
  recount(): void;
  stored(record: FileRecord): void;
  /** Nothing is on its way any more. */
  finished(): void;
}

/** Turns the queue's events into the element's. Every one costs O(1), however many files there are. */
export function relay(host: RelayHost, queue: UploadQueue): void {
  const started = new Set<string>();
  queue.on('add', ({ item }) => {
    if (item.state.status === 'rejected') refuse(host, item);
    else if (item.state.status === 'queued') host.announcer.added();
    host.recount();
    host.redraw();
  });
  queue.on('change', ({ item, previous }) => {
    if (item.state.status === 'uploading' && !started.has(item.id)) {
      started.add(item.id);
      emit(host, 'svc-upload-start', { id: item.id, file: item.file });
    }
    // Begun again by the person, it starts anew.
    if (item.state.status === 'failed') started.delete(item.id);
    changed(host, queue, item, previous);
    host.redraw();
  });
  queue.on('remove', ({ item }) => {
    started.delete(item.id);
    host.recount();
    host.redraw();
  });
  queue.on('retry', ({ item, error, attempt }) =>
    emit(host, 'svc-upload-retry', { id: item.id, file: item.file, error, attempt }),
  );
  queue.on('stall', ({ item }) => emit(host, 'svc-upload-stall', { id: item.id, file: item.file }));
  queue.on('complete', (detail) => {
    host.announcer.complete(queue.totals);
    host.redraw();
    emit(host, 'svc-complete', detail);
    host.finished();
  });
  let { online } = queue;
  queue.on('status', (status) => {
    if (status.online !== online && queue.totals.active > 0) host.announcer.connection(status.online);
    online = status.online;
    host.recount();
    host.redraw();
  });
}

function changed(host: RelayHost, queue: UploadQueue, item: UploadItem, previous: UploadState): void {
  const { id, file, size, state } = item;
  if (state.status !== previous.status) host.recount();
  switch (state.status) {
    case 'uploading': {
      const before = 'sent' in previous ? previous.sent : 0;
      if (state.sent === before) return;
      host.announcer.progress(queue.totals);
      emit(host, 'svc-upload-progress', { id, file, sent: state.sent, size });
      return;
    }
    case 'done':
      host.stored(state.file);
      emit(host, 'svc-upload-success', { id, file, record: state.file });
      emitChange(host);
      return;
    case 'failed': {
      const message = wordsForError(host.words, state.error);
      host.announcer.refused(nameOf(item), message);
      emit(host, 'svc-upload-error', { id, file, error: state.error, message });
      return;
    }
    case 'rejected':
      refuse(host, item);
      // The last one may have been what a submit waited for: where nothing was sent, nothing completes.
      host.finished();
      return;
    default:
  }
}

function refuse(host: RelayHost, item: UploadItem): void {
  if (item.state.status !== 'rejected') return;
  const { code, details } = item.state.rejection;
  const message = wordsForRejection(host.words, item.state.rejection);
  host.announcer.refused(nameOf(item), message, code !== 'DUPLICATE_FILE');
  emit(host, 'svc-file-reject', { id: item.id, file: item.file, code, message, details });
}
