import type { FileRecord } from '../../../src/protocol/types.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { createElement } from '../create-element.js';
import { formatSize } from '../format-size.js';

type Uploader = HTMLElement & Pick<SvcUploader, 'uploads' | 'cancel'>;

/** Shows the stored picture. */
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

/** Shows stored and refused files in a list of the page. The element shows only running and failed uploads. */
export function documentList(uploader: Uploader, list: HTMLElement): void {
  const [empty] = list.children;
  /** Reasons for refused files, by id. */
  const refusals = new Map<string, string>();
  const createRow = (id: string, name: string, title: Node | string, description: HTMLElement): HTMLElement => {
    const remove = createElement('button', { type: 'button', class: 'copy', 'aria-label': `Remove ${name}` }, 'Remove');
    remove.addEventListener('click', () => {
      uploader.cancel(id);
      show();
    });
    return createElement('li', {}, title, description, remove);
  };
  const storedRow = (id: string, name: string, { size, created_at, url }: FileRecord): HTMLElement => {
    const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(new Date(created_at));
    const title = url === null ? createElement('span', {}, name) : createElement('a', { href: url }, name);
    return createRow(id, name, title, createElement('span', { class: 'muted' }, `${formatSize(size)}, stored ${time}`));
  };
  const show = (): void => {
    const rows = uploader.uploads.flatMap(({ id, name, state }) => {
      if (state.status === 'done') return storedRow(id, name, state.file);
      if (state.status !== 'rejected') return [];
      return createRow(
        id,
        name,
        createElement('span', {}, name),
        createElement('span', { class: 'bad' }, `Not added. ${refusals.get(id) ?? ''}`),
      );
    });
    list.replaceChildren(...(rows.length === 0 ? [empty!] : rows));
    uploader.classList.toggle('completed', rows.length === uploader.uploads.length);
  };
  uploader.addEventListener('svc-file-reject', (event) => {
    const { id, message } = (event as CustomEvent<{ id: string; message: string }>).detail;
    refusals.set(id, message);
    show();
  });
  for (const name of ['change', 'svc-upload-start']) uploader.addEventListener(name, show);
}
