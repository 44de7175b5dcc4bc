import { loadChunk } from '../../queue/load-chunk.js';
import type { UploadItem, UploadQueue } from '../../queue/types.js';
import { BlobError } from '../../protocol/errors.js';
import type { LazyAnnouncer } from '../lazy-announcer.js';
import type { Localizer } from '../locales/localizer.js';
import { displayName } from './display-name.js';
import type { RowContext } from './row.js';
import { deletionErrorText } from './row-status.js';

/** The part of the element that the deletion of files changes. */
export interface DeletionHost extends HTMLElement {
  readonly localizer: Localizer;
  readonly announcer: LazyAnnouncer;
  /** The paths that the form sends changed. */
  valuesChanged(): void;
  /** Renders before the next paint. */
  scheduleRender(): void;
  cancel(id: string): void;
}

/** Deletes uploaded files that a person removes, and then takes them off the list. */
export class FileDeleter {
  constructor(private readonly host: DeletionHost) {}

  /** Returns the context of rows whose button deletes an uploaded file. */
  rowContext(row: RowContext, queue: UploadQueue): RowContext {
    const onRemove: RowContext['onRemove'] = (id) => {
      const item = queue.get(id);
      if (item?.state.status === 'done') void this.delete([item], queue, row);
      else row.onRemove(id);
    };
    return row.deletesFiles ? { ...row, onRemove } : row;
  }

  async delete(items: readonly UploadItem[], queue: UploadQueue, row: RowContext): Promise<void> {
    try {
      // The upload engine contains the tokens that stored the files.
      const deleteStored = await loadChunk('deleteStored', () => import('../../queue/upload-engine.js'));
      await deleteStored(items, {
        ...queue.context,
        onChange: (changed) => this.#onChange(changed),
        onDeleted: (item) => this.#takeOff(item, row),
      });
    } catch (cause) {
      // The engine did not load, so nothing was requested.
      for (const item of items) Object.assign(item, { deletion: cause });
      this.#onChange(items);
    }
  }

  #onChange(items: readonly UploadItem[]): void {
    this.host.valuesChanged();
    for (const item of items) {
      if (!(item.deletion instanceof BlobError)) continue;
      const text = deletionErrorText(this.host.localizer, item.deletion);
      this.host.announcer.announce((announcer) => announcer.fileRejected(displayName(item), text, false));
    }
    this.host.scheduleRender();
  }

  /** Takes a deleted file off the list. Leaves the focus where the person has moved it during the request. */
  #takeOff(item: UploadItem, row: RowContext): void {
    const focused = this.host.shadowRoot?.activeElement;
    if (focused?.closest('li')?.dataset['id'] === item.id) {
      row.onRemove(item.id, 'fileDeleted');
      return;
    }
    this.host.announcer.announce((announcer) => announcer.fileRemoved(displayName(item), 'fileDeleted'));
    this.host.cancel(item.id);
  }
}
