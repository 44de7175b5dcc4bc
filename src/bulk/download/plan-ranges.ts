import { S3Error } from '../errors.js';
import { journalPlace, findUnfinished } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import { headObject } from '../list/head-object.js';
import type { DigestName } from '../s3/checksums.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { DEFAULT_PART_SIZE, MULTIPART } from '../transfer/part-plan.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { likelyDigest } from '../verify/expected-digest.js';
import type { ExpectedDigest } from '../verify/expected-digest.js';
import type { DownloadSettings } from './download-settings.js';

/** A larger range loses too much when it breaks off, and a few large ranges are slower than many small ones. Bytes. */
const MAX_RANGE = 64 * 1024 * 1024;

/** Plan of a download in ranges. */
export interface RangePlan {
  head: ObjectHead;
  /** Bytes of each range. The last one may be shorter. */
  partSize: number;
  /** Digest that the whole object must match. */
  expected: ExpectedDigest;
  /** Digest that is computed of each range. If possible, the expected digest can be derived from these. */
  rangeDigest: DigestName;
  /** Journal entry of an earlier run whose ranges fit this plan. */
  resumable: Unfinished | undefined;
  /** Id in the name of the temporary file. A later run with the same id finds the file. */
  temporaryId: string | undefined;
}

/**
 * Decides which ranges of a large object are fetched, and records the download in the journal. The record comes before the
 * temporary file, because no run would delete an unrecorded file.
 * @throws S3Error `NoSuchKey`
 */
export async function planRanges(context: TransferContext, key: string, settings: DownloadSettings): Promise<RangePlan> {
  const { journal, store } = context;
  const head = await headObject(context, settings.bucket, key);
  if (head === undefined) throw new S3Error('NoSuchKey', `${key} no longer exists in the bucket ${settings.bucket}.`);
  const { size, etag } = head;
  const expected = await likelyDigest(context, settings.bucket, key, head);
  const partSize = settings.partSize ?? rangeSizeFor(size, expected);
  const rangeDigest = rangeDigestFor(expected, partSize);

  const place = journalPlace('from', settings.bucket);
  const earlier = findUnfinished(journal, key, place);
  const temporaryId = journal.resumable ? (earlier?.own ?? crypto.randomUUID()) : undefined;
  const plan = { head, expected, partSize, rangeDigest, temporaryId };
  const isSamePlan = earlier?.version === etag && earlier.partSize === partSize && earlier.own === temporaryId;
  if (isSamePlan) return { ...plan, resumable: earlier };
  await journal.begin({ key, place, size, version: etag, partSize, begunMs: store.now(), own: temporaryId });
  return { ...plan, resumable: undefined };
}

/**
 * Returns the size of the object's parts if it is known and at most `MAX_RANGE`, so that the MD5s of the ranges prove the ETag.
 * Otherwise returns the default size of a part.
 */
function rangeSizeFor(size: number, expected: ExpectedDigest): number {
  if (expected.kind === 'parts' && expected.partSize <= MAX_RANGE) return expected.partSize;
  return Math.max(DEFAULT_PART_SIZE, Math.ceil(size / MULTIPART.maxParts));
}

function rangeDigestFor(expected: ExpectedDigest, partSize: number): DigestName {
  if (expected.kind === 'parts' && expected.partSize === partSize) return 'MD5';
  return expected.kind === 'checksum' ? expected.name : 'CRC32';
}
