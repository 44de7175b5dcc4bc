import { isMd5 } from '../s3/commands/protect.js';
import { toldOf } from '../s3/commands/head-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import { parseMtime } from '../s3/file-metadata.js';
import type { ObjectEntry, Place, SourceFile } from '../types.js';
import { factsAt, isOfTime } from '../list/head-object.js';
import { isOfUsualParts, matches, proofOf, readCrc } from '../verify/object-check.js';
import type { Run } from '../transfer/run.js';

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
 * earlier sync has seen to be the same is remembered and needs no request. Of an object of another tool, without a time of
 * its own, the checksum or MD5 that comes with it decides alone; where there is neither, it is the same when it is not older than the
 * file, and on its way `down` not younger either.
 */
export async function isSame(
  run: Run,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  how: Comparison,
  down = false,
): Promise<boolean> {
  if (file.size !== entry.size) return false;
  if (how === 'size' || file.directory) return true;
  if (how === 'checksum') return sameBytes(run, bucket, file, entry);
  const print = pairPrint(file, entry);
  if (run.journal.settled(print)) {
    run.journal.settle(print);
    return true;
  }
  const facts = await factsAt(run, bucket, entry.key);
  if (facts === undefined) return false;
  const byBytes = parseMtime(facts.metadata['mtime']) === undefined && toldOf(facts) !== undefined && file.open !== undefined;
  const same = byBytes
    ? await hasBytes(run, bucket, file, entry, facts).catch((error: unknown) => unlessReplaced(error, down))
    : file.mtimeNs !== undefined && isOfTime(facts, file.mtimeNs, down);
  if (same) run.journal.settle(print);
  return same;
}

/** What cannot be read can be replaced. */
function unlessReplaced(error: unknown, down: boolean): false {
  if (down && toS3Error(error).code === 'SourceUnreadable') return false;
  throw error;
}

/** Whether every byte is the same, by the store's checksum where it has one, else by reading the object. */
export async function sameBytes(run: Run, bucket: string, file: SourceFile, entry: ObjectEntry): Promise<boolean> {
  const facts = await factsAt(run, bucket, entry.key);
  return facts !== undefined && hasBytes(run, bucket, file, entry, facts);
}

async function hasBytes(run: Run, bucket: string, file: SourceFile, entry: ObjectEntry, facts: ObjectFacts): Promise<boolean> {
  const reader = await file.open!();
  try {
    if (reader.size !== facts.size) return false;
    const known = await proofOf(run, bucket, entry.key, facts);
    const proof =
      known.kind === 'none'
        ? ({ kind: 'checksum', name: 'CRC32', value: await readCrc(run, bucket, entry.key, facts) } as const)
        : known;
    return (await matches(run, reader, proof, entry.key)) || (await isOfUsualParts(run, entry.key, facts, reader));
  } finally {
    reader.close();
  }
}

/**
 * Whether an object and its copy in the same store are the same: by size and ETag. Copies in other parts, or encrypted ones, have other ETags;
 * then by whatever both sides tell of their bytes, else by the times that came along with the copy. What was seen to be the same is remembered.
 */
export async function sameObject(
  run: Run,
  places: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  how: Comparison,
): Promise<boolean> {
  if (source.size !== copy.size) return false;
  if (how === 'size' || source.etag === copy.etag) return true;
  const print = `same ${source.etag} ${copy.etag} ${copy.lastModifiedMs} ${copy.key}`;
  const same = (how === 'times' && run.journal.settled(print)) || (await alike(run, places, source, copy, how));
  if (same) run.journal.settle(print);
  return same;
}

async function alike(
  run: Run,
  { from, to }: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  how: Comparison,
): Promise<boolean> {
  const [one, other] = await Promise.all([factsAt(run, from.bucket, source.key), factsAt(run, to.bucket, copy.key)]);
  if (one === undefined || other === undefined) return false;
  if (one.checksum !== undefined && one.checksum.name === other.checksum?.name)
    return one.checksum.value === other.checksum.value;
  // Those of objects in one piece are of their bytes, others are of the parts as well, or of nothing that is known.
  if (isMd5(one.etag) && isMd5(other.etag) && !one.encrypted && !other.encrypted) return one.etag === other.etag;
  const [kept, brought] = [parseMtime(one.metadata['mtime']), parseMtime(other.metadata['mtime'])];
  if (how === 'times' && kept === undefined && brought === undefined) return copy.lastModifiedMs > source.lastModifiedMs;
  const same = kept !== undefined && kept === brought && copy.lastModifiedMs >= source.lastModifiedMs;
  if (same && how === 'checksum') run.summary.unverified++;
  return same;
}
