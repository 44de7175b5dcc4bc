import type { Place } from '../types.js';
import { invalidOption, requireOneOf } from '../validate.js';

/**
 * Checks the options of a sync. With `delete`, a prefix must name a folder: `backup` would also match `backup-2/`.
 * @throws S3Error `InvalidOption`
 */
export function validateSyncOptions(
  { compare, delete: deletes }: { compare?: string; delete?: boolean },
  ...places: Place[]
): void {
  requireOneOf('compare', compare, ['times', 'size', 'checksum']);
  for (const { prefix } of deletes ? places : [])
    if (prefix !== '' && !prefix.endsWith('/'))
      throw invalidOption('prefix', prefix, `a folder that ends in a slash when delete is set (use ${prefix}/)`);
}
