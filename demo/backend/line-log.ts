import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { parseDispositionName } from '../../src/protocol/content-disposition.js';
import type { Mode } from './line.js';

/** One line of the playground's monitor. Ids grow with time. */
export type LineEntry = { id: number } & (
  | { kind: 'mode'; mode: Mode }
  /** Connections that were refused one after the other: of those nobody knows what they were for. */
  | { kind: 'refused'; count: number }
  | ({ kind: 'request' } & RequestEntry)
);

export interface RequestEntry {
  method: string;
  path: string;
  /** The file's, null where the request tells none, such as one of several files. */
  name: string | null;
  /** Which try of this file it is, from 1 on. */
  attempt: number;
  /** Bytes of the body that went through, and how many it has; null when unknown. */
  sent: number;
  size: number | null;
  status: number | null;
  outcome: SeenRequest['outcome'];
  /** Whether the line did something to it. */
  faulted: boolean;
}

const KEPT = 300;

/** Under which key the tries of one file, or of one group of files, are made. */
export const keyOf = ({ headers }: SeenRequest): string =>
  String(headers['idempotency-key'] ?? /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? '');

/** The name in a resumable upload's first request. */
function metadataName(metadata: string | string[] | undefined): string | undefined {
  const encoded = /(?:^|,)\s*filename (\S+?)(?:,|$)/.exec(String(metadata ?? ''))?.[1];
  return encoded && Buffer.from(encoded, 'base64').toString();
}

/** What happened on the line, in order: requests, refused connections and changes of mode. */
export class LineLog {
  #entries: { id: number; read: () => LineEntry }[] = [];
  #last = 0;
  /** Keeps connections that are refused one after the other in one line. */
  #refused: { count: number } | undefined;
  readonly #attempts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Id of the last entry; 0 before there is one. */
  get last(): number {
    return this.#last;
  }

  /** Everything after an entry, as it is now. */
  after(id: number): LineEntry[] {
    return this.#entries.filter((entry) => entry.id > id).map(({ read }) => read());
  }

  mode(mode: Mode): void {
    this.#add((id) => ({ id, kind: 'mode', mode }));
  }

  refused(): void {
    if (this.#refused) this.#refused.count++;
    else {
      const counted = { count: 1 };
      this.#add((id) => ({ id, kind: 'refused', count: counted.count }));
      this.#refused = counted;
    }
  }

  request(seen: SeenRequest): void {
    const { method, path, headers } = seen;
    const key = keyOf(seen);
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const said = parseDispositionName(headers['content-disposition'] ?? '') ?? metadataName(headers['upload-metadata']);
    if (said !== undefined) this.#names.set(key, said);
    if (key !== '') this.#attempts.set(key, attempt);
    const name = this.#names.get(key) ?? null;
    const length = headers['content-length'];
    this.#add((id) => ({
      id,
      kind: 'request',
      method,
      path: path.split('?')[0]!,
      name,
      attempt,
      sent: seen.requestBytes,
      size: length === undefined ? null : Number(length),
      status: seen.status ?? null,
      outcome: seen.outcome,
      faulted: seen.faulted,
    }));
  }

  #add(entry: (id: number) => LineEntry): void {
    const id = ++this.#last;
    this.#refused = undefined;
    this.#entries.push({ id, read: () => entry(id) });
    if (this.#entries.length > KEPT) this.#entries.shift();
    // What is no longer shown needs no name.
    for (const known of [this.#attempts, this.#names])
      if (known.size > KEPT) known.delete((known.keys() as Iterator<string>).next().value as string);
  }
}
