import { joinPartChecksums, multipartEtag } from '../multipart/part-digests.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { processParts, splitParts } from '../transfer/parallel-parts.js';
import { partAt } from '../transfer/part-plan.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { TargetFile } from '../types.js';
import { checksumMismatch, matchesDigest } from '../verify/running-digest.js';
import { verifyDownload } from '../verify/verify-download.js';
import type { DownloadSettings } from './download-settings.js';
import { digestOfRange, fetchRange } from './fetch-range.js';
import type { RangePlan } from './plan-ranges.js';

/**
 * Downloads the ranges of a large object, several at once, and verifies the whole object.
 * @returns `resumedBytes`: bytes that an earlier run had fetched
 * @throws S3Error `ChecksumMismatch` and errors of the requests
 */
export async function downloadRanges(
  context: TransferContext,
  key: string,
  file: TargetFile,
  plan: RangePlan,
  { bucket, target }: DownloadSettings,
): Promise<ObjectHead & { resumedBytes: number }> {
  const { head, partSize, rangeDigest } = plan;
  const progress = context.meter.trackFile(key, head.size);
  const completed = await verifiedRanges(context, key, file, plan);
  const { missing, results: digests } = splitParts({ size: head.size, partSize, completed }, progress);
  try {
    await processParts(
      context,
      () => missing,
      async ({ number, start, size }) => {
        const range = { bucket, key, etag: head.etag, digest: rangeDigest, start, size };
        const checksum = await fetchRange(context, range, file, target, progress);
        digests[number - 1] = checksum;
        context.journal.addPart(key, { number, etag: '', checksum });
      },
    );
    if (!proveContent(context, key, plan, digests)) await verifyDownload(context, bucket, key, head, file);
    return { ...head, resumedBytes: progress.resumedBytes };
  } finally {
    progress.end();
  }
}

/** Returns the digests of the ranges that an earlier run wrote and whose bytes still match, by part number. */
async function verifiedRanges(
  context: TransferContext,
  key: string,
  file: TargetFile,
  { head, partSize, rangeDigest, resumable }: RangePlan,
): Promise<Map<number, string>> {
  const verified = new Map<number, string>();
  if (resumable === undefined || file.read === undefined) return verified;
  const read = file.read.bind(file);
  for (const { number, checksum } of resumable.parts.values()) {
    const part = partAt(number, head.size, partSize);
    const range = { size: part.size, read: (position: number, into: Uint8Array) => read(part.start + position, into) };
    const expected = { ...digestOfRange(rangeDigest), value: checksum };
    // An unreadable range is fetched again.
    if (await matchesDigest(context, range, expected, key).catch(() => false)) verified.set(number, checksum);
  }
  return verified;
}

/**
 * Compares the digests of the ranges with the digest of the object.
 * @returns false if the digests of the ranges prove nothing; then the file itself must be verified
 * @throws S3Error `ChecksumMismatch`
 */
function proveContent(
  context: TransferContext,
  key: string,
  { head, partSize, expected, rangeDigest }: RangePlan,
  digests: string[],
): boolean {
  if (expected.kind === 'checksum') {
    const parts = digests.map((checksum) => ({ checksum }));
    if (joinPartChecksums(expected.name, parts, head.size, partSize) === expected.value) return true;
    throw checksumMismatch(key);
  }
  const md5s = digests.map((etag) => ({ etag }));
  return rangeDigest === 'MD5' && multipartEtag(context, md5s) === head.etag;
}
