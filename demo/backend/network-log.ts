import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { parseDispositionName } from '../../src/protocol/content-disposition.js';
import type { NetworkMode } from './network-modes.js';

/** One entry of the playground's request list. Ids grow with time. */
export type NetworkLogEntry = { id: number } & (
  | { kind: 'mode'; mode: NetworkMode }
  /** Refused connections in a row. The proxy does not know their requests. */
  | { kind: 'refused'; count: number }
  | ({ kind: 'request' } & RequestFields)
);

export interface RequestFields {
  method: string;
  path: string;
  /** Name of the file, or null if the request names none or several. */
  name: string | null;
  /** Number of the attempt for this file, from 1. */
  attempt: number;
  /** Bytes of the body that were forwarded. */
  sent: number;
  /** Bytes of the whole body, or null if unknown. */
  size: number | null;
  status: number | null;
  outcome: SeenRequest['outcome'];
  /** Whether the simulated network changed this request. */
  faulted: boolean;
}

const MAX_ENTRIES = 300;

/** @returns a key that all attempts for one file, or one batch of files, have in common */
export const requestKey = ({ headers }: SeenRequest): string =>
  String(headers['idempotency-key'] ?? /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? '');

/** Reads the file name from the metadata of a resumable upload. */
function metadataName(metadata: string | string[] | undefined): string | undefined {
  const encoded = /(?:^|,)\s*filename (\S+?)(?:,|$)/.exec(String(metadata ?? ''))?.[1];
  return encoded && Buffer.from(encoded, 'base64').toString();
}

/** Records requests, refused connections and changes of the mode, in order. */
export class NetworkLog {
  #entries: { id: number; read: () => NetworkLogEntry }[] = [];
  #lastId = 0;
  /** Counts refused connections in a row in one entry. */
  #refusedConnections: { count: number } | undefined;
  readonly #attempts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Id of the last entry, or 0. */
  get last(): number {
    return this.#lastId;
  }

  /** @returns the entries after an id, in their current state */
  after(id: number): NetworkLogEntry[] {
    return this.#entries.filter((entry) => entry.id > id).map(({ read }) => read());
  }

  mode(mode: NetworkMode): void {
    this.#add((id) => ({ id, kind: 'mode', mode }));
  }

  refused(): void {
    if (this.#refusedConnections) {
      this.#refusedConnections.count++;
      return;
    }
    const counter = { count: 1 };
    this.#add((id) => ({ id, kind: 'refused', count: counter.count }));
    this.#refusedConnections = counter;
  }

  request(seen: SeenRequest): void {
    const { method, path, headers } = seen;
    const key = requestKey(seen);
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    if (key !== '') this.#attempts.set(key, attempt);
    const statedName = parseDispositionName(headers['content-disposition'] ?? '') ?? metadataName(headers['upload-metadata']);
    if (statedName !== undefined) this.#names.set(key, statedName);
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

  #add(entry: (id: number) => NetworkLogEntry): void {
    const id = ++this.#lastId;
    this.#refusedConnections = undefined;
    this.#entries.push({ id, read: () => entry(id) });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    for (const map of [this.#attempts, this.#names]) if (map.size > MAX_ENTRIES) deleteOldest(map);
  }
}

function deleteOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  map.delete(oldest!);
}
