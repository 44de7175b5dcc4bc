import type { FileRecord } from '../../src/protocol/types.js';
import { enableCopyButtons } from './copy-buttons.js';
import { createElement } from './create-element.js';
import { formatSize } from './format-size.js';

enableCopyButtons();

const list = document.getElementById('stored')!;
const empty = document.getElementById('stored-empty')!;
const MAX_SHOWN = 50;

/** Creates the entry of a stored file from its record. */
function recordItem({ name, path, size, sha256, url }: FileRecord): HTMLElement {
  const title =
    url === null ? createElement('span', {}, name) : createElement('a', { href: url, target: '_blank', rel: 'noopener' }, name);
  return createElement(
    'li',
    { 'data-path': path, 'data-sha256': sha256 },
    createElement('div', { class: 'record-name' }, title, createElement('span', { class: 'muted' }, formatSize(size))),
    createElement('code', { class: 'record-path' }, path),
    createElement('code', { class: 'record-hash', title: `SHA-256 ${sha256}` }, `sha256 ${sha256.slice(0, 16)}…`),
  );
}

document.getElementById('uploader')!.addEventListener('svc-upload-success', (event) => {
  empty.hidden = true;
  list.prepend(recordItem((event as CustomEvent<{ record: FileRecord }>).detail.record));
  while (list.childElementCount > MAX_SHOWN) list.lastElementChild!.remove();
});
