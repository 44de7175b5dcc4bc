import type { Transport } from '../../../src/protocol/transport.js';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import { byId } from '../by-id.js';
import { createElement } from '../create-element.js';
import { explainRefusal } from './explain-refusal.js';
import { adviceFor, asSentence } from './messages.js';

interface FailedFile {
  path: string;
  code: string;
  /** Without the name of the file. */
  message: string;
  advice: string;
}

/** Causes, and files of one, that are shown. */
const SHOWN_MAX = 10;

/** Another try of the same file would be told the same. */
const FINAL_CODES = new Set(['EntityTooLarge', 'FileChanged', 'NameUnsafe', 'PreconditionFailed']);

const number = (count: number): string => count.toLocaleString('en');

/** What a message says of the file whose key it begins with. */
function withoutPath(message: string, path: string): string {
  const at = message.startsWith(path) ? 0 : message.indexOf(`/${path}`) + 1;
  if (!message.startsWith(path, at)) return asSentence(message);
  const rest = message.slice(at + path.length).replace(/^[:\s]+/, '');
  return asSentence(rest.charAt(0).toUpperCase() + rest.slice(1));
}

/** One cause, and what it befell. */
function causeItem(some: readonly FailedFile[]): HTMLElement {
  const { code, message, advice } = some[0]!;
  const paths = some
    .slice(0, SHOWN_MAX)
    .map(({ path }) => createElement('li', {}, createElement('code', { class: 'record-path', dir: 'auto' }, path)));
  const more = some.length - paths.length;
  if (more > 0) paths.push(createElement('li', { class: 'muted' }, `and ${number(more)} more`));
  const count = some.length === 1 ? '1 file' : `${number(some.length)} files`;
  return createElement(
    'li',
    {},
    createElement('p', { class: 'failure-cause' }, `${count}: ${message} `, createElement('span', { class: 'muted' }, code)),
    createElement('p', {}, advice),
    createElement('ul', {}, ...paths),
  );
}

/** The files that were given up, by cause, with what to do; those that go again leave the list. */
export function listFailures(uploader: SvcUploader): { noting(way: Transport): Transport } {
  const failed = new Map<string, FailedFile>();
  const paths = new Map<string, string>();
  let asked = false;
  const canPass = (): string[] => [...failed].filter(([, { code }]) => !FINAL_CODES.has(code)).map(([id]) => id);

  function draw(): void {
    asked = false;
    const section = byId('failures');
    // The focus must not vanish with the button it is on.
    if (failed.size === 0 && section.contains(document.activeElement)) uploader.focus();
    section.hidden = failed.size === 0;
    byId('failures-retry').hidden = canPass().length === 0;
    const causes = new Map<string, FailedFile[]>();
    for (const one of failed.values()) {
      const cause = `${one.code} ${one.message}`;
      const others = causes.get(cause);
      if (others === undefined) causes.set(cause, [one]);
      else others.push(one);
    }
    const shown = [...causes.values()].slice(0, SHOWN_MAX).map(causeItem);
    if (causes.size > SHOWN_MAX) shown.push(createElement('li', { class: 'muted' }, `and ${number(causes.size - SHOWN_MAX)} other causes`));
    byId('failures-list').replaceChildren(...shown);
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
    // What could not be read at all has no file.
    const { relativePath = '' } = (file === null && uploader.uploads.find((one) => one.id === id)) || {};
    const path = paths.get(id) ?? file?.name ?? relativePath;
    const code = String(error.details['s3_code'] ?? error.code);
    const advice = String(error.details['advice'] ?? adviceFor(code));
    failed.set(id, { path, code, message: withoutPath(error.message, path), advice });
    redraw();
  });
  uploader.addEventListener('svc-upload-start', ({ detail }) => forget(detail.id));
  // Those that were taken off the list, or wait for another try; looked for now and then, since a list may be long.
  setInterval(() => {
    if (failed.size === 0) return;
    const still = new Set(uploader.uploads.filter(({ state }) => state.status === 'failed').map(({ id }) => id));
    for (const id of failed.keys()) if (!still.has(id)) forget(id);
  }, 1000);
  byId('failures-retry').addEventListener('click', () => {
    for (const id of canPass()) uploader.retry(id);
  });
  return {
    /** The same way, remembering the path of what fails. */
    noting: (way) => ({
      ...way,
      async send(file, passage) {
        try {
          return await way.send(file, passage);
        } catch (error) {
          const path = file.relativePath || file.name;
          paths.set(file.id, path);
          throw explainRefusal(error, path);
        }
      },
    }),
  };
}
