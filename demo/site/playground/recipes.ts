import type { FileRecord } from '../../../src/protocol/types.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { element } from '../element.js';
import { sizeInWords } from '../size.js';

type Uploader = HTMLElement & Pick<SvcUploader, 'uploads' | 'cancel'>;

/** Shows the picture once it is stored, from where it is stored. */
export function avatarPicker(uploader: Uploader, image: HTMLImageElement, placeholder: HTMLElement): void {
  uploader.addEventListener('change', () => {
    const [first] = uploader.uploads;
    const url = first?.state.status === 'done' ? first.state.file.url : null;
    image.hidden = url === null;
    placeholder.hidden = url !== null;
    if (url === null) image.removeAttribute('src');
    else if (image.src !== url) image.src = url;
  });
}

/** A list of a page's own in place of the element's rows, which show only what is on its way or has to be tried again. */
export function documentList(uploader: Uploader, list: HTMLElement): void {
  const [empty] = list.children;
  /** Why a file was refused, by its id. */
  const refusals = new Map<string, string>();
  const row = (id: string, name: string, title: Node | string, says: HTMLElement): HTMLElement => {
    const remove = element('button', { type: 'button', class: 'copy', 'aria-label': `Remove ${name}` }, 'Remove');
    remove.addEventListener('click', () => {
      uploader.cancel(id);
      show();
    });
    return element('li', {}, title, says, remove);
  };
  const storedRow = (id: string, name: string, { size, created_at, url }: FileRecord): HTMLElement => {
    const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(new Date(created_at));
    const title = url === null ? element('span', {}, name) : element('a', { href: url }, name);
    return row(id, name, title, element('span', { class: 'muted' }, `${sizeInWords(size)}, stored ${time}`));
  };
  const show = (): void => {
    const rows = uploader.uploads.flatMap(({ id, name, state }) => {
      if (state.status === 'done') return storedRow(id, name, state.file);
      if (state.status !== 'rejected') return [];
      return row(id, name, element('span', {}, name), element('span', { class: 'bad' }, `Not added. ${refusals.get(id) ?? ''}`));
    });
    list.replaceChildren(...(rows.length === 0 ? [empty!] : rows));
    uploader.classList.toggle('settled', rows.length === uploader.uploads.length);
  };
  uploader.addEventListener('svc-file-reject', (event) => {
    const { id, message } = (event as CustomEvent<{ id: string; message: string }>).detail;
    refusals.set(id, message);
    show();
  });
  for (const name of ['change', 'svc-upload-start']) uploader.addEventListener(name, show);
}
