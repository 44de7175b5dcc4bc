import type { NetworkLogEntry } from '../../backend/network-log.js';
import { formatSize } from '../format-size.js';

export type RequestEntry = Extract<NetworkLogEntry, { kind: 'request' }>;

export interface OutcomeText {
  text: string;
  tone: 'good' | 'bad' | '';
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'The token has expired',
  // The service still stores an earlier attempt.
  409: 'Still being stored',
  429: 'Try again in 2 seconds',
};

/** Describes the outcome of a request. */
export function outcomeText({ outcome, status, sent, faulted }: RequestEntry): OutcomeText {
  if (outcome === 'open') return { text: 'Sending', tone: '' };
  if (outcome === 'broken') {
    if (status !== null && faulted) {
      const lost = status < 400 ? 'Stored, response lost' : 'Response lost';
      return { text: `${status} · ${lost}`, tone: 'bad' };
    }
    return { text: sent > 0 ? `Cut after ${formatSize(sent)}` : 'Cut', tone: 'bad' };
  }
  if (status !== null && status < 400) return { text: `${status} · Stored`, tone: 'good' };
  return { text: `${status} · ${REFUSALS[status ?? 0] ?? 'Refused'}`, tone: 'bad' };
}

/** Names the file of a request and the number of the attempt. */
export function requestTitle({ name, path, method, attempt }: RequestEntry): string {
  const title = name ?? (path.endsWith('/batch') ? 'Small files in one request' : `${method} ${path}`);
  return attempt > 1 ? `${title}, attempt ${attempt}` : title;
}
