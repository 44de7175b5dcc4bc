import { getObject } from '../commands/get-object.js';
import { headObject } from '../commands/head-object.js';
import { runningChecksum } from '../checksum.js';
import { isMd5 } from '../commands/protect.js';
import { S3Error } from '../errors.js';
import { DEFAULT_PART_SIZE } from '../plan.js';
import type { Place } from '../types.js';
import type { Store } from '../store.js';
import { questions } from './run.js';
import type { RunOptions } from './run.js';

export interface ReadOptions extends RunOptions {
  /** Ranges fetched ahead of the one that is given out. @default 4 */
  ahead?: number;
}

/**
 * The bytes of one object in order, a range at a time, the next ones fetched meanwhile. The whole is checked at the end.
 * @throws S3Error `NoSuchKey`, `FileChanged`, `ChecksumMismatch`
 */
export async function* readObject(store: Store, from: Place, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const run = questions(store, options);
  const { bucket, prefix: key } = from;
  const facts = await run.request(key, 0, () => headObject(store, { bucket, key, signal: run.signal }));
  if (facts === undefined) throw new S3Error('NoSuchKey', `There is no object ${key}.`, { status: 404 });
  const fetchRange = async (start: number): Promise<Uint8Array> => {
    const size = Math.min(DEFAULT_PART_SIZE, facts.size - start);
    return run.request(key, size, async () => {
      const bytes = new Uint8Array(size);
      let at = 0;
      const range = { start, end: start + size - 1 };
      const onData = (piece: Uint8Array): void => {
        bytes.set(piece, at);
        at += piece.length;
      };
      await getObject(store, { bucket, key, range, ifMatch: facts.etag, signal: run.signal, onData });
      if (at !== size) throw new S3Error('ConnectionFailed', `${key}: the store sent less than was asked for.`);
      return bytes;
    });
  };
  const fetching: Promise<Uint8Array>[] = [];
  const checksum = runningChecksum(store.digests, facts.checksum?.name ?? 'CRC32');
  const md5 = facts.checksum === undefined && isMd5(facts.etag) && !facts.encrypted ? store.digests.md5() : undefined;
  for (let start = 0, next = 0; start < facts.size;) {
    for (; next < facts.size && fetching.length < (options.ahead ?? 4); next += DEFAULT_PART_SIZE) {
      const one = fetchRange(next);
      one.catch(() => {});
      fetching.push(one);
    }
    const bytes = await fetching.shift()!;
    checksum.update(bytes);
    md5?.update(bytes);
    start += bytes.length;
    yield bytes;
  }
  const wrong = facts.checksum !== undefined && facts.checksum.value !== checksum.value();
  if (wrong || (md5 !== undefined && md5.hex() !== facts.etag))
    throw new S3Error('ChecksumMismatch', `${key}: what arrived is not what the store has a checksum of.`);
}
