import { hasBytes, hasSameBytes } from '../verify/same-bytes.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { isMd5 } from '../s3/commands/body-checksums.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import { parseMtime } from '../s3/file-metadata.js';
import type { ObjectEntry, Place, SourceFile } from '../types.js';
import { headObject, hasSameTime } from '../list/head-object.js';

/** How a sync tells that a file and an object are the same. */
export type Comparison =
  /** Size and modification time. */
  | 'times'
  /** Size alone. */
  | 'size'
  /** Size and every byte, by checksum. */
  | 'checksum';

/** Fingerprint of both sides of a pair in their current state. */
export const pairFingerprint = (file: SourceFile, entry: ObjectEntry): string =>
  `same ${file.size} ${file.mtimeNs} ${entry.etag} ${entry.key}`;

/**
 * Whether a local file and an object are the same. Times are compared with the one in the object's metadata, which a listing
 * does not tell; the journal remembers equal pairs and saves that request. An object of another tool, without such a time, is
 * compared by its checksum or MD5. If it has neither, it is the same when it is not older than the file and, on a download, not
 * younger either.
 */
export async function isSameFile(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  how: Comparison,
  down = false,
): Promise<boolean> {
  if (file.size !== entry.size) return false;
  if (how === 'size' || file.directory) return true;
  if (how === 'checksum') return hasSameBytes(context, bucket, file, entry);
  const print = pairFingerprint(file, entry);
  if (context.journal.isCompleted(print)) {
    context.journal.complete(print);
    return true;
  }
  const facts = await headObject(context, bucket, entry.key);
  if (facts === undefined) return false;
  const byBytes =
    parseMtime(facts.metadata['mtime']) === undefined && contentDigestOf(facts) !== undefined && file.open !== undefined;
  const same = byBytes
    ? await hasBytes(context, bucket, file, entry, facts).catch((error: unknown) => unlessReplaced(error, down))
    : file.mtimeNs !== undefined && hasSameTime(facts, file.mtimeNs, down);
  if (same) context.journal.complete(print);
  return same;
}

/** An unreadable file counts as different on a download: it is replaced. */
function unlessReplaced(error: unknown, down: boolean): false {
  if (down && toS3Error(error).code === 'SourceUnreadable') return false;
  throw error;
}

/**
 * Whether an object and its copy in the same store are the same: by size and ETag. Copies in other parts and encrypted copies
 * have other ETags; they are compared by their checksums, else by the copied times. The journal remembers equal pairs.
 */
export async function isSameObject(
  context: TransferContext,
  places: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  how: Comparison,
): Promise<boolean> {
  if (source.size !== copy.size) return false;
  if (how === 'size' || source.etag === copy.etag) return true;
  const print = `same ${source.etag} ${copy.etag} ${copy.lastModifiedMs} ${copy.key}`;
  const same =
    (how === 'times' && context.journal.isCompleted(print)) || (await haveSameContent(context, places, source, copy, how));
  if (same) context.journal.complete(print);
  return same;
}

async function haveSameContent(
  context: TransferContext,
  { from, to }: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  how: Comparison,
): Promise<boolean> {
  const [one, other] = await Promise.all([
    headObject(context, from.bucket, source.key),
    headObject(context, to.bucket, copy.key),
  ]);
  if (one === undefined || other === undefined) return false;
  if (one.checksum !== undefined && one.checksum.name === other.checksum?.name)
    return one.checksum.value === other.checksum.value;
  // ETags of objects uploaded in one request are MD5s of their bytes. Others depend on the parts too.
  if (isMd5(one.etag) && isMd5(other.etag) && !one.encrypted && !other.encrypted) return one.etag === other.etag;
  const [kept, brought] = [parseMtime(one.metadata['mtime']), parseMtime(other.metadata['mtime'])];
  if (how === 'times' && kept === undefined && brought === undefined) return copy.lastModifiedMs > source.lastModifiedMs;
  const same = kept !== undefined && kept === brought && copy.lastModifiedMs >= source.lastModifiedMs;
  if (same && how === 'checksum') context.report.summary.unverified++;
  return same;
}
