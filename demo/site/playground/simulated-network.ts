import type { NetworkLogEntry } from '../../backend/network-log.js';
import type { NetworkMode } from '../../backend/network-modes.js';
import { createElement } from '../create-element.js';
import { formatSize } from '../format-size.js';
import { outcomeText, requestTitle } from './outcome-text.js';
import type { RequestEntry } from './outcome-text.js';

const POLL_MS = 300;
const MAX_ROWS = 60;

const MODE_TEXT: Readonly<Record<NetworkMode, string>> = {
  clear: 'The network works',
  slow: 'The network is slow',
  flaky: 'The network is unreliable',
  busy: 'The service is busy',
  expired: 'Tokens have expired',
  offline: 'The network is offline',
};

function bytesText({ outcome, sent, size }: RequestEntry): string {
  if (size === null) return '';
  return outcome === 'open' ? `${formatSize(sent)} of ${formatSize(size)}` : formatSize(size);
}

function requestRow(entry: RequestEntry): HTMLElement {
  const { method, path, sent, size, outcome } = entry;
  const { text, tone } = outcomeText(entry);
  const bytes = bytesText(entry);
  return createElement(
    'li',
    { class: 'request', 'data-outcome': outcome },
    createElement('span', { class: 'request-title' }, requestTitle(entry)),
    createElement('span', { class: `outcome ${tone}` }, text),
    createElement(
      'span',
      { class: 'request-line muted' },
      createElement('code', {}, `${method} ${path}`),
      bytes && ` · ${bytes}`,
    ),
    createElement('progress', { max: String(size || 1), value: String(size ? sent : 1), 'aria-hidden': 'true' }),
  );
}

function entryRow(entry: NetworkLogEntry): HTMLElement {
  if (entry.kind === 'request') return requestRow(entry);
  if (entry.kind === 'mode') return createElement('li', { class: 'mode-change' }, MODE_TEXT[entry.mode]);
  const text = entry.count === 1 ? 'Connection refused' : `${entry.count} connections refused`;
  return createElement('li', { class: 'request' }, createElement('span', { class: 'request-title bad' }, text));
}

interface NetworkState {
  mode: NetworkMode;
  last: number;
  entries: NetworkLogEntry[];
}

async function fetchState(query: string): Promise<NetworkState> {
  const response = await fetch(`/network${query}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`GET /network: ${response.status}`);
  return (await response.json()) as NetworkState;
}

/** Returns a function that shows entries in a list, the newest first. It replaces only rows that changed. */
function createList(list: HTMLElement): (entries: readonly NetworkLogEntry[]) => void {
  const shown = new Map<number, { text: string; row: HTMLElement }>();
  return (entries) => {
    if (entries.length > 0 && shown.size === 0) list.replaceChildren();
    for (const entry of entries) {
      const text = JSON.stringify(entry);
      const previous = shown.get(entry.id);
      if (previous?.text === text) continue;
      const row = entryRow(entry);
      if (previous) previous.row.replaceWith(row);
      else list.prepend(row);
      shown.set(entry.id, { text, row });
    }
    while (list.childElementCount > MAX_ROWS) list.lastElementChild!.remove();
  };
}

/** Lets a visitor choose the mode of the simulated network, and lists the requests since the page was opened. */
export async function watchSimulatedNetwork(modes: HTMLFormElement, list: HTMLElement): Promise<void> {
  modes.addEventListener('change', () => {
    const mode = new FormData(modes).get('mode');
    const headers = { 'content-type': 'application/json' };
    void fetch('/network', { method: 'POST', headers, body: JSON.stringify({ mode }) });
  });
  const { mode, last } = await fetchState('');
  (modes.elements.namedItem('mode') as RadioNodeList).value = mode;
  const show = createList(list);
  const refresh = async (): Promise<void> => {
    if (document.visibilityState === 'visible') show((await fetchState(`?after=${last}`)).entries);
  };
  const poll = (): void => void refresh().finally(() => setTimeout(poll, POLL_MS));
  poll();
}
