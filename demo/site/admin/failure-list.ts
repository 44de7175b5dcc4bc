import type { Transport } from '../../../src/protocol/transport.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { createElement } from '../create-element.js';
import { explainRefusal } from './explain-refusal.js';
import { adviceFor, asSentence } from './messages.js';

interface FailedFile {
  path: string;
  code: string;
  /** Message of the error, without the name of the file. */
  message: string;
  advice: string;
}

/** Number of causes, and of files for each cause, that are shown. */
const SHOWN_MAX = 10;

/** Errors that another attempt of the same file would meet again. */
const FINAL_CODES = new Set(['EntityTooLarge', 'FileChanged', 'NameUnsafe', 'PreconditionFailed']);

const formatCount = (count: number): string => count.toLocaleString('en');

/** Removes the path from the beginning of a message. */
function withoutPath(message: string, path: string): string {
  const start = message.startsWith(path) ? 0 : message.indexOf(`/${path}`) + 1;
  if (!message.startsWith(path, start)) return asSentence(message);
  const rest = message.slice(start + path.length).replace(/^[:\s]+/, '');
  return asSentence(rest.charAt(0).toUpperCase() + rest.slice(1));
}

/** Creates the entry of one cause with its files. */
function causeItem(files: readonly FailedFile[]): HTMLElement {
  const { code, message, advice } = files[0]!;
  const paths = files
    .slice(0, SHOWN_MAX)
    .map(({ path }) => createElement('li', {}, createElement('code', { class: 'record-path', dir: 'auto' }, path)));
  const more = files.length - paths.length;
  if (more > 0) paths.push(createElement('li', { class: 'muted' }, `and ${formatCount(more)} more`));
  const count = files.length === 1 ? '1 file' : `${formatCount(files.length)} files`;
  const codeElement = createElement('span', { class: 'muted' }, code);
  return createElement(
    'li',
    {},
    createElement('p', { class: 'failure-cause' }, `${count}: ${message} `, codeElement),
    createElement('p', {}, advice),
    createElement('ul', {}, ...paths),
  );
}

/** Returns the items of the list: one for each cause, and a last one that counts the causes which are not shown. */
function causeItems(files: Iterable<FailedFile>): HTMLElement[] {
  const causes = new Map<string, FailedFile[]>();
  for (const file of files) {
    const cause = `${file.code} ${file.message}`;
    causes.set(cause, [...(causes.get(cause) ?? []), file]);
  }
  const items = [...causes.values()].slice(0, SHOWN_MAX).map(causeItem);
  const more = causes.size - SHOWN_MAX;
  if (more > 0) items.push(createElement('li', { class: 'muted' }, `and ${formatCount(more)} other causes`));
  return items;
}

/** Lists failed files by cause, with advice. Files that are sent again leave the list. */
export function listFailures(uploader: SvcUploader): { recordPaths(transport: Transport): Transport } {
  const failed = new Map<string, FailedFile>();
  const paths = new Map<string, string>();
  let isDrawScheduled = false;
  const retryableIds = (): string[] => [...failed].filter(([, { code }]) => !FINAL_CODES.has(code)).map(([id]) => id);

  function draw(): void {
    isDrawScheduled = false;
    const section = byId('failures');
    // Moves the focus before its button disappears.
    if (failed.size === 0 && section.contains(document.activeElement)) uploader.focus();
    section.hidden = failed.size === 0;
    byId('failures-retry').hidden = retryableIds().length === 0;
    byId('failures-list').replaceChildren(...causeItems(failed.values()));
  }
  function scheduleDraw(): void {
    if (!isDrawScheduled) requestAnimationFrame(draw);
    isDrawScheduled = true;
  }
  const forget = (id: string): void => {
    paths.delete(id);
    if (failed.delete(id)) scheduleDraw();
  };

  uploader.addEventListener('svc-upload-error', ({ detail: { id, file, error } }) => {
    // A file that could not be read has no File object.
    const { relativePath = '' } = (file === null && uploader.uploads.find((upload) => upload.id === id)) || {};
    const path = paths.get(id) ?? file?.name ?? relativePath;
    const code = String(error.details['s3_code'] ?? error.code);
    const advice = String(error.details['advice'] ?? adviceFor(code));
    failed.set(id, { path, code, message: withoutPath(error.message, path), advice });
    scheduleDraw();
  });
  uploader.addEventListener('svc-upload-start', ({ detail }) => forget(detail.id));
  // No event tells that a file left the list or waits for another attempt. The list may be long, so it is read once a second.
  setInterval(() => {
    if (failed.size === 0) return;
    const stillFailed = new Set(uploader.uploads.filter(({ state }) => state.status === 'failed').map(({ id }) => id));
    for (const id of failed.keys()) if (!stillFailed.has(id)) forget(id);
  }, 1000);
  byId('failures-retry').addEventListener('click', () => {
    for (const id of retryableIds()) uploader.retry(id);
  });
  return {
    /** Wraps a transport and records the path of each failed file. */
    recordPaths: (transport) => ({
      ...transport,
      async send(file, context) {
        try {
          return await transport.send(file, context);
        } catch (error) {
          const path = file.relativePath || file.name;
          paths.set(file.id, path);
          throw explainRefusal(error, path);
        }
      },
    }),
  };
}
