import type { UploadItem, UploadQueue, UploadState } from '../queue/types.js';
import type { FileRecord } from '../protocol/types.js';
import type { LazyAnnouncer } from './lazy-announcer.js';
import { emit, emitChange } from './events.js';
import { errorText, rejectionText } from './locales/error-messages.js';
import type { ErrorTexts } from './locales/error-messages.js';
import type { Localizer } from './locales/localizer.js';
import { displayName } from './view/display-name.js';

/** The part of the element that reacts to events of the queue. */
export interface QueueEventHost extends HTMLElement {
  readonly localizer: Localizer;
  readonly errorTexts: ErrorTexts | null;
  readonly announcer: LazyAnnouncer;
  /** Renders before the next paint. */
  scheduleRender(): void;
  /** Updates validity and custom states, because counts changed. */
  updateStatus(): void;
  fileStored(record: FileRecord): void;
  /** No file is queued or being sent any more. */
  uploadsFinished(): void;
}

/** Turns events of the queue into events of the element. Each costs O(1), however many files there are. */
export function forwardQueueEvents(host: QueueEventHost, queue: UploadQueue): void {
  const started = new Set<string>();
  queue.on('add', ({ item }) => {
    if (item.state.status === 'rejected') forwardRejection(host, item);
    else if (item.state.status === 'queued') host.announcer.announce((announcer) => announcer.fileAdded());
    host.updateStatus();
    host.scheduleRender();
  });
  queue.on('change', ({ item, previous }) => {
    if (item.state.status === 'uploading' && !started.has(item.id)) {
      started.add(item.id);
      emit(host, 'svc-upload-start', { id: item.id, file: item.file });
    }
    // If the person retries the file, `svc-upload-start` is fired again.
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
    host.announcer.announce((announcer) => announcer.uploadsCompleted(queue.totals));
    host.scheduleRender();
    emit(host, 'svc-complete', detail);
    host.uploadsFinished();
  });
  let { online } = queue;
  queue.on('status', (status) => {
    if (status.online !== online && queue.totals.active > 0)
      host.announcer.announce((announcer) => announcer.connectionChanged(status.online));
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
      const previouslySent = 'sent' in previous ? previous.sent : 0;
      if (state.sent === previouslySent) return;
      host.announcer.announce((announcer) => announcer.uploadProgressed(queue.totals));
      emit(host, 'svc-upload-progress', { id, file, sent: state.sent, size });
      return;
    }
    case 'done':
      host.fileStored(state.file);
      emit(host, 'svc-upload-success', { id, file, record: state.file, fields: item.metadata ?? {} });
      emitChange(host);
      return;
    case 'failed': {
      const message = errorText(host.localizer, state.error, host.errorTexts);
      host.announcer.announce((announcer) => announcer.fileRejected(displayName(item), message));
      emit(host, 'svc-upload-error', { id, file, error: state.error, message });
      return;
    }
    case 'rejected':
      forwardRejection(host, item);
      // A submit may wait for this file. If nothing was sent, the queue fires no `complete`.
      host.uploadsFinished();
      return;
    default:
  }
}

function forwardRejection(host: QueueEventHost, item: UploadItem): void {
  if (item.state.status !== 'rejected') return;
  const { code, details } = item.state.rejection;
  const message = rejectionText(host.localizer, item.state.rejection);
  host.announcer.announce((announcer) => announcer.fileRejected(displayName(item), message, code !== 'DUPLICATE_FILE'));
  emit(host, 'svc-file-reject', { id: item.id, file: item.file, code, message, details });
}
