import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { assertConditions } from '../files/conditions.js';
import type { StorageContext } from '../context.js';
import { isLive } from '../files/lock-file.js';
import { assertRule, ruleFor } from './upload-rules.js';
import type { Rule } from './upload-rules.js';
import type { Conditions } from '../types.js';
import type { Storage } from '../../identity/credential.js';

const fileAtKey = preparedQuery<{ bucketId: string; key: string }>()((query, { bucketId, key }) =>
  query.selectFrom('files').select(['etag', 'expires_at']).where('bucket_id', '=', bucketId).where('key', '=', key),
);

/**
 * Checks the folder's rule and the conditions before the first byte. The commit checks them again under a lock.
 * @param expected.size bytes; 0 when unknown.
 * @returns the rule of the folder.
 * @throws what `assertRule` and `assertConditions` throw.
 */
export async function precheckUpload(
  context: StorageContext,
  query: Query,
  { bucketId }: Storage,
  key: string,
  { size, conditions }: { size: number; conditions: Conditions },
): Promise<Rule | undefined> {
  const rule = await ruleFor(query, bucketId, key);
  assertRule(rule, key, size);
  const row = await fileAtKey.first(query, { bucketId, key });
  assertConditions(isLive(row, context.now()) ? row : undefined, key, conditions);
  return rule;
}
