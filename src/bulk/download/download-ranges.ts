import type { DownloadSettings } from './download-settings.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { DigestName } from '../s3/checksums.js';
import { getObject } from '../s3/commands/get-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import { journalPlace, unfinishedAt } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import { DEFAULT_PART_SIZE, partAt } from '../transfer/part-plan.js';
import type { Target, TargetFile } from '../types.js';
import { headObject } from '../list/head-object.js';
import { processParts, missingParts } from '../transfer/parallel-parts.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import { joinPartChecksums, multipartEtag } from '../multipart/part-digests.js';
import { verifyDownload, likelyDigest, matchesDigest, checksumMismatch, runningDigest } from '../verify/content-digest.js';
import type { ExpectedDigest } from '../verify/content-digest.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';

/** One that breaks off is fetched anew, and few large ones at once are slower than many. Bytes. */
const MAX_RANGE = 64 * 1024 * 1024;

/** How a large object comes. */
interface RangePlan {
  facts: ObjectHead;
  partSize: number;
  /** Digest that the whole object must match. */
  expected: ExpectedDigest;
  /** Digest computed of each range. If possible, the expected digest can be made of these. */
  sum: DigestName;
  /** Matching journal entry of an earlier run. */
  old: Unfinished | undefined;
  /** As `Target.open` wants it. */
  own: string | undefined;
}

/** Notes what is begun before there is a file of it: one that no run knows of would stay. */
export async function planDownload(context: TransferContext, key: string, settings: DownloadSettings): Promise<RangePlan> {
  const facts = await headObject(context, settings.bucket, key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  const { size, etag } = facts;
  const expected = await likelyDigest(context, settings.bucket, key, facts);
  const parts = expected.kind === 'parts' ? expected.partSize : Infinity;
  const usual = parts <= MAX_RANGE ? parts : Math.max(DEFAULT_PART_SIZE, Math.ceil(size / 10_000));
  const partSize = settings.partSize ?? usual;
  const sum = partSize === parts ? 'MD5' : expected.kind === 'checksum' ? expected.name : 'CRC32';
  const place = journalPlace('from', settings.bucket);
  const old = unfinishedAt(context.journal, key, place);
  const own = context.journal.resumable ? (old?.own ?? crypto.randomUUID()) : undefined;
  if (old?.version === etag && old.partSize === partSize && old.own === own) return { facts, expected, partSize, sum, old, own };
  await context.journal.begin({ key, place, size, version: etag, partSize, begunMs: context.store.now(), own });
  return { facts, expected, partSize, sum, old: undefined, own };
}

/** A large object, several ranges of it at once. @returns with `there`, the bytes of it that an earlier run had brought */
export async function downloadRanges(
  context: TransferContext,
  key: string,
  file: TargetFile,
  plan: RangePlan,
  settings: DownloadSettings,
): Promise<ObjectHead & { resumedBytes: number }> {
  const { bucket } = settings;
  const { facts, partSize, sum } = plan;
  const progress = context.meter.trackFile(key, facts.size);
  const have = await verifiedRanges(context, key, file, plan);
  const checksums: string[] = [];
  const missing = () => missingParts({ size: facts.size, partSize, completed: have }, checksums, progress);
  try {
    await processParts(context, missing, async (part) => {
      const wanted = { bucket, key, etag: facts.etag, sum, ...part };
      const checksum = await fetchRange(context, wanted, file, settings.target, progress);
      checksums[part.number - 1] = checksum;
      context.journal.addPart(key, { number: part.number, etag: '', checksum });
    });
    if (!provesContent(context, key, plan, checksums)) await verifyDownload(context, bucket, key, facts, file);
    return { ...facts, resumedBytes: progress.resumedBytes };
  } finally {
    progress.end();
  }
}

/** Returns the ranges that an earlier run wrote and whose bytes still have the recorded checksum. */
async function verifiedRanges(
  context: TransferContext,
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
    const same = await matchesDigest(context, slice, { ...proofBy(sum), value: checksum }, key).catch(() => false);
    if (same) have.set(number, checksum);
  }
  return have;
}

const proofBy = (sum: DigestName) =>
  sum === 'MD5' ? ({ kind: 'md5', value: '' } as const) : ({ kind: 'checksum', name: sum, value: '' } as const);

interface Range {
  bucket: string;
  key: string;
  etag: string;
  /** Digest to compute of the range. */
  sum: DigestName;
  start: number;
  size: number;
}

async function fetchRange(
  context: TransferContext,
  wanted: Range,
  file: TargetFile,
  { memory }: Target,
  progress: FileProgress,
): Promise<string> {
  const { bucket, key, etag, sum, start, size } = wanted;
  // Before the request: one that waited inside for memory could wait for those that wait for its place.
  const buffer = await context.buffers.acquire(WRITER_MEMORY, context.signal, memory);
  const fetch = async (moved: (bytes: number) => void): Promise<string> => {
    const writer = new PieceWriter(file, buffer, start);
    const checksum = runningDigest(context.store.digests, proofBy(sum));
    let position = 0;
    try {
      await getObject(context.store, {
        bucket,
        key,
        range: { start, end: start + size - 1 },
        ifMatch: etag,
        signal: context.signal,
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
  return context.executor.request(key, size, fetch, progress).finally(() => context.buffers.release(buffer));
}

/** @returns whether the sums of the ranges tell that what came is what the store has. @throws S3Error `ChecksumMismatch` */
function provesContent(
  context: TransferContext,
  key: string,
  { facts, partSize, expected, sum }: RangePlan,
  checksums: string[],
): boolean {
  if (expected.kind === 'checksum') {
    const parts = checksums.map((checksum) => ({ checksum }));
    if (joinPartChecksums(expected.name, parts, facts.size, partSize) === expected.value) return true;
    throw checksumMismatch(key);
  }
  const md5s = checksums.map((etag) => ({ etag }));
  return sum === 'MD5' && multipartEtag(context, md5s) === facts.etag;
}
