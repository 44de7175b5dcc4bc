import { hashOf } from './hash.js';

// The worker's own global; the page's types know none.
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<File>) => void;
  postMessage(hash: string | null, transfer: never[]): void;
};

/** A file in, its SHA-256 out; null when it could not be read. */
scope.onmessage = ({ data }) => {
  hashOf(data).then(
    (hash) => scope.postMessage(hash, []),
    () => scope.postMessage(null, []),
  );
};
