import { headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { parseMtime, sameTime } from '../mtime.js';
import type { ObjectEntry, SourceFile } from '../types.js';
import { matches, proofOf, readCrc } from './object-check.js';
import type { Run } from './run.js';

/** How a sync tells that a file and an object are the same. */
export type Comparison =
  /** Size and modification time. */
  | 'times'
  /** Size alone. */
  | 'size'
  /** Size and every byte, by checksum. */
  | 'checksum';

/** What names the two sides of a pair as they are now. */
export const pairPrint = (file: SourceFile, entry: ObjectEntry): string =>
  `same ${file.size} ${file.mtimeNs} ${entry.etag} ${entry.key}`;

/**
 * Whether a local file and an object are the same.
 *
 * Times are compared with the one that the upload kept in the object's metadata, which a listing does not tell: what an
 * earlier sync has seen to be the same is remembered and needs no request. An object of another tool, without a time of
 * its own, is the same when it is not older than the file.
 */
export async function isSame(run: Run, bucket: string, file: SourceFile, entry: ObjectEntry, how: Comparison): Promise<boolean> {
  if (file.size !== entry.size) return false;
  if (how === 'size' || file.directory) return true;
  if (how === 'checksum') return sameBytes(run, bucket, file, entry);
  const print = pairPrint(file, entry);
  if (run.journal.settled(print)) {
    run.journal.settle(print);
    return true;
  }
  const facts = await run.request(entry.key, 0, () => headObject(run.store, { bucket, key: entry.key, signal: run.signal }));
  if (facts === undefined || file.mtimeNs === undefined) return false;
  const same = isOfTime(facts, file.mtimeNs);
  if (same) run.journal.settle(print);
  return same;
}

/** Whether an object was made of a file as it is: by the time kept with it, else by being no older. */
export function isOfTime(facts: ObjectFacts, mtimeNs: bigint): boolean {
  const kept = parseMtime(facts.metadata['mtime']);
  return kept === undefined ? BigInt(facts.lastModifiedMs) * 1_000_000n >= mtimeNs - 1_000_000_000n : sameTime(kept, mtimeNs);
}

/** Whether every byte is the same, by the store's checksum where it has one, else by reading the object. */
export async function sameBytes(run: Run, bucket: string, file: SourceFile, entry: ObjectEntry): Promise<boolean> {
  const facts = await run.request(entry.key, 0, () => headObject(run.store, { bucket, key: entry.key, signal: run.signal }));
  if (facts === undefined) return false;
  const reader = await file.open!();
  try {
    if (reader.size !== facts.size) return false;
    const known = await proofOf(run, bucket, entry.key, facts);
    const proof =
      known.kind === 'none'
        ? ({ kind: 'checksum', name: 'CRC32', value: await readCrc(run, bucket, entry.key, facts) } as const)
        : known;
    return await matches(run, reader, proof, entry.key);
  } finally {
    reader.close();
  }
}
