import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { parseMode, parseMtime } from '../s3/file-metadata.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { FileFacts, ObjectEntry, TargetFile } from '../types.js';
import { verifyDownload } from '../verify/verify-download.js';
import { downloadRanges } from './download-ranges.js';
import type { DownloadSettings, DownloadedFile } from './download-settings.js';
import { downloadSmall, SMALL_MAX } from './download-small.js';
import { fetchObject } from './fetch-object.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';
import { planRanges } from './plan-ranges.js';

/** Larger objects are fetched in ranges, several at once, and can be resumed. */
const SINGLE_REQUEST_MAX = 2 * DEFAULT_PART_SIZE;

/**
 * Downloads one object to one file. The file gets its name when it is complete and verified.
 * @throws S3Error
 */
export async function downloadFile(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: DownloadSettings,
): Promise<DownloadedFile> {
  if (entry.size <= SMALL_MAX) {
    const factsFor = (head: ObjectHead): FileFacts => factsOf(head, settings);
    const small = await downloadSmall(context, entry, path, { bucket: settings.bucket, target: settings.target, factsFor });
    if (small !== undefined) return small;
  }
  return entry.size > SINGLE_REQUEST_MAX
    ? downloadLarge(context, entry, path, settings)
    : downloadMedium(context, entry, path, settings);
}

/** Downloads an object in one request. */
async function downloadMedium(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: DownloadSettings,
): Promise<DownloadedFile> {
  const file = await settings.target.open(path, false);
  try {
    const head = await fetchInOneRequest(context, entry, file, settings);
    if (contentDigestOf(head) === undefined) await verifyDownload(context, settings.bucket, entry.key, head, file);
    const mtimeNs = await file.commit(factsOf(head, settings));
    return { size: head.size, etag: head.etag, mtimeNs };
  } catch (error) {
    await discard(file, false);
    throw toS3Error(error);
  }
}

/** Downloads an object in ranges. After an error, the temporary file stays if a later run can resume it. */
async function downloadLarge(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: DownloadSettings,
): Promise<DownloadedFile> {
  // No bytes of a large object are fetched although they could not be written. For smaller ones `open` finds the problem soon enough.
  await settings.target.look?.(path);
  const plan = await planRanges(context, entry.key, settings);
  const file = await settings.target.open(path, plan.resumable !== undefined, plan.temporaryId);
  try {
    const { resumedBytes, ...head } = await downloadRanges(context, entry.key, file, plan, settings);
    const mtimeNs = await file.commit(factsOf(head, settings));
    context.journal.end(entry.key);
    return { size: head.size, etag: head.etag, mtimeNs, resumedBytes };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const canResume = context.journal.resumable && leavesUsableFile(error);
    await discard(file, canResume);
    if (!canResume) context.journal.end(entry.key);
    throw error;
  }
}

/** Returns whether a later run can continue the partial file. On a full disk it is deleted, because it would keep others from being written. */
const leavesUsableFile = (error: S3Error): boolean =>
  !['PreconditionFailed', 'FileChanged', 'ChecksumMismatch'].includes(error.code) && !isDiskFull(error);

const isDiskFull = ({ cause }: S3Error): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((cause as { code?: string } | undefined)?.code ?? '');

async function discard(file: TargetFile, keep: boolean): Promise<void> {
  try {
    await file.discard(keep);
  } catch {
    // The caller reports the original error.
  }
}

/** Returns the attributes of a file: the time and mode that an upload recorded, else the object's own time. */
function factsOf({ size, metadata, lastModifiedMs }: ObjectHead, settings: DownloadSettings): FileFacts {
  const { keepTimes, onlyNew, preserveMode } = settings;
  const facts: FileFacts = { size };
  if (onlyNew) facts.onlyNew = true;
  if (keepTimes === false) return facts;
  facts.mtimeNs = parseMtime(metadata['mtime']) ?? BigInt(lastModifiedMs) * 1_000_000n;
  const mode = parseMode(metadata['mode']);
  if (mode !== undefined) facts.mode = mode;
  if (preserveMode) facts.preserveMode = true;
  return facts;
}

async function fetchInOneRequest(
  context: TransferContext,
  entry: ObjectEntry,
  file: TargetFile,
  { bucket, target }: DownloadSettings,
): Promise<ObjectHead> {
  const buffer = await context.buffers.acquire(WRITER_MEMORY, context.signal, target.memory);
  try {
    return await fetchObject(context, bucket, entry, () => {
      const writer = new PieceWriter(file, buffer, 0);
      return {
        push: (_, piece) => writer.push(piece),
        room: () => writer.room(),
        end: () => writer.end(),
        finishWrites: () => writer.finishWrites(),
      };
    });
  } finally {
    context.buffers.release(buffer);
  }
}
