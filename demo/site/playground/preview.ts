import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { createElement } from '../create-element.js';

type Uploader = HTMLElement & Pick<SvcUploader, 'validationMessage' | 'updateComplete'>;

const MAX_EVENTS = 30;

const EVENTS = [
  'change',
  'invalid',
  'svc-file-add',
  'svc-file-reject',
  'svc-upload-start',
  'svc-upload-retry',
  'svc-upload-stall',
  'svc-upload-success',
  'svc-upload-error',
  'svc-complete',
];

/** Lists the events of the element, the newest first, with the seconds since the first event. */
function logEvents(uploader: HTMLElement, log: HTMLElement): void {
  let firstTime: number | undefined;
  for (const name of EVENTS)
    uploader.addEventListener(name, (event) => {
      const { file } = ((event as CustomEvent<{ file?: File | null } | undefined>).detail ?? {}) as { file?: File | null };
      if (firstTime === undefined) log.replaceChildren();
      firstTime ??= event.timeStamp;
      const seconds = `${((event.timeStamp - firstTime) / 1000).toFixed(2)} s`;
      log.prepend(
        createElement(
          'li',
          {},
          createElement('code', {}, name),
          createElement('span', {}, file?.name ?? ''),
          createElement('span', { class: 'muted' }, seconds),
        ),
      );
      if (log.childElementCount > MAX_EVENTS) log.lastElementChild!.remove();
    });
}

/** Shows the form data, the validity and the events of the previewed element. @returns a function that shows them again */
export function watchPreview(form: HTMLFormElement, uploader: Uploader): () => Promise<void> {
  const entries = (): string => [...new FormData(form)].map(([name, value]) => `${name}=${String(value)}`).join('\n');
  const show = async (): Promise<void> => {
    await uploader.updateComplete;
    byId('value').textContent = entries() || 'empty';
    const { validationMessage } = uploader;
    byId('validity').textContent = validationMessage || 'valid';
    byId('validity').classList.toggle('bad', validationMessage !== '');
  };
  logEvents(uploader, byId('events'));
  for (const name of ['change', 'svc-file-add', 'svc-file-reject', 'svc-upload-error', 'svc-complete'])
    uploader.addEventListener(name, show);
  form.addEventListener('submit', (event) => {
    // The element canceled this submit to wait for files. It submits again.
    if (event.defaultPrevented) return;
    event.preventDefault();
    byId('sent').textContent = `Sent: ${entries() || 'nothing'}`;
  });
  form.addEventListener('reset', () => {
    byId('sent').textContent = '';
    // The browser resets the controls after this event.
    setTimeout(show);
  });
  return show;
}
