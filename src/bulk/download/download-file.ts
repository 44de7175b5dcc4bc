import { toldOf } from '../s3/commands/head-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import { parseMode, parseMtime } from '../s3/file-metadata.js';
import { DEFAULT_PART_SIZE } from '../transfer/part-plan.js';
import type { FileFacts, ObjectEntry, Target, TargetFile } from '../types.js';
import { fetchRanges, planRanges } from './download-ranges.js';
import { downloadSmall, SMALL_MAX } from './download-small.js';
import { fetchWhole } from './fetch-whole.js';
import { checkFile } from '../verify/object-check.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';
import type { Run } from '../transfer/run.js';

export interface DownloadSettings {
  bucket: string;
  target: Target;
  partSize?: number;
  /** Give files the times and modes that uploads kept. @default true */
  keepTimes?: boolean;
  /**
   * Gives files all permissions that the upload recorded, execute bits included. Set it only for a bucket whose writers you trust.
   * Otherwise a recorded mode can only take permissions away from those of a new file.
   * @default false
   */
  preserveMode?: boolean;
  /** Never replace a file. */
  onlyNew?: boolean;
}

/** Larger objects come in ranges, several at once, resumable. */
const RANGES_FROM = 2 * DEFAULT_PART_SIZE;

/** What a download made, for the memory of a sync. */
export interface Downloaded {
  size: number;
  etag: string;
  mtimeNs: bigint;
  /** Bytes that an earlier run had brought. */
  there?: number;
}

/** One object to one file, which appears under its name only when it is whole and checked. @throws S3Error */
export async function downloadFile(run: Run, entry: ObjectEntry, path: string, settings: DownloadSettings): Promise<Downloaded> {
  const { bucket, target } = settings;
  const factsFor = (facts: ObjectFacts): FileFacts => fileFacts(facts, settings);
  if (entry.size <= SMALL_MAX) {
    const made = await downloadSmall(run, entry, path, { bucket, target, factsFor });
    if (made !== undefined) return { size: made.facts.size, etag: made.facts.etag, mtimeNs: made.mtimeNs };
  }
  const large = entry.size > RANGES_FROM;
  // With small ones it shows soon enough.
  if (large) await target.look?.(path);
  const plan = large ? await planRanges(run, entry.key, settings) : undefined;
  const file = await target.open(path, plan?.old !== undefined, plan?.own);
  try {
    const { there, ...facts } = plan
      ? await fetchRanges(run, entry.key, file, plan, settings)
      : { ...(await inOne(run, entry, file, settings)), there: 0 };
    if (!large && toldOf(facts) === undefined) await checkFile(run, bucket, entry.key, facts, file);
    const became = await file.commit(factsFor(facts));
    if (large) run.journal.end(entry.key);
    return { size: facts.size, etag: facts.etag, mtimeNs: became, there };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const useless =
      error.code === 'PreconditionFailed' ||
      error.code === 'FileChanged' ||
      error.code === 'ChecksumMismatch' ||
      isFull(error) ||
      !large ||
      !run.journal.resumable;
    try {
      await file.discard(!useless);
    } catch {
      // Why the file failed is what is told.
    }
    if (large && useless) run.journal.end(entry.key);
    throw error;
  }
}

/** What was written would only keep all others from their place. */
const isFull = ({ cause }: S3Error): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((cause as { code?: string } | undefined)?.code ?? '');

/** What a file gets from its object: the time and the mode that an upload kept with it, else the object's own time. */
function fileFacts({ size, metadata, lastModifiedMs }: ObjectFacts, settings: DownloadSettings): FileFacts {
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

async function inOne(run: Run, entry: ObjectEntry, file: TargetFile, { bucket, target }: DownloadSettings): Promise<ObjectFacts> {
  const buffer = await run.buffers.take(WRITER_MEMORY, run.signal, target.memory);
  try {
    return await fetchWhole(run, bucket, entry, () => {
      const writer = new PieceWriter(file, buffer, 0);
      return {
        take: (_, piece) => writer.push(piece),
        room: () => writer.room(),
        end: () => writer.end(),
        settled: () => writer.settled(),
      };
    });
  } finally {
    run.buffers.give(buffer);
  }
}
