import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { element } from '../element.js';

type Uploader = HTMLElement & Pick<SvcUploader, 'validationMessage' | 'updateComplete'>;

const KEPT = 30;

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

/** Lists what the element fires, the newest first, with the seconds since the first. */
function logEvents(uploader: HTMLElement, log: HTMLElement): void {
  let first: number | undefined;
  for (const name of EVENTS)
    uploader.addEventListener(name, (event) => {
      const { file } = ((event as CustomEvent<{ file?: File | null } | undefined>).detail ?? {}) as { file?: File | null };
      if (first === undefined) log.replaceChildren();
      first ??= event.timeStamp;
      const passed = `${((event.timeStamp - first) / 1000).toFixed(2)} s`;
      log.prepend(
        element(
          'li',
          {},
          element('code', {}, name),
          element('span', {}, file?.name ?? ''),
          element('span', { class: 'muted' }, passed),
        ),
      );
      if (log.childElementCount > KEPT) log.lastElementChild!.remove();
    });
}

/** Shows beside the form what it would send, whether it may, and what happens. @returns shows it anew */
export function watchStage(stage: HTMLFormElement, uploader: Uploader): () => Promise<void> {
  const entries = (): string => [...new FormData(stage)].map(([name, value]) => `${name}=${String(value)}`).join('\n');
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
  stage.addEventListener('submit', (event) => {
    // Whoever waits for files has stopped it, and sends it again.
    if (event.defaultPrevented) return;
    event.preventDefault();
    byId('sent').textContent = `Sent: ${entries() || 'nothing'}`;
  });
  stage.addEventListener('reset', () => {
    byId('sent').textContent = '';
    // Its controls are reset after this event.
    setTimeout(show);
  });
  return show;
}
