import type { Bucket } from '../../storage/blobs.js';
import { S3Error } from '../errors.js';
import { onlyChildren, readXml, requiredText } from '../xml/read.js';
import { xmlDocument } from '../xml/write.js';
import { Query } from './request.js';

/** Tags that an object and a bucket may have. */
const OBJECT_TAGS = 10;
export const BUCKET_TAGS = 50;
const KEY_MAX = 128;
const VALUE_MAX = 256;

function checked(pairs: readonly (readonly [string, string])[], most = OBJECT_TAGS): Record<string, string> {
  if (pairs.length > most)
    throw new S3Error('InvalidTag', `${most === OBJECT_TAGS ? 'Object' : 'Bucket'} tags cannot be greater than ${most}`);
  const tags = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (key === '' || key.length > KEY_MAX) throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid');
    if (value.length > VALUE_MAX) throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid');
    if (tags.has(key)) throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key');
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

/** `x-amz-tagging: a=1&b=2`, each part form-encoded. */
export const tagsFromHeader = (header: string): Record<string, string> => checked(new Query(header).pairs);

/** `<Tagging><TagSet><Tag><Key/><Value/></Tag>…` */
export function tagsFromXml(text: string, most = OBJECT_TAGS): Record<string, string> {
  const root = readXml(text, 'Tagging');
  const sets = onlyChildren(root, 'TagSet');
  if (sets.length !== 1) throw new S3Error('MalformedXML');
  const pairs = onlyChildren(sets[0]!, 'Tag').map((tag) => [requiredText(tag, 'Key'), requiredText(tag, 'Value')] as const);
  return checked(pairs, most);
}

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);

export function tagsXml(tags: Record<string, string>): string {
  const sorted = Object.entries(tags).sort(byName);
  return xmlDocument('Tagging', { TagSet: { Tag: sorted.map(([Key, Value]) => ({ Key, Value })) } });
}

/** Kept in the bucket's settings; undefined: never set, or deleted. */
export const bucketTags = (bucket: Bucket): Record<string, string> | undefined =>
  bucket.settings['tags'] as Record<string, string> | undefined;
