import type { Bucket } from '../../storage/blob-storage.js';
import { S3ServiceError } from '../errors.js';
import { onlyChildren, readXml, requiredText } from '../xml/read-xml.js';
import { xmlDocument } from '../xml/write-xml.js';
import { Query } from './request.js';

const MAX_OBJECT_TAGS = 10;
export const MAX_BUCKET_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

function validateTags(pairs: readonly (readonly [string, string])[], limit = MAX_OBJECT_TAGS): Record<string, string> {
  if (pairs.length > limit)
    throw new S3ServiceError(
      'InvalidTag',
      `${limit === MAX_OBJECT_TAGS ? 'Object' : 'Bucket'} tags cannot be greater than ${limit}`,
    );
  const tags = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (key === '' || key.length > MAX_KEY_LENGTH)
      throw new S3ServiceError('InvalidTag', 'The TagKey you have provided is invalid');
    if (value.length > MAX_VALUE_LENGTH) throw new S3ServiceError('InvalidTag', 'The TagValue you have provided is invalid');
    if (tags.has(key)) throw new S3ServiceError('InvalidTag', 'Cannot provide multiple Tags with the same key');
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

/** Parses `x-amz-tagging: a=1&b=2`. */
export const tagsFromHeader = (header: string): Record<string, string> => validateTags(new Query(header).pairs);

/** Parses `<Tagging><TagSet><Tag><Key/><Value/></Tag>…`. */
export function tagsFromXml(text: string, limit = MAX_OBJECT_TAGS): Record<string, string> {
  const root = readXml(text, 'Tagging');
  const sets = onlyChildren(root, 'TagSet');
  if (sets.length !== 1) throw new S3ServiceError('MalformedXML');
  const pairs = onlyChildren(sets[0]!, 'Tag').map((tag) => [requiredText(tag, 'Key'), requiredText(tag, 'Value')] as const);
  return validateTags(pairs, limit);
}

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);

export function tagsXml(tags: Record<string, string>): string {
  const sorted = Object.entries(tags).sort(byName);
  return xmlDocument('Tagging', { TagSet: { Tag: sorted.map(([Key, Value]) => ({ Key, Value })) } });
}

/** @returns undefined if the bucket has no tag set. */
export const bucketTags = (bucket: Bucket): Record<string, string> | undefined =>
  bucket.settings['tags'] as Record<string, string> | undefined;
