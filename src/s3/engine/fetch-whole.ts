import { runningChecksum } from '../checksum.js';
import type { RunningChecksum } from '../checksum.js';
import { getObject } from '../commands/get-object.js';
import { factsOf } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { isMd5 } from '../commands/protect.js';
import type { RunningHash } from '../digests.js';
import { S3Error } from '../errors.js';
import type { ObjectEntry } from '../types.js';
import { mismatch } from './object-check.js';
import type { Run } from './run.js';

/** What takes the pieces of one answer. */
export interface Taker {
  take(position: number, piece: Uint8Array): void | Promise<void>;
  /** Where the next piece would be taken without a copy. */
  room?(): Uint8Array | undefined;
  /** Called once, when all has come. */
  end?(): Promise<void>;
  /** Called once when not: nothing is to be on its way afterwards. */
  settled?(): Promise<void>;
}

/**
 * An object in one answer, checked against what the store knows of it.
 * @param taker made anew for each try
 */
export async function fetchWhole(run: Run, bucket: string, entry: ObjectEntry, taker: () => Taker): Promise<ObjectFacts> {
  const { key, size } = entry;
  const following = run.meter.follow(key, size);
  const { digests } = run.store;
  try {
    return await run.request(key, size, async () => {
      const to = taker();
      let position = 0;
      let checksum: RunningChecksum | undefined;
      let md5: RunningHash | undefined;
      let facts: ObjectFacts | undefined;
      try {
        const answer = await getObject(run.store, {
          bucket,
          key,
          signal: run.signal,
          ...(to.room && { room: () => to.room!() }),
          onData: (piece, headers) => {
            if (facts === undefined) {
              facts = factsOf(headers);
              if (facts.checksum !== undefined) checksum = runningChecksum(digests, facts.checksum.name);
              else if (isMd5(facts.etag) && !facts.encrypted) md5 = digests.md5();
            }
            checksum?.update(piece);
            md5?.update(piece);
            const at = position;
            position += piece.length;
            following.moved(piece.length);
            return to.take(at, piece);
          },
        });
        await to.end?.();
        facts ??= factsOf(answer.headers);
        // A body that ends with its connection may have been cut; others say themselves how long they are.
        if (answer.headers['content-length'] === undefined && facts.etag === entry.etag && position !== size)
          throw new S3Error('ConnectionFailed', `${key}: the store sent ${position} bytes of ${size}.`);
        if (checksum !== undefined && checksum.value() !== facts.checksum?.value) throw mismatch(key);
        if (md5 !== undefined && md5.hex() !== facts.etag) throw mismatch(key);
        return { ...facts, size: position };
      } catch (error) {
        following.moved(-position);
        await to.settled?.().catch(() => {});
        throw error;
      }
    });
  } finally {
    following.end();
  }
}
