import { runningChecksum } from '../checksum.js';
import type { ChecksumName } from '../checksum.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { getObject } from '../commands/get-object.js';
import { S3Error, toS3Error } from '../errors.js';
import { parseMode, parseMtime } from '../mtime.js';
import { DEFAULT_PART_SIZE, partAt } from '../plan.js';
import type { FileFacts, ObjectEntry, Target, TargetFile } from '../types.js';
import { downloadSmall, SMALL_MAX } from './download-small.js';
import { factsAt } from './facts-at.js';
import { fetchWhole } from './fetch-whole.js';
import { inParallel, missingParts } from './in-parallel.js';
import { isTold, matches, mismatch, proven } from './object-check.js';
import { joinAll } from './multipart-session.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';
import type { Run } from './run.js';

export interface DownloadSettings {
  bucket: string;
  target: Target;
  partSize?: number;
  /** Give files the times and modes that uploads kept. @default true */
  keepTimes?: boolean;
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
  if (large && (await target.isFolder?.(path))) throw new S3Error('NameTaken', `${path}: a directory stands there.`);
  const file = await target.open(path, large && run.journal.unfinished.has(entry.key));
  try {
    const { there, ...facts } = large
      ? await inRanges(run, entry, file, settings)
      : { ...(await inOne(run, entry, file, settings)), there: 0 };
    if (!large && !isTold(facts)) await compare(run, bucket, entry.key, facts, file);
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
    await file.discard(!useless);
    if (large && useless) run.journal.end(entry.key);
    throw error;
  }
}

/** What was written would only keep all others from their place. */
const isFull = ({ cause }: S3Error): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((cause as { code?: string } | undefined)?.code ?? '');

/** What a file gets from its object: the time and the mode that an upload kept with it, else the object's own time. */
function fileFacts({ size, metadata, lastModifiedMs }: ObjectFacts, { keepTimes, onlyNew }: DownloadSettings): FileFacts {
  const facts: FileFacts = { size };
  if (onlyNew) facts.onlyNew = true;
  if (keepTimes === false) return facts;
  facts.mtimeNs = parseMtime(metadata['mtime']) ?? BigInt(lastModifiedMs) * 1_000_000n;
  const mode = parseMode(metadata['mode']);
  if (mode !== undefined) facts.mode = mode;
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

async function inRanges(
  run: Run,
  entry: ObjectEntry,
  file: TargetFile,
  settings: DownloadSettings,
): Promise<ObjectFacts & { there: number }> {
  const { bucket } = settings;
  const { key } = entry;
  const facts = await factsAt(run, bucket, key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  const partSize = settings.partSize ?? Math.max(DEFAULT_PART_SIZE, Math.ceil(facts.size / 10_000));
  const following = run.meter.follow(key, facts.size);
  const have = await written(run, key, file, facts, partSize);
  if (have.size === 0)
    await run.journal.begin({ key, size: facts.size, version: facts.etag, partSize, begunMs: run.store.now() });
  const name = facts.checksum?.name ?? 'CRC32';
  const checksums: string[] = [];
  const missing = () => missingParts({ size: facts.size, partSize, have }, checksums, following);
  try {
    await inParallel(run, missing, async (part) => {
      const wanted = { bucket, key, etag: facts.etag, name, ...part };
      const checksum = await range(run, wanted, file, settings.target, following.moved);
      checksums[part.number - 1] = checksum;
      run.journal.part(key, { number: part.number, etag: '', checksum });
    });
    await check(run, bucket, key, facts, file, checksums, partSize);
    return { ...facts, there: following.there };
  } finally {
    following.end();
  }
}

/** What an earlier run wrote of this very object: ranges whose bytes still have the checksum that was noted. */
async function written(
  run: Run,
  key: string,
  file: TargetFile,
  facts: ObjectFacts,
  partSize: number,
): Promise<Map<number, string>> {
  const have = new Map<number, string>();
  const name = facts.checksum?.name ?? 'CRC32';
  const old = run.journal.unfinished.get(key);
  const { read } = file;
  if (old === undefined || old.version !== facts.etag || old.partSize !== partSize || read === undefined) return have;
  const source = { size: facts.size, read: read.bind(file) };
  for (const { number, checksum } of old.parts.values()) {
    const part = partAt(number, facts.size, partSize);
    const slice = { size: part.size, read: (at: number, into: Uint8Array) => source.read(part.start + at, into) };
    const same = await matches(run, slice, { kind: 'checksum', name, value: checksum }, key).catch(() => false);
    if (same) have.set(number, checksum);
  }
  return have;
}

interface Range {
  bucket: string;
  key: string;
  etag: string;
  /** What is computed of it. */
  name: ChecksumName;
  start: number;
  size: number;
}

async function range(
  run: Run,
  wanted: Range,
  file: TargetFile,
  { memory }: Target,
  moved: (bytes: number) => void,
): Promise<string> {
  const { bucket, key, etag, name, start, size } = wanted;
  // Before the request: one that waited inside for memory could wait for those that wait for its place.
  const buffer = await run.buffers.take(WRITER_MEMORY, run.signal, memory);
  return run
    .request(key, size, async () => {
      const writer = new PieceWriter(file, buffer, start);
      const checksum = runningChecksum(run.store.digests, name);
      let position = 0;
      try {
        await getObject(run.store, {
          bucket,
          key,
          range: { start, end: start + size - 1 },
          ifMatch: etag,
          signal: run.signal,
          room: () => writer.room(),
          onData: (piece) => {
            if (position + piece.length > size)
              throw new S3Error('UnexpectedAnswer', `${key}: the store sent more than was asked for.`);
            checksum.update(piece);
            position += piece.length;
            moved(piece.length);
            return writer.push(piece);
          },
        });
        await writer.end();
        if (position !== size) throw new S3Error('ConnectionFailed', `${key}: the store sent less than was asked for.`);
        return checksum.value();
      } catch (error) {
        moved(-position);
        await writer.settled().catch(() => {});
        throw error;
      }
    })
    .finally(() => run.buffers.give(buffer))
    .catch((error: unknown) => {
      if ((error as S3Error).code !== 'PreconditionFailed') throw error;
      throw new S3Error('FileChanged', `${key} was replaced while it was read.`, { cause: error });
    });
}

/** Checks the whole file against what the store knows of the object. */
async function check(
  run: Run,
  bucket: string,
  key: string,
  facts: ObjectFacts,
  file: TargetFile,
  checksums: string[],
  partSize: number,
): Promise<void> {
  if (facts.checksum !== undefined) {
    const parts = checksums.map((checksum) => ({ checksum }));
    if (joinAll(facts.checksum.name, parts, facts.size, partSize) !== facts.checksum.value) throw mismatch(key);
    return;
  }
  await compare(run, bucket, key, facts, file);
}

/** Where nothing came along that tells the bytes: asks for what may, and counts the file where nothing does. */
async function compare(run: Run, bucket: string, key: string, facts: ObjectFacts, file: TargetFile): Promise<void> {
  const source = file.read && { size: facts.size, read: file.read.bind(file) };
  if (source === undefined || !(await proven(run, bucket, key, facts, source))) run.summary.unverified++;
}
