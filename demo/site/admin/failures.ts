import type { Transport } from '../../../src/protocol/transport.js';
import type { SvcUploader } from '../../../src/uploader/element.js';
import { byId } from '../by-id.js';
import { element } from '../element.js';
import { adviceFor } from './words.js';

interface Failed {
  path: string;
  code: string;
  message: string;
}

const SHOWN = 50;

function row({ path, code, message }: Failed): HTMLElement {
  return element(
    'li',
    {},
    element('code', { class: 'record-path' }, path),
    element('p', { class: 'fault' }, `${message} `, element('span', { class: 'muted' }, code)),
    element('p', {}, adviceFor(code)),
  );
}

/** The files that were given up, with what to do; those that go again leave the list. */
export function watchFailures(uploader: SvcUploader): { noting(way: Transport): Transport } {
  const failed = new Map<string, Failed>();
  const paths = new Map<string, string>();
  let asked = false;

  function draw(): void {
    asked = false;
    byId('failures').hidden = failed.size === 0;
    const shown = [...failed.values()].slice(0, SHOWN);
    byId('failures-list').replaceChildren(...shown.map(row));
    const more = failed.size - shown.length;
    byId('failures-more').hidden = more === 0;
    byId('failures-more').textContent = `and ${more.toLocaleString('en')} more`;
  }
  function redraw(): void {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  }
  const forget = (id: string): void => {
    paths.delete(id);
    if (failed.delete(id)) redraw();
  };

  uploader.addEventListener('svc-upload-error', ({ detail: { id, file, error } }) => {
    failed.set(id, {
      path: paths.get(id) ?? file?.name ?? '',
      code: String(error.details['s3_code'] ?? error.code),
      message: error.message,
    });
    redraw();
  });
  uploader.addEventListener('svc-upload-start', ({ detail }) => forget(detail.id));
  // Those that were taken off the list; looked for now and then, since a list may be long.
  setInterval(() => {
    if (failed.size === 0) return;
    const there = new Set(uploader.uploads.map(({ id }) => id));
    for (const id of failed.keys()) if (!there.has(id)) forget(id);
  }, 1000);
  byId('failures-retry').addEventListener('click', () => {
    for (const id of failed.keys()) uploader.retry(id);
  });
  return {
    /** The same way, remembering the path of what fails. */
    noting: (way) => ({
      ...way,
      async send(file, passage) {
        try {
          return await way.send(file, passage);
        } catch (error) {
          paths.set(file.id, file.relativePath || file.name);
          throw error;
        }
      },
    }),
  };
}
