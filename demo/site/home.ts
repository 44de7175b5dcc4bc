import type { FileRecord } from '../../src/protocol/types.js';
import { enableCopying } from './copy.js';
import { element } from './element.js';
import { sizeInWords } from './size.js';

enableCopying();

const list = document.getElementById('stored')!;
const empty = document.getElementById('stored-empty')!;
const MAX_SHOWN = 50;

/** One stored file as the service answered it. */
function row({ name, path, size, sha256, url }: FileRecord): HTMLElement {
  const title = url === null ? element('span', {}, name) : element('a', { href: url, target: '_blank', rel: 'noopener' }, name);
  return element(
    'li',
    { 'data-path': path, 'data-sha256': sha256 },
    element('div', { class: 'record-name' }, title, element('span', { class: 'muted' }, sizeInWords(size))),
    element('code', { class: 'record-path' }, path),
    element('code', { class: 'record-hash', title: `SHA-256 ${sha256}` }, `sha256 ${sha256.slice(0, 16)}…`),
  );
}

document.getElementById('uploader')!.addEventListener('svc-upload-success', (event) => {
  empty.hidden = true;
  list.prepend(row((event as CustomEvent<{ record: FileRecord }>).detail.record));
  while (list.childElementCount > MAX_SHOWN) list.lastElementChild!.remove();
});
