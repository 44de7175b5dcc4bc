import type { FileRecord } from '../../../src/protocol/types.js';
import type { SvcUploader } from '../../../src/uploader/element.js';
import { element } from '../element.js';
import { sizeInWords } from '../size.js';

type Uploader = HTMLElement & Pick<SvcUploader, 'uploads' | 'cancel'>;

/** `name`: as the person called it; the stored one ends in a random suffix. */
interface Stored {
  id: string;
  name: string;
  record: FileRecord;
}

/** Calls `act` with what is stored, at every change. */
const onChange = (uploader: Uploader, act: (stored: Stored[]) => void): void =>
  uploader.addEventListener('change', () =>
    act(uploader.uploads.flatMap(({ id, name, state }) => (state.status === 'done' ? { id, name, record: state.file } : []))),
  );

/** Shows the picture once it is stored, from where it is stored. */
export function avatarPicker(uploader: Uploader, image: HTMLImageElement, placeholder: HTMLElement): void {
  onChange(uploader, ([first]) => {
    const url = first?.record.url ?? null;
    image.hidden = url === null;
    placeholder.hidden = url !== null;
    if (url === null) image.removeAttribute('src');
    else if (image.src !== url) image.src = url;
  });
}

/** A list of a page's own in place of the element's rows, once files are stored. */
export function documentList(uploader: Uploader, list: HTMLElement): void {
  const [empty] = list.children;
  const row = ({ id, name, record: { size, created_at, url } }: Stored): HTMLElement => {
    const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(new Date(created_at));
    const title = url === null ? element('span', {}, name) : element('a', { href: url }, name);
    const remove = element('button', { type: 'button', class: 'copy', 'aria-label': `Remove ${name}` }, 'Remove');
    remove.addEventListener('click', () => uploader.cancel(id));
    return element('li', {}, title, element('span', { class: 'muted' }, `${sizeInWords(size)}, stored ${time}`), remove);
  };
  onChange(uploader, (stored) => list.replaceChildren(...(stored.length === 0 ? [empty!] : stored.map(row))));
}
