import { S3Error } from '../errors.js';
import { onlyChildren, readXml, requiredText } from '../xml/read.js';
import { Query } from './request.js';

const MAX_TAGS = 10;
const KEY_MAX = 128;
const VALUE_MAX = 256;

function checked(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  if (pairs.length > MAX_TAGS) throw new S3Error('InvalidTag', `Object tags cannot be greater than ${MAX_TAGS}`);
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
export function tagsFromXml(text: string): Record<string, string> {
  const root = readXml(text, 'Tagging');
  const sets = onlyChildren(root, 'TagSet');
  if (sets.length !== 1) throw new S3Error('MalformedXML');
  return checked(onlyChildren(sets[0]!, 'Tag').map((tag) => [requiredText(tag, 'Key'), requiredText(tag, 'Value')] as const));
}
