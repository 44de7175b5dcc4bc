import { multipartEtag as etagOfParts } from '../../protocol/checksums/multipart-checksums.js';
import { joinChecksums } from '../s3/checksums.js';
import type { ChecksumName } from '../s3/checksums.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';

/**
 * Metadata that holds the part size of a multipart object. Stores without checksums compute its ETag over the parts, and some of
 * them do not return the size of a part.
 */
export const PART_SIZE_METADATA = 'svc-part-size';

/** Returns the ETag of an object made of parts. @returns undefined if the ETags of the parts are not MD5s */
export function multipartEtag(context: TransferContext, parts: { etag: string }[]): string | undefined {
  if (!parts.every((part) => /^[0-9a-f]{32}$/.test(part.etag))) return undefined;
  return etagOfParts(
    context.store.digests.md5(),
    parts.map((part) => part.etag),
  );
}

/** Returns whether an ETag has the form of one computed over the ETags of parts. */
export const hasMultipartEtag = ({ encrypted, etag }: ObjectHead): boolean => !encrypted && /^[0-9a-f]{32}-\d+$/.test(etag);

/**
 * Joins the checksums of parts into the checksum of the object.
 * @param parts all of `partSize` bytes except the last one
 * @param size bytes of the object
 */
export const joinPartChecksums = (name: ChecksumName, parts: { checksum: string }[], size: number, partSize: number): string =>
  joinChecksums(
    name,
    parts.map(({ checksum }, index) => ({ checksum, size: Math.min(partSize, size - index * partSize) })),
  );
