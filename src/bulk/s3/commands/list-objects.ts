import { xmlDocument } from '../response-error.js';
import { truncateText } from '../../../protocol/display-text.js';
import { S3Error } from '../../errors.js';
import { compareKeys, queryString } from '../object-keys.js';
import type { Store } from '../object-store.js';
import type { ObjectEntry } from '../../types.js';
import { elements, textOf } from '../xml.js';
import { fromHex, unquote } from './body-checksums.js';

/** Request for one page of a listing. */
export interface ListObjects {
  bucket: string;
  prefix: string;
  /** Groups keys by the text up to this delimiter. @default no groups */
  delimiter?: string;
  /** Most keys of the page. @default the limit of the store */
  max?: number;
  /** End of the page before. @default the first page */
  next?: PagePosition;
  signal: AbortSignal;
}

/** Position at which the next page begins. */
export type PagePosition =
  /** Token of the store. */
  | { token: string }
  /** Last key of the page, for stores that send no token because they only know the first version of the command. */
  | { after: string };

/** One page of a listing. */
export interface ListPage {
  objects: ObjectEntry[];
  /** Common prefixes of the groups, with a delimiter. */
  prefixes: string[];
  /** Position of the next page; undefined after the last one. */
  next: PagePosition | undefined;
}

/**
 * Lists one page of objects. Keys are requested URL-encoded, because XML cannot hold every character of a key.
 * @throws S3Error `ListingBroken`, `UnexpectedAnswer` if the page cannot be right
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export async function listObjects(store: Store, list: ListObjects): Promise<ListPage> {
  const { token, after } = { ...list.next } as { token?: string; after?: string };
  const query = queryString({
    'continuation-token': token,
    delimiter: list.delimiter,
    'encoding-type': 'url',
    'list-type': 2,
    // Name of `start-after` in the first version of the command.
    marker: after,
    'max-keys': list.max,
    prefix: list.prefix,
    'start-after': after,
  });
  const response = await store.send({ method: 'GET', bucket: list.bucket, query, signal: list.signal });
  const xml = xmlDocument(response);
  const decode = textOf(xml, 'EncodingType') === 'url' ? decodeUrl : (text: string): string => text;
  const objects: ObjectEntry[] = [];
  for (const element of elements(xml, 'Contents')) objects.push(parseEntry(element, decode));
  const prefixes: string[] = [];
  for (const element of elements(xml, 'CommonPrefixes')) prefixes.push(decode(textOf(element, 'Prefix') ?? ''));
  const names = [...objects.map(({ key }) => key), ...prefixes];
  // A cache that ignores the query may return the listing of another prefix.
  const outside = names.find((name) => !name.startsWith(list.prefix));
  if (outside !== undefined)
    throw new S3Error('ListingBroken', `Keys that begin with ${list.prefix} were requested, but the store listed ${outside}.`);
  const next = textOf(xml, 'IsTruncated') === 'true' ? nextOf(xml, names, after) : undefined;
  return { objects, prefixes, next };
}

function nextOf(xml: string, names: string[], after: string | undefined): PagePosition {
  const token = textOf(xml, 'NextContinuationToken');
  if (token) return { token };
  const last = names.sort(compareKeys).pop();
  if (last === undefined || (after !== undefined && compareKeys(last, after) <= 0))
    throw new S3Error('UnexpectedAnswer', 'The store reports more keys, but the page does not advance.');
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

/** @throws S3Error `ListingBroken` for an impossible size, which would make totals and comparisons wrong */
function sizeOf(xml: string): number {
  const text = textOf(xml, 'Size') ?? '';
  const size = Number(text);
  if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(size)) return size;
  throw new S3Error('ListingBroken', `The store states the size "${truncateText(text, 40)}" of an object.`);
}

/** Decodes form encoding, where `+` is a space. Keys that are not UTF-8 can be displayed but not requested. */
function decodeUrl(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => new TextDecoder().decode(fromHex(bytes.replaceAll('%', ''))));
  }
}
