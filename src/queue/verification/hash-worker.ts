import { hashFile } from './hash-file.js';

/** A file to hash, or the end of an earlier order. */
export interface HashRequest {
  id: number;
  /** Absent: the hash is not needed any more. */
  file?: Blob;
}

export interface HashResult {
  id: number;
  /** SHA-256 in lower-case hex; null when the file could not be read. */
  hash: string | null;
}

// The worker's own global; the page's types know none.
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<HashRequest>) => void;
  postMessage(result: HashResult, transfer: never[]): void;
};

const running = new Map<number, AbortController>();
/** One file after the other: side by side they would take as long together, and the first would come last. */
let turn: Promise<unknown> = Promise.resolve();

scope.onmessage = ({ data: { id, file } }) => {
  running.get(id)?.abort();
  if (!file) return;
  const controller = new AbortController();
  running.set(id, controller);
  turn = turn
    .then(() => hashFile(file, controller.signal))
    .then(
      (hash) => scope.postMessage({ id, hash }, []),
      () => scope.postMessage({ id, hash: null }, []),
    )
    .finally(() => running.delete(id));
};
