import { xmlDocument } from '../response-error.js';
import { truncateText } from '../../../protocol/display-text.js';
import { S3Error } from '../../errors.js';
import { compareKeys, queryString } from '../object-keys.js';
import type { Store } from '../object-store.js';
import type { ObjectEntry } from '../../types.js';
import { elements, textOf } from '../xml.js';
import { fromHex, unquote } from './body-checksums.js';

export interface ListObjects {
  bucket: string;
  prefix: string;
  delimiter?: string;
  /** Keys of a page. @default as many as the store likes */
  max?: number;
  /** Where the page before ended. */
  next?: ListNext;
  signal: AbortSignal;
}

export type ListNext =
  /** As the store says it. */
  | { token: string }
  /** The last key, where a store tells no token: those that know the first version of the command only. */
  | { after: string };

export interface ListPage {
  objects: ObjectEntry[];
  /** With a delimiter: what lies behind it, rolled up. */
  prefixes: string[];
  /** Undefined at the end. */
  next: ListNext | undefined;
}

/** Source: AWS API reference, ListObjectsV2. Keys travel URL-encoded, since XML cannot hold every character of one. */
export async function listObjects(store: Store, list: ListObjects): Promise<ListPage> {
  const { token, after } = { ...list.next } as { token?: string; after?: string };
  const query = queryString({
    'continuation-token': token,
    delimiter: list.delimiter,
    'encoding-type': 'url',
    'list-type': 2,
    // The name that the first version has for it.
    marker: after,
    'max-keys': list.max,
    prefix: list.prefix,
    'start-after': after,
  });
  const response = await store.send({ method: 'GET', bucket: list.bucket, query, signal: list.signal });
  const xml = xmlDocument(response);
  const decode = textOf(xml, 'EncodingType') === 'url' ? decodeUrl : (text: string): string => text;
  const objects: ObjectEntry[] = [];
  for (const one of elements(xml, 'Contents')) objects.push(parseEntry(one, decode));
  const prefixes: string[] = [];
  for (const one of elements(xml, 'CommonPrefixes')) prefixes.push(decode(textOf(one, 'Prefix') ?? ''));
  const names = [...objects.map(({ key }) => key), ...prefixes];
  // An response to another question: from a cache that overlooks a query, say.
  const strange = names.find((name) => !name.startsWith(list.prefix));
  if (strange !== undefined)
    throw new S3Error('ListingBroken', `The store was asked for what begins with ${list.prefix}, and tells ${strange}.`);
  const next = textOf(xml, 'IsTruncated') === 'true' ? nextOf(xml, names, after) : undefined;
  return { objects, prefixes, next };
}

function nextOf(xml: string, names: string[], after: string | undefined): ListNext {
  const token = textOf(xml, 'NextContinuationToken');
  if (token) return { token };
  const last = names.sort(compareKeys).pop();
  if (last === undefined || (after !== undefined && compareKeys(last, after) <= 0))
    throw new S3Error('UnexpectedAnswer', 'The store says that it has more keys, and lists none of them.');
  return { after: last };
}

function parseEntry(xml: string, decode: (text: string) => string): ObjectEntry {
  const storageClass = textOf(xml, 'StorageClass');
  return {
    key: decode(textOf(xml, 'Key') ?? ''),
    size: sizeOf(xml),
    etag: unquote(textOf(xml, 'ETag')),
    lastModifiedMs: Date.parse(textOf(xml, 'LastModified') ?? '') || 0,
    ...(storageClass !== undefined && { storageClass }),
  };
}

/** @throws S3Error `ListingBroken` for a size that no object has: totals and comparisons would be wrong without a word */
function sizeOf(xml: string): number {
  const text = textOf(xml, 'Size') ?? '';
  const size = Number(text);
  if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(size)) return size;
  throw new S3Error('ListingBroken', `The store states the size "${truncateText(text, 40)}" of an object.`);
}

/** Decodes form encoding, where `+` is a space. Keys that are not UTF-8 can be shown but not requested. */
function decodeUrl(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => new TextDecoder().decode(fromHex(bytes.replaceAll('%', ''))));
  }
}
