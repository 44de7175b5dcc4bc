import { queryString } from '../names.js';
import type { Store } from '../store.js';
import type { ObjectEntry } from '../types.js';
import { elements, textOf } from '../xml.js';
import { unquote } from './protect.js';

export interface ListObjects {
  bucket: string;
  prefix: string;
  delimiter?: string;
  token?: string;
  startAfter?: string;
  /** 1..1000 */
  limit?: number;
  signal: AbortSignal;
}

export interface ListPage {
  objects: ObjectEntry[];
  /** With a delimiter: what lies behind it, rolled up. */
  prefixes: string[];
  token: string | undefined;
}

/** Source: AWS API reference, ListObjectsV2. Keys travel URL-encoded, since XML cannot hold every character of one. */
export async function listObjects(store: Store, list: ListObjects): Promise<ListPage> {
  const query = queryString({
    'continuation-token': list.token,
    delimiter: list.delimiter,
    'encoding-type': 'url',
    'list-type': 2,
    'max-keys': list.limit,
    prefix: list.prefix,
    'start-after': list.startAfter,
  });
  const answer = await store.send({ method: 'GET', bucket: list.bucket, query, signal: list.signal });
  const xml = new TextDecoder().decode(answer.body);
  const decode = textOf(xml, 'EncodingType') === 'url' ? decodeUrl : (text: string): string => text;
  const objects: ObjectEntry[] = [];
  for (const one of elements(xml, 'Contents')) objects.push(entryOf(one, decode));
  const prefixes: string[] = [];
  for (const one of elements(xml, 'CommonPrefixes')) prefixes.push(decode(textOf(one, 'Prefix') ?? ''));
  const more = textOf(xml, 'IsTruncated') === 'true';
  return { objects, prefixes, token: more ? textOf(xml, 'NextContinuationToken') : undefined };
}

function entryOf(xml: string, decode: (text: string) => string): ObjectEntry {
  const storageClass = textOf(xml, 'StorageClass');
  return {
    key: decode(textOf(xml, 'Key') ?? ''),
    size: Number(textOf(xml, 'Size')),
    etag: unquote(textOf(xml, 'ETag')),
    lastModifiedMs: Date.parse(textOf(xml, 'LastModified') ?? '') || 0,
    ...(storageClass !== undefined && { storageClass }),
  };
}

/** As forms encode: `+` is a space. */
function decodeUrl(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // A key of bytes that are no UTF-8 stays as it was sent: it can be shown, though not reached.
    return text;
  }
}
