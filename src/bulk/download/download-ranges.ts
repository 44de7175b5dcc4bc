import type { SumName } from '../s3/checksums.js';
import { getObject } from '../s3/commands/get-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import { placeOf, unfinishedAt } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import { DEFAULT_PART_SIZE, partAt } from '../transfer/part-plan.js';
import type { Target, TargetFile } from '../types.js';
import type { DownloadSettings } from './download-file.js';
import { factsAt } from '../list/head-object.js';
import { inParallel, missingParts } from '../transfer/in-parallel.js';
import type { Following } from '../transfer/progress-meter.js';
import { joinAll, multipartEtag } from '../transfer/multipart-session.js';
import { checkFile, likelyProof, matches, mismatch, running } from '../verify/object-check.js';
import type { Proof } from '../verify/object-check.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';
import type { Run } from '../transfer/run.js';

/** One that breaks off is fetched anew, and few large ones at once are slower than many. Bytes. */
const MAX_RANGE = 64 * 1024 * 1024;

/** How a large object comes. */
interface RangePlan {
  facts: ObjectFacts;
  partSize: number;
  /** What the whole is to be compared with. */
  proof: Proof;
  /** What is computed of each range: what the proof can be made of, if that is possible. */
  sum: SumName;
  /** What an earlier run noted of it, as it is now. */
  old: Unfinished | undefined;
  /** As `Target.open` wants it. */
  own: string | undefined;
}

/** Notes what is begun before there is a file of it: one that no run knows of would stay. */
export async function planRanges(run: Run, key: string, settings: DownloadSettings): Promise<RangePlan> {
  const facts = await factsAt(run, settings.bucket, key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  const { size, etag } = facts;
  const proof = await likelyProof(run, settings.bucket, key, facts);
  const parts = proof.kind === 'parts' ? proof.partSize : Infinity;
  const usual = parts <= MAX_RANGE ? parts : Math.max(DEFAULT_PART_SIZE, Math.ceil(size / 10_000));
  const partSize = settings.partSize ?? usual;
  const sum = partSize === parts ? 'MD5' : proof.kind === 'checksum' ? proof.name : 'CRC32';
  const place = placeOf('from', settings.bucket);
  const old = unfinishedAt(run.journal, key, place);
  const own = run.journal.resumable ? (old?.own ?? crypto.randomUUID()) : undefined;
  if (old?.version === etag && old.partSize === partSize && old.own === own) return { facts, proof, partSize, sum, old, own };
  await run.journal.begin({ key, place, size, version: etag, partSize, begunMs: run.store.now(), own });
  return { facts, proof, partSize, sum, old: undefined, own };
}

/** A large object, several ranges of it at once. @returns with `there`, the bytes of it that an earlier run had brought */
export async function fetchRanges(
  run: Run,
  key: string,
  file: TargetFile,
  plan: RangePlan,
  settings: DownloadSettings,
): Promise<ObjectFacts & { there: number }> {
  const { bucket } = settings;
  const { facts, partSize, sum } = plan;
  const following = run.meter.follow(key, facts.size);
  const have = await written(run, key, file, plan);
  const checksums: string[] = [];
  const missing = () => missingParts({ size: facts.size, partSize, have }, checksums, following);
  try {
    await inParallel(run, missing, async (part) => {
      const wanted = { bucket, key, etag: facts.etag, sum, ...part };
      const checksum = await range(run, wanted, file, settings.target, following);
      checksums[part.number - 1] = checksum;
      run.journal.part(key, { number: part.number, etag: '', checksum });
    });
    if (!isRight(run, key, plan, checksums)) await checkFile(run, bucket, key, facts, file);
    return { ...facts, there: following.there };
  } finally {
    following.end();
  }
}

/** What the earlier run wrote: ranges whose bytes still have the checksum that was noted. */
async function written(
  run: Run,
  key: string,
  file: TargetFile,
  { facts, partSize, sum, old }: RangePlan,
): Promise<Map<number, string>> {
  const have = new Map<number, string>();
  const { read } = file;
  if (old === undefined || read === undefined) return have;
  const source = { size: facts.size, read: read.bind(file) };
  for (const { number, checksum } of old.parts.values()) {
    const part = partAt(number, facts.size, partSize);
    const slice = { size: part.size, read: (at: number, into: Uint8Array) => source.read(part.start + at, into) };
    const same = await matches(run, slice, { ...proofBy(sum), value: checksum }, key).catch(() => false);
    if (same) have.set(number, checksum);
  }
  return have;
}

const proofBy = (sum: SumName) =>
  sum === 'MD5' ? ({ kind: 'md5', value: '' } as const) : ({ kind: 'checksum', name: sum, value: '' } as const);

interface Range {
  bucket: string;
  key: string;
  etag: string;
  /** What is computed of it. */
  sum: SumName;
  start: number;
  size: number;
}

async function range(run: Run, wanted: Range, file: TargetFile, { memory }: Target, following: Following): Promise<string> {
  const { bucket, key, etag, sum, start, size } = wanted;
  // Before the request: one that waited inside for memory could wait for those that wait for its place.
  const buffer = await run.buffers.take(WRITER_MEMORY, run.signal, memory);
  const fetch = async (moved: (bytes: number) => void): Promise<string> => {
    const writer = new PieceWriter(file, buffer, start);
    const checksum = running(run.store.digests, proofBy(sum));
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
      await writer.settled().catch(() => {});
      throw error;
    }
  };
  return run.request(key, size, fetch, following).finally(() => run.buffers.give(buffer));
}

/** @returns whether the sums of the ranges tell that what came is what the store has. @throws S3Error `ChecksumMismatch` */
function isRight(run: Run, key: string, { facts, partSize, proof, sum }: RangePlan, checksums: string[]): boolean {
  if (proof.kind === 'checksum') {
    const parts = checksums.map((checksum) => ({ checksum }));
    if (joinAll(proof.name, parts, facts.size, partSize) === proof.value) return true;
    throw mismatch(key);
  }
  const md5s = checksums.map((etag) => ({ etag }));
  return sum === 'MD5' && multipartEtag(run, md5s) === facts.etag;
}
