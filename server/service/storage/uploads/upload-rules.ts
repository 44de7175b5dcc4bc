import { BlobError } from '../../../../src/protocol/errors.js';
import { hasAllowedExtension } from '../../../../src/protocol/extensions.js';
import { baseName, isWithin } from '../../../../src/protocol/paths.js';
import type { Visibility } from '../../../../src/protocol/types.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { tooLarge } from './hashing-stream.js';
import type { FileProperties } from '../types.js';

/** Limits and defaults that the owner sets for a folder. They hold for REST, tus and S3. */
export interface Rule {
  maxSize: number | null;
  allowedExtensions: string[] | null;
  visibility: Visibility | null;
  cacheControl: string | null;
  /** Seconds after which a file expires. */
  expiresAfter: number | null;
  /** Sizes of images that everyone may request. */
  imageSizes: string[];
}

const rulesOf = preparedQuery<{ bucketId: string }>()((query, { bucketId }) =>
  query.selectFrom('rules').selectAll().where('bucket_id', '=', bucketId),
);

/** Finds the rule of the innermost folder that has one. */
export async function ruleFor(query: Query, bucketId: string, key: string): Promise<Rule | undefined> {
  const rows = await rulesOf.all(query, { bucketId });
  const row = rows
    .filter(({ prefix }) => prefix === '' || isWithin(key, prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length)[0];
  return (
    row && {
      maxSize: row.max_size,
      allowedExtensions: row.extensions_json === null ? null : (JSON.parse(row.extensions_json) as string[]),
      visibility: row.visibility,
      cacheControl: row.cache_control,
      expiresAfter: row.expires_after,
      imageSizes: row.image_sizes_json === null ? [] : (JSON.parse(row.image_sizes_json) as string[]),
    }
  );
}

/** @param size bytes. @throws `BLOCKED_FILE_TYPE`, `BLOB_FILE_TOO_LARGE`. */
export function assertRule(rule: Rule | undefined, key: string, size: number): void {
  // The marker of a folder is no file.
  if (!rule || (key.endsWith('/') && size === 0)) return;
  const { allowedExtensions, maxSize } = rule;
  if (allowedExtensions && !hasAllowedExtension(baseName(key), allowedExtensions))
    throw new BlobError('BLOCKED_FILE_TYPE', `This folder takes files of type ${allowedExtensions.join(', ')}.`, {
      details: { allowed_extensions: allowedExtensions, name: baseName(key) },
    });
  if (maxSize !== null && size > maxSize) throw tooLarge(maxSize);
}

/** Fills the properties that an upload leaves open with the defaults of the rule. */
export function applyRuleDefaults(rule: Rule | undefined, properties: FileProperties, now: number): FileProperties {
  if (!rule) return properties;
  const { visibility = rule.visibility, cacheControl = rule.cacheControl } = properties;
  const expiresAt =
    properties.expiresAt === undefined && rule.expiresAfter !== null ? now + rule.expiresAfter * 1000 : properties.expiresAt;
  return {
    ...properties,
    ...(visibility && { visibility }),
    cacheControl,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
