import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { Location } from './locations.js';
import type { PropertyFlags, TransferFlags } from './flags.js';

/** Flags by the name of their option. */
type Flag = keyof TransferFlags | 'expectedSize';

const PROPERTIES = {
  storageClass: true,
  metadata: true,
  cacheControl: true,
  contentType: true,
  contentDisposition: true,
  contentEncoding: true,
  contentLanguage: true,
  expires: true,
  acl: true,
  sse: true,
  sseKmsKeyId: true,
  tags: true,
} satisfies Record<keyof PropertyFlags, true>;

/** Flags that do not apply to downloads, because they set properties of objects or control the sending of bytes. */
const NOT_FOR_DOWNLOADS: Flag[] = [...(Object.keys(PROPERTIES) as Flag[]), 'integrity', 'expectedSize'];
/** Flags that do not apply to copies within S3, which send no bytes through this machine. */
const NOT_FOR_COPIES: Flag[] = ['integrity', 'partSize', 'symlinks', 'times', 'preserveMode', 'expectedSize'];
/** Flags that do not apply to uploads. */
const NOT_FOR_UPLOADS: Flag[] = ['preserveMode'];

/**
 * Rejects flags that would have no effect.
 * @param alsoForDownloads further flags that do not apply to downloads
 * @throws UsageError
 */
export function rejectInapplicableFlags(
  command: Command,
  source: Location,
  target: Location,
  alsoForDownloads: Flag[] = [],
): void {
  const [inapplicableFlags, operation] =
    source.kind !== 's3'
      ? [NOT_FOR_UPLOADS, 'an upload']
      : target.kind === 's3'
        ? [NOT_FOR_COPIES, 'a copy within S3']
        : [[...NOT_FOR_DOWNLOADS, ...alsoForDownloads], 'a download'];
  const option = command.options.find(
    (candidate) =>
      inapplicableFlags.includes(candidate.attributeName() as Flag) &&
      command.getOptionValueSource(candidate.attributeName()) === 'cli',
  );
  if (option !== undefined) throw new UsageError(`${option.long} does not apply to ${operation}`);
}
