import type { UploadItem, UploadQueue, UploadState } from '../queue/types.js';
import type { FileRecord } from '../protocol/types.js';
import type { Announcer } from './announcer.js';
import { emit, emitChange } from './events.js';
import { errorText, rejectionText } from './locales/error-messages.js';
import type { Localizer } from './locales/localizer.js';
import { displayName } from './view/file-name.js';

/** What the element does when the queue has news. */
export interface QueueEventHost extends HTMLElement {
  readonly localizer: Localizer;
  readonly announcer: Announcer;
  /** The list has to be drawn anew before the next paint. */
  scheduleRender(): void;
  /** Counts changed, hence validity and states. */
  updateStatus(): void;
  fileStored(record: FileRecord): void;
  /** Nothing is on its way any more. */
  uploadsFinished(): void;
}

/** Turns the queue's events into the element's. Every one costs O(1), however many files there are. */
export function forwardQueueEvents(host: QueueEventHost, queue: UploadQueue): void {
  const started = new Set<string>();
  queue.on('add', ({ item }) => {
    if (item.state.status === 'rejected') forwardRejection(host, item);
    else if (item.state.status === 'queued') host.announcer.fileAdded();
    host.updateStatus();
    host.scheduleRender();
  });
  queue.on('change', ({ item, previous }) => {
    if (item.state.status === 'uploading' && !started.has(item.id)) {
      started.add(item.id);
      emit(host, 'svc-upload-start', { id: item.id, file: item.file });
    }
    // Begun again by the person, it starts anew.
    if (item.state.status === 'failed') started.delete(item.id);
    forwardChange(host, queue, item, previous);
    host.scheduleRender();
  });
  queue.on('remove', ({ item }) => {
    started.delete(item.id);
    host.updateStatus();
    host.scheduleRender();
  });
  queue.on('retry', ({ item, error, attempt }) =>
    emit(host, 'svc-upload-retry', { id: item.id, file: item.file, error, attempt }),
  );
  queue.on('stall', ({ item }) => emit(host, 'svc-upload-stall', { id: item.id, file: item.file }));
  queue.on('complete', (detail) => {
    host.announcer.uploadsCompleted(queue.totals);
    host.scheduleRender();
    emit(host, 'svc-complete', detail);
    host.uploadsFinished();
  });
  let { online } = queue;
  queue.on('status', (status) => {
    if (status.online !== online && queue.totals.active > 0) host.announcer.connectionChanged(status.online);
    online = status.online;
    host.updateStatus();
    host.scheduleRender();
  });
}

function forwardChange(host: QueueEventHost, queue: UploadQueue, item: UploadItem, previous: UploadState): void {
  const { id, file, size, state } = item;
  if (state.status !== previous.status) host.updateStatus();
  switch (state.status) {
    case 'uploading': {
      const before = 'sent' in previous ? previous.sent : 0;
      if (state.sent === before) return;
      host.announcer.uploadProgressed(queue.totals);
      emit(host, 'svc-upload-progress', { id, file, sent: state.sent, size });
      return;
    }
    case 'done':
      host.fileStored(state.file);
      emit(host, 'svc-upload-success', { id, file, record: state.file });
      emitChange(host);
      return;
    case 'failed': {
      const message = errorText(host.localizer, state.error);
      host.announcer.fileRejected(displayName(item), message);
      emit(host, 'svc-upload-error', { id, file, error: state.error, message });
      return;
    }
    case 'rejected':
      forwardRejection(host, item);
      // The last one may have been what a submit waited for: where nothing was sent, nothing completes.
      host.uploadsFinished();
      return;
    default:
  }
}

function forwardRejection(host: QueueEventHost, item: UploadItem): void {
  if (item.state.status !== 'rejected') return;
  const { code, details } = item.state.rejection;
  const message = rejectionText(host.localizer, item.state.rejection);
  host.announcer.fileRejected(displayName(item), message, code !== 'DUPLICATE_FILE');
  emit(host, 'svc-file-reject', { id: item.id, file: item.file, code, message, details });
}
