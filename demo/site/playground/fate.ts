import type { LineEntry } from '../../backend/line-log.js';
import { sizeInWords } from '../size.js';

export type RequestLine = Extract<LineEntry, { kind: 'request' }>;

export interface Fate {
  text: string;
  tone: 'good' | 'bad' | '';
}

/** What a refusal means here. 409: the try before is not over for the service yet. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: 'The token has expired',
  409: 'Still being stored',
  429: 'Come back in 2 seconds',
};

/** What became of a request, in words. Pure. */
export function fateOf({ outcome, status, sent, faulted }: RequestLine): Fate {
  if (outcome === 'open') return { text: 'Under way', tone: '' };
  if (outcome === 'broken') {
    if (status !== null && faulted)
      return { text: `${status} · ${status < 400 ? 'Stored, answer' : 'Answer'} lost`, tone: 'bad' };
    return { text: sent > 0 ? `Cut after ${sizeInWords(sent)}` : 'Cut', tone: 'bad' };
  }
  if (status !== null && status < 400) return { text: `${status} · Stored`, tone: 'good' };
  return { text: `${status} · ${REFUSALS[status ?? 0] ?? 'Refused'}`, tone: 'bad' };
}

/** Which file a request is about, and which try of it. */
export function subjectOf({ name, path, method, attempt }: RequestLine): string {
  const subject = name ?? (path.endsWith('/batch') ? 'Small files, together' : `${method} ${path}`);
  return attempt > 1 ? `${subject}, try ${attempt}` : subject;
}
