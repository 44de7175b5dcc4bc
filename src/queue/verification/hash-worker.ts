import { hashFile } from './hash-file.js';

/** A file to hash, or the end of an earlier request. */
export interface HashRequest {
  id: number;
  /** Absent if the hash is not needed any more. */
  file?: Blob;
}

/** Message of the worker with its result. */
export interface HashResult {
  id: number;
  /** SHA-256 in lower-case hex; null if the file could not be read. */
  hash: string | null;
}

// The global scope of the worker, for which the page's types have no name.
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<HashRequest>) => void;
  postMessage(result: HashResult, transfer: never[]): void;
};

const running = new Map<number, AbortController>();
/** The files are hashed one after the other. In parallel they would take as long, and the first would end last. */
let queue: Promise<unknown> = Promise.resolve();

scope.onmessage = ({ data: { id, file } }) => {
  running.get(id)?.abort();
  if (!file) return;
  const controller = new AbortController();
  running.set(id, controller);
  queue = queue
    .then(() => hashFile(file, controller.signal))
    .then(
      (hash) => scope.postMessage({ id, hash }, []),
      () => scope.postMessage({ id, hash: null }, []),
    )
    .finally(() => running.delete(id));
};
