import type { LineEntry } from '../../backend/line-log.js';
import type { Mode } from '../../backend/line.js';
import { element } from '../element.js';
import { sizeInWords } from '../size.js';
import { fateOf, subjectOf } from './fate.js';
import type { RequestLine } from './fate.js';

const POLL = 300;
const SHOWN = 60;

const MODE_WORDS: Readonly<Record<Mode, string>> = {
  clear: 'The line is clear',
  slow: 'The line is slow',
  flaky: 'The line is flaky',
  busy: 'The service is busy',
  expired: 'Tokens have expired',
  offline: 'The line is down',
};

function requestRow(entry: RequestLine): HTMLElement {
  const { method, path, sent, size, outcome } = entry;
  const { text, tone } = fateOf(entry);
  const bytes = size === null ? '' : outcome === 'open' ? `${sizeInWords(sent)} of ${sizeInWords(size)}` : sizeInWords(size);
  return element(
    'li',
    { class: 'request', 'data-outcome': outcome },
    element('span', { class: 'subject' }, subjectOf(entry)),
    element('span', { class: `fate ${tone}` }, text),
    element('span', { class: 'wire muted' }, element('code', {}, `${method} ${path}`), bytes && ` · ${bytes}`),
    element('progress', { max: String(size || 1), value: String(size ? sent : 1), 'aria-hidden': 'true' }),
  );
}

function row(entry: LineEntry): HTMLElement {
  if (entry.kind === 'request') return requestRow(entry);
  if (entry.kind === 'mode') return element('li', { class: 'turn' }, MODE_WORDS[entry.mode]);
  const words = entry.count === 1 ? 'Connection refused' : `${entry.count} connections refused`;
  return element('li', { class: 'request' }, element('span', { class: 'subject bad' }, words));
}

interface Answer {
  mode: Mode;
  last: number;
  entries: LineEntry[];
}

async function ask(query: string): Promise<Answer> {
  const response = await fetch(`/line${query}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`GET /line: ${response.status}`);
  return (await response.json()) as Answer;
}

/** Shows entries in a list, the newest first, and touches only what has changed. */
function listIn(list: HTMLElement): (entries: readonly LineEntry[]) => void {
  const shown = new Map<number, { text: string; row: HTMLElement }>();
  return (entries) => {
    if (entries.length > 0 && shown.size === 0) list.replaceChildren();
    for (const entry of entries) {
      const text = JSON.stringify(entry);
      const before = shown.get(entry.id);
      if (before?.text === text) continue;
      const made = row(entry);
      if (before) before.row.replaceWith(made);
      else list.prepend(made);
      shown.set(entry.id, { text, row: made });
    }
    while (list.childElementCount > SHOWN) list.lastElementChild!.remove();
  };
}

/** Lets a visitor break the line, and shows what has passed it since the page was opened. */
export async function watchLine(modes: HTMLFormElement, monitor: HTMLElement): Promise<void> {
  modes.addEventListener('change', () => {
    const mode = new FormData(modes).get('mode');
    void fetch('/line', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ mode }) });
  });
  const { mode, last } = await ask('');
  (modes.elements.namedItem('mode') as RadioNodeList).value = mode;
  const show = listIn(monitor);
  const look = async (): Promise<void> => {
    if (document.visibilityState === 'visible') show((await ask(`?after=${last}`)).entries);
  };
  const again = (): void => void look().finally(() => setTimeout(again, POLL));
  again();
}
