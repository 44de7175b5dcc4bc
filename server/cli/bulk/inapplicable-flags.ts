import type { Command } from 'commander';
import { UsageError } from '../report-failure.js';
import type { Spot } from './locations.js';
import type { PropertyFlags, TransferFlags } from './flags.js';

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

/** What is of objects that are made, or of how their bytes are sent. */
const DOWN: Flag[] = [...(Object.keys(PROPERTIES) as Flag[]), 'integrity', 'expectedSize'];
/** Flags that only apply when bytes pass through this machine. */
const WITHIN: Flag[] = ['integrity', 'partSize', 'symlinks', 'times', 'preserveMode', 'expectedSize'];
/** Flags that only apply to downloads. */
const UP: Flag[] = ['preserveMode'];

/** A flag that would do nothing is a misunderstanding. @param also further ones of a download @throws UsageError */
export function refuseUseless(command: Command, source: Spot, target: Spot, also: Flag[] = []): void {
  const [useless, what] =
    source.kind !== 's3'
      ? [UP, 'an upload']
      : target.kind === 's3'
        ? [WITHIN, 'a copy within S3']
        : [[...DOWN, ...also], 'a download'];
  const option = command.options.find(
    (one) => useless.includes(one.attributeName() as Flag) && command.getOptionValueSource(one.attributeName()) === 'cli',
  );
  if (option !== undefined) throw new UsageError(`${option.long} says nothing of ${what}`);
}
