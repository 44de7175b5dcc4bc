import type { DownloadSettings, DownloadedFile } from './download-settings.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import { parseMode, parseMtime } from '../s3/file-metadata.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { FileFacts, ObjectEntry, TargetFile } from '../types.js';
import { downloadRanges, planDownload } from './download-ranges.js';
import { downloadSmall, SMALL_MAX } from './download-small.js';
import { fetchObject } from './fetch-object.js';
import { verifyDownload } from '../verify/content-digest.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';

/** Larger objects come in ranges, several at once, resumable. */
const SINGLE_REQUEST_MAX = 2 * DEFAULT_PART_SIZE;

/** One object to one file, which appears under its name only when it is whole and checked. @throws S3Error */
export async function downloadFile(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: DownloadSettings,
): Promise<DownloadedFile> {
  const { bucket, target } = settings;
  const factsFor = (facts: ObjectHead): FileFacts => targetFacts(facts, settings);
  if (entry.size <= SMALL_MAX) {
    const made = await downloadSmall(context, entry, path, { bucket, target, factsFor });
    if (made !== undefined) return { size: made.facts.size, etag: made.facts.etag, mtimeNs: made.mtimeNs };
  }
  const large = entry.size > SINGLE_REQUEST_MAX;
  // With small ones it shows soon enough.
  if (large) await target.look?.(path);
  const plan = large ? await planDownload(context, entry.key, settings) : undefined;
  const file = await target.open(path, plan?.old !== undefined, plan?.own);
  try {
    const { resumedBytes, ...facts } = plan
      ? await downloadRanges(context, entry.key, file, plan, settings)
      : { ...(await fetchInOneRequest(context, entry, file, settings)), resumedBytes: 0 };
    if (!large && contentDigestOf(facts) === undefined) await verifyDownload(context, bucket, entry.key, facts, file);
    const mtimeNs = await file.commit(factsFor(facts));
    if (large) context.journal.end(entry.key);
    return { size: facts.size, etag: facts.etag, mtimeNs, resumedBytes };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const useless =
      error.code === 'PreconditionFailed' ||
      error.code === 'FileChanged' ||
      error.code === 'ChecksumMismatch' ||
      isDiskFull(error) ||
      !large ||
      !context.journal.resumable;
    try {
      await file.discard(!useless);
    } catch {
      // Why the file failed is what is told.
    }
    if (large && useless) context.journal.end(entry.key);
    throw error;
  }
}

/** Whether the disk is full. Partial files are deleted then, because they would keep others from being written. */
const isDiskFull = ({ cause }: S3Error): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((cause as { code?: string } | undefined)?.code ?? '');

/** Returns the attributes of a file: the time and mode that an upload recorded, else the object's own time. */
function targetFacts({ size, metadata, lastModifiedMs }: ObjectHead, settings: DownloadSettings): FileFacts {
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
        take: (_, piece) => writer.push(piece),
        room: () => writer.room(),
        end: () => writer.end(),
        settled: () => writer.settled(),
      };
    });
  } finally {
    context.buffers.release(buffer);
  }
}
