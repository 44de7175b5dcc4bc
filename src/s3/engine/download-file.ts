import { runningChecksum } from '../checksum.js';
import type { ChecksumName, RunningChecksum } from '../checksum.js';
import { factsOf, headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { getObject } from '../commands/get-object.js';
import { isMd5 } from '../commands/protect.js';
import type { RunningHash } from '../digests.js';
import { S3Error, toS3Error } from '../errors.js';
import { parseMode, parseMtime } from '../mtime.js';
import { DEFAULT_PART_SIZE, partAt, partCount } from '../plan.js';
import type { ObjectEntry, Target, TargetFile } from '../types.js';
import { matches, proofOf } from './object-check.js';
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
/** Smaller ones are written as they come, in one or two calls. */
const GATHERED_FROM = 256 * 1024;

/** What a download made, for the memory of a sync. */
export interface Downloaded {
  size: number;
  etag: string;
  mtimeNs: bigint;
}

/** One object to one file, which appears under its name only when it is whole and checked. @throws S3Error */
export async function downloadFile(run: Run, entry: ObjectEntry, path: string, settings: DownloadSettings): Promise<Downloaded> {
  const large = entry.size > RANGES_FROM;
  const file = await settings.target.open(path, large && run.journal.unfinished.has(entry.key));
  try {
    const facts = large ? await inRanges(run, entry, file, settings) : await inOne(run, entry, file, settings);
    const mtimeNs = parseMtime(facts.metadata['mtime']) ?? BigInt(facts.lastModifiedMs) * 1_000_000n;
    const mode = parseMode(facts.metadata['mode']);
    const kept = settings.keepTimes === false ? {} : { mtimeNs, ...(mode !== undefined && { mode }) };
    const became = await file.commit({ size: facts.size, ...kept, ...(settings.onlyNew && { onlyNew: true }) });
    if (large) run.journal.end(entry.key);
    return { size: facts.size, etag: facts.etag, mtimeNs: became };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const useless =
      error.code === 'PreconditionFailed' ||
      error.code === 'FileChanged' ||
      error.code === 'ChecksumMismatch' ||
      !large ||
      !run.journal.resumable;
    await file.discard(!useless);
    if (large && useless) run.journal.end(entry.key);
    throw error;
  }
}

async function inOne(run: Run, entry: ObjectEntry, file: TargetFile, settings: DownloadSettings): Promise<ObjectFacts> {
  const following = run.meter.follow(entry.key, entry.size);
  const { bucket, target } = settings;
  const buffer = entry.size < GATHERED_FROM ? undefined : await run.buffers.take(WRITER_MEMORY, run.signal, target.memory);
  return run
    .request(entry.key, entry.size, async () => {
      const writer = buffer && new PieceWriter(file, buffer, 0);
      let position = 0;
      let checksum: RunningChecksum | undefined;
      let md5: RunningHash | undefined;
      let facts: ObjectFacts | undefined;
      try {
        const answer = await getObject(run.store, {
          bucket,
          key: entry.key,
          signal: run.signal,
          onData: (piece, headers) => {
            if (facts === undefined) {
              facts = factsOf(headers);
              if (facts.checksum !== undefined) checksum = runningChecksum(run.store.digests, facts.checksum.name);
              else if (isMd5(facts.etag) && !facts.encrypted) md5 = run.store.digests.md5();
            }
            checksum?.update(piece);
            md5?.update(piece);
            const at = position;
            position += piece.length;
            following.moved(piece.length);
            return writer === undefined ? file.write(at, piece) : writer.push(piece);
          },
        });
        await writer?.end();
        facts ??= factsOf(answer.headers);
        if (checksum !== undefined && checksum.value() !== facts.checksum?.value) throw mismatch(entry.key);
        if (md5 !== undefined && md5.hex() !== facts.etag) throw mismatch(entry.key);
        return { ...facts, size: position };
      } catch (error) {
        following.moved(-position);
        await writer?.settled().catch(() => {});
        throw error;
      }
    })
    .finally(() => {
      following.end();
      if (buffer !== undefined) run.buffers.give(buffer);
    });
}

async function inRanges(run: Run, entry: ObjectEntry, file: TargetFile, settings: DownloadSettings): Promise<ObjectFacts> {
  const { bucket } = settings;
  const { key } = entry;
  const facts = await run.request(key, 0, () => headObject(run.store, { bucket, key, signal: run.signal }));
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  const partSize = settings.partSize ?? Math.max(DEFAULT_PART_SIZE, Math.ceil(facts.size / 10_000));
  const count = partCount(facts.size, partSize);
  const following = run.meter.follow(key, facts.size);
  const have = await written(run, key, file, facts, partSize);
  if (have.size === 0)
    await run.journal.begin({ key, size: facts.size, version: facts.etag, partSize, begunMs: run.store.now() });
  const name = facts.checksum?.name ?? 'CRC32';
  const checksums: string[] = Array.from({ length: count });
  const inFlight = new Set<Promise<void>>();
  const broken: { by?: S3Error } = {};
  try {
    for (let number = 1; number <= count && broken.by === undefined; number++) {
      const part = partAt(number, facts.size, partSize);
      const known = have.get(number);
      if (known !== undefined) {
        checksums[number - 1] = known;
        following.passed(part.size);
        continue;
      }
      const fetching = range(run, { bucket, key, etag: facts.etag, name, ...part }, file, settings.target, following.moved)
        .then((checksum) => {
          checksums[number - 1] = checksum;
          run.journal.part(key, { number, etag: '', checksum });
        })
        .catch((error: unknown) => void (broken.by ??= toS3Error(error)))
        .finally(() => inFlight.delete(fetching));
      inFlight.add(fetching);
      while (inFlight.size > run.gate.limit) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    if (broken.by !== undefined) throw broken.by;
    await check(run, bucket, key, facts, file, checksums, partSize);
    return facts;
  } finally {
    await Promise.all(inFlight);
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
  if (file.read === undefined) return;
  const proof = await proofOf(run, bucket, key, facts);
  if (proof.kind === 'none') return;
  if (!(await matches(run, { size: facts.size, read: file.read.bind(file) }, proof, key))) throw mismatch(key);
}

const mismatch = (key: string): S3Error =>
  new S3Error('ChecksumMismatch', `${key}: what arrived is not what the store has a checksum of.`);
