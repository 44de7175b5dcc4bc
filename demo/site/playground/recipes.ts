import type { FileRecord } from '../../../src/protocol/types.js';
import { element } from '../element.js';
import { sizeInWords } from '../size.js';

const onStored = (uploader: HTMLElement, act: (record: FileRecord) => void): void =>
  uploader.addEventListener('svc-upload-success', (event) => act((event as CustomEvent<{ record: FileRecord }>).detail.record));

/** Shows the picture once it is stored, from where it is stored. */
export function avatarPicker(uploader: HTMLElement, image: HTMLImageElement, placeholder: HTMLElement): void {
  onStored(uploader, ({ url }) => {
    if (url === null) return;
    image.src = url;
    image.hidden = false;
    placeholder.hidden = true;
  });
}

/** Keeps a list of what was added. */
export function documentList(uploader: HTMLElement, list: HTMLElement, empty: HTMLElement): void {
  onStored(uploader, ({ name, size, created_at }) => {
    empty.remove();
    const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(new Date(created_at));
    list.append(
      element('li', {}, element('span', {}, name), element('span', { class: 'muted' }, `${sizeInWords(size)}, stored ${time}`)),
    );
  });
}
