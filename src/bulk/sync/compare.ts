import { hasBytesOf, hasSameBytes } from '../verify/same-bytes.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { isMd5 } from '../s3/commands/body-checksums.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import { parseMtime } from '../s3/file-metadata.js';
import type { ObjectEntry, Place, SourceFile } from '../types.js';
import { headObject, hasSameTime } from '../list/head-object.js';

/** Method by which a sync decides that a file and an object are the same. */
export type Comparison =
  /** Size and modification time. */
  | 'times'
  /** Size alone. */
  | 'size'
  /** Size and every byte, by checksum. */
  | 'checksum';

/** Returns a fingerprint of a file and an object in their current state. */
export const pairFingerprint = (file: SourceFile, entry: ObjectEntry): string =>
  `same ${file.size} ${file.mtimeNs} ${entry.etag} ${entry.key}`;

/**
 * Returns whether a local file and an object are the same.
 *
 * Modification times are compared with the one in the object's metadata. A listing does not contain it; the journal remembers equal
 * pairs and saves the HEAD request. An object without such a time was stored by another tool. It is compared by its checksum or
 * MD5. If it has neither, it must not be older than the file and, on a download, not newer either.
 * @param isDownload the file is the target
 */
export async function isSameFile(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  comparison: Comparison,
  isDownload = false,
): Promise<boolean> {
  if (file.size !== entry.size) return false;
  if (comparison === 'size' || file.directory) return true;
  if (comparison === 'checksum') return hasSameBytes(context, bucket, file, entry);
  const fingerprint = pairFingerprint(file, entry);
  const isSame = context.journal.isCompleted(fingerprint) || (await isUnchanged(context, bucket, file, entry, isDownload));
  if (isSame) context.journal.complete(fingerprint);
  return isSame;
}

async function isUnchanged(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  isDownload: boolean,
): Promise<boolean> {
  const head = await headObject(context, bucket, entry.key);
  if (head === undefined) return false;
  const hasTime = parseMtime(head.metadata['mtime']) !== undefined;
  if (hasTime || contentDigestOf(head) === undefined || file.open === undefined)
    return file.mtimeNs !== undefined && hasSameTime(head, file.mtimeNs, isDownload);
  return hasBytesOf(context, bucket, file, entry, head).catch((error: unknown) => differsIfUnreadable(error, isDownload));
}

/** An unreadable file counts as different on a download, because the download replaces it. */
function differsIfUnreadable(error: unknown, isDownload: boolean): false {
  if (isDownload && toS3Error(error).code === 'SourceUnreadable') return false;
  throw error;
}

/**
 * Returns whether an object and its copy in the same store are the same: by size and ETag. Copies in other parts and encrypted
 * copies have other ETags. They are compared by their checksums, else by the copied modification times. The journal remembers
 * equal pairs.
 */
export async function isSameObject(
  context: TransferContext,
  places: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  comparison: Comparison,
): Promise<boolean> {
  if (source.size !== copy.size) return false;
  if (comparison === 'size' || source.etag === copy.etag) return true;
  const fingerprint = `same ${source.etag} ${copy.etag} ${copy.lastModifiedMs} ${copy.key}`;
  const isSame =
    (comparison === 'times' && context.journal.isCompleted(fingerprint)) ||
    (await haveSameContent(context, places, source, copy, comparison));
  if (isSame) context.journal.complete(fingerprint);
  return isSame;
}

async function haveSameContent(
  context: TransferContext,
  { from, to }: { from: Place; to: Place },
  source: ObjectEntry,
  copy: ObjectEntry,
  comparison: Comparison,
): Promise<boolean> {
  const [sourceHead, copyHead] = await Promise.all([
    headObject(context, from.bucket, source.key),
    headObject(context, to.bucket, copy.key),
  ]);
  if (sourceHead === undefined || copyHead === undefined) return false;
  if (sourceHead.checksum !== undefined && sourceHead.checksum.name === copyHead.checksum?.name)
    return sourceHead.checksum.value === copyHead.checksum.value;
  if (hasMd5Etag(sourceHead) && hasMd5Etag(copyHead)) return sourceHead.etag === copyHead.etag;

  const [sourceMtime, copyMtime] = [parseMtime(sourceHead.metadata['mtime']), parseMtime(copyHead.metadata['mtime'])];
  if (comparison === 'times' && sourceMtime === undefined && copyMtime === undefined)
    return copy.lastModifiedMs > source.lastModifiedMs;
  const isSame = sourceMtime !== undefined && sourceMtime === copyMtime && copy.lastModifiedMs >= source.lastModifiedMs;
  // A time proves nothing about the bytes.
  if (isSame && comparison === 'checksum') context.report.summary.unverified++;
  return isSame;
}

/** The ETag of an object that was uploaded in one request is the MD5 of its bytes. Other ETags depend on the parts too. */
const hasMd5Etag = ({ etag, encrypted }: ObjectHead): boolean => isMd5(etag) && !encrypted;
