import type { LineRequest } from '../../backend/line.js';
import { element } from '../element.js';
import { sizeInWords } from '../size.js';

const POLL = 500;

/** What became of a request, in words. */
function fate({ outcome, status, sent }: LineRequest): { text: string; kind: string } {
  if (outcome === 'open') return { text: 'under way', kind: '' };
  if (outcome === 'broken')
    return status === null
      ? { text: `cut after ${sizeInWords(sent)}`, kind: 'bad' }
      : { text: `${status}, answer lost`, kind: 'bad' };
  return { text: String(status), kind: status !== null && status < 400 ? 'good' : 'bad' };
}

function row(request: LineRequest): HTMLElement {
  const { method, path, sent, size } = request;
  const { text, kind } = fate(request);
  const bar = element('progress', { max: String(size || 1), value: String(size ? sent : 1), 'aria-hidden': 'true' });
  const bytes = size ? `${sizeInWords(sent)} of ${sizeInWords(size)}` : '';
  return element(
    'li',
    { 'data-outcome': request.outcome },
    element('code', {}, `${method} ${path}`),
    element('span', { class: 'muted bytes' }, bytes),
    element('span', { class: `fate ${kind}` }, text),
    bar,
  );
}

/** Lets a visitor break the line, and shows what passes it. */
export function watchLine(modes: HTMLFormElement, monitor: HTMLElement): void {
  modes.addEventListener('change', () => {
    const mode = new FormData(modes).get('mode');
    void fetch('/line', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ mode }) });
  });
  let shown = '';
  const look = async (): Promise<void> => {
    if (document.visibilityState === 'visible') {
      const response = await fetch('/line', { cache: 'no-store' });
      const { mode, requests } = (await response.json()) as { mode: string; requests: LineRequest[] };
      const now = JSON.stringify(requests);
      if (now !== shown && requests.length > 0) monitor.replaceChildren(...requests.toReversed().map(row));
      if (shown === '') (modes.elements.namedItem('mode') as RadioNodeList).value = mode;
      shown = now;
    }
  };
  const again = (): void => {
    look()
      .catch(() => {})
      .finally(() => setTimeout(again, POLL));
  };
  again();
}
