import { createQueryContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { requireInteger } from '../validate.js';
import { getObject } from '../s3/commands/get-object.js';
import { S3Error } from '../errors.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { Place } from '../types.js';
import type { Store } from '../s3/object-store.js';
import { headExistingObject } from '../list/key-list.js';
import { checksumMismatch, expectedDigest, runningDigest } from '../verify/content-digest.js';

export interface ReadOptions extends RunOptions {
  /** Ranges fetched ahead of the one that is given out. @default 4 */
  ahead?: number;
}

/**
 * The bytes of one object in order, a range at a time, the next ones fetched meanwhile. The whole is checked at the end, where the store tells
 * anything of it: a checksum, or an ETag and in what parts it was made.
 * @throws S3Error as `headExistingObject`, `FileChanged`, `ChecksumMismatch`
 */
export async function* readObject(store: Store, from: Place, options: ReadOptions): AsyncGenerator<Uint8Array> {
  requireInteger('ahead', options.ahead, 1, 1024);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const context = createQueryContext(store, { ...options, signal });
  const { bucket, prefix: key } = from;
  const facts = await headExistingObject(context, bucket, key, '');
  const fetchRange = async (start: number): Promise<Uint8Array> => {
    const size = Math.min(DEFAULT_PART_SIZE, facts.size - start);
    return context.executor.request(key, size, async () => {
      const bytes = new Uint8Array(size);
      let at = 0;
      const range = { start, end: start + size - 1 };
      const onData = (piece: Uint8Array): void => {
        if (at + piece.length > size) throw new S3Error('UnexpectedAnswer', `${key}: the store sent more than was asked for.`);
        bytes.set(piece, at);
        at += piece.length;
      };
      await getObject(store, { bucket, key, range, ifMatch: facts.etag, signal: context.signal, onData });
      if (at !== size) throw new S3Error('ConnectionFailed', `${key}: the store sent less than was asked for.`);
      return bytes;
    });
  };
  const fetching: Promise<Uint8Array>[] = [];
  const expected = await expectedDigest(context, bucket, key, facts);
  const hash = expected.kind === 'none' ? undefined : runningDigest(store.digests, expected);
  try {
    for (let start = 0, next = 0; start < facts.size;) {
      for (; next < facts.size && fetching.length < (options.ahead ?? 4); next += DEFAULT_PART_SIZE) {
        const one = fetchRange(next);
        one.catch(() => {});
        fetching.push(one);
      }
      const bytes = await fetching.shift()!;
      hash?.update(bytes);
      start += bytes.length;
      yield bytes;
    }
  } finally {
    // Stops the ranges ahead after an error, or when the caller wants no more.
    stop.abort();
  }
  if (expected.kind !== 'none' && hash?.value() !== expected.value) throw checksumMismatch(key);
}
