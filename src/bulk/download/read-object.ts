import { headExistingObject } from '../list/key-list.js';
import { getObject } from '../s3/commands/get-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { Store } from '../s3/object-store.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { RunOptions } from '../transfer/run-options.js';
import { createQueryContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { Place } from '../types.js';
import { requireInteger } from '../validate.js';
import { expectedDigest } from '../verify/expected-digest.js';
import { checksumMismatch, runningDigest } from '../verify/running-digest.js';
import { tooLong, tooShort } from './fetch-range.js';

/** Options of `read`. */
export interface ReadOptions extends RunOptions {
  /** Ranges of 8 MiB that are fetched in advance, 1 to 1024. @default 4 */
  ahead?: number;
}

/**
 * Yields the bytes of one object in order, and fetches the next ranges meanwhile. At the end it verifies the whole object if the
 * store keeps a checksum of it, or an ETag and the size of the parts.
 * @throws S3Error as `headExistingObject`, `FileChanged`, `ChecksumMismatch`
 */
export async function* readObject(store: Store, from: Place, options: ReadOptions): AsyncGenerator<Uint8Array> {
  requireInteger('ahead', options.ahead, 1, 1024);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const context = createQueryContext(store, { ...options, signal });
  const { bucket, prefix: key } = from;
  const head = await headExistingObject(context, bucket, key, '');
  const expected = await expectedDigest(context, bucket, key, head);
  const running = expected.kind === 'none' ? undefined : runningDigest(store.digests, expected);
  const fetching: Promise<Uint8Array>[] = [];
  let next = 0;
  const prefetch = (): void => {
    while (next < head.size && fetching.length < (options.ahead ?? 4)) {
      const range = fetchRange(context, from, head, next);
      // The loop below throws the error when it gets to this range.
      range.catch(() => {});
      fetching.push(range);
      next += DEFAULT_PART_SIZE;
    }
  };
  try {
    for (let position = 0; position < head.size;) {
      prefetch();
      const bytes = await fetching.shift()!;
      running?.update(bytes);
      position += bytes.length;
      yield bytes;
    }
  } finally {
    // Aborts the ranges in advance after an error, or when the caller needs no more.
    stop.abort();
  }
  if (expected.kind !== 'none' && running?.value() !== expected.value) throw checksumMismatch(key);
}

function fetchRange(context: TransferContext, from: Place, head: ObjectHead, start: number): Promise<Uint8Array> {
  const { bucket, prefix: key } = from;
  const { signal, store } = context;
  const size = Math.min(DEFAULT_PART_SIZE, head.size - start);
  const range = { start, end: start + size - 1 };
  return context.executor.request(key, size, async () => {
    const bytes = new Uint8Array(size);
    let received = 0;
    const onData = (piece: Uint8Array): void => {
      if (received + piece.length > size) throw tooLong(key, size);
      bytes.set(piece, received);
      received += piece.length;
    };
    await getObject(store, { bucket, key, range, ifMatch: head.etag, signal, onData });
    if (received !== size) throw tooShort(key, received, size);
    return bytes;
  });
}
