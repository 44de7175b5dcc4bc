import { getObject } from '../s3/commands/get-object.js';
import { factsOf, toldOf } from '../s3/commands/head-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import type { ObjectEntry } from '../types.js';
import { mismatch, running } from '../verify/object-check.js';
import type { Run } from '../transfer/run.js';

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

/** What came in one answer. */
interface Fetched {
  headers: Record<string, string>;
  facts: ObjectFacts;
  bytes: number;
  /** Of the bytes, as `toldOf` has it of the object. */
  value: string | undefined;
}

/**
 * An object in one answer, checked against what comes with it.
 * @param taker made anew for each try
 */
export const fetchWhole = (run: Run, bucket: string, entry: ObjectEntry, taker: () => Taker): Promise<ObjectFacts> =>
  checked(run, entry, (moved) => taken(run, bucket, entry.key, taker(), moved));

async function checked(
  run: Run,
  { key, size, etag }: ObjectEntry,
  fetch: (moved: (bytes: number) => void) => Promise<Fetched>,
): Promise<ObjectFacts> {
  const following = run.meter.follow(key, size);
  const fetchOnce = async (moved: (bytes: number) => void): Promise<ObjectFacts> => {
    const { headers, facts, bytes, value } = await fetch(moved);
    // A body that ends with its connection may have been cut; others say themselves how long they are.
    if (headers['content-length'] === undefined && facts.etag === etag && bytes !== size)
      throw new S3Error('ConnectionFailed', `${key}: the store sent ${bytes} bytes of ${size}.`);
    if (value !== toldOf(facts)?.value) throw mismatch(key);
    return { ...facts, size: bytes };
  };
  return run.request(key, size, fetchOnce, following).finally(following.end);
}

async function taken(run: Run, bucket: string, key: string, to: Taker, moved: (bytes: number) => void): Promise<Fetched> {
  let bytes = 0;
  let facts: ObjectFacts | undefined;
  let checksum: ReturnType<typeof running> | undefined;
  const begin = (headers: Record<string, string>): ObjectFacts => {
    const begun = factsOf(headers);
    const told = toldOf(begun);
    checksum = told && running(run.store.digests, told);
    return begun;
  };
  try {
    const { headers } = await getObject(run.store, {
      bucket,
      key,
      signal: run.signal,
      ...(to.room && { room: () => to.room!() }),
      onData: (piece, headers) => {
        facts ??= begin(headers);
        checksum?.update(piece);
        const at = bytes;
        bytes += piece.length;
        moved(piece.length);
        return to.take(at, piece);
      },
    });
    await to.end?.();
    facts ??= begin(headers);
    return { headers, facts, bytes, value: checksum?.value() };
  } catch (error) {
    await to.settled?.().catch(() => {});
    throw error;
  }
}
