import type { FileRecord } from '../../../protocol/types.js';
import type { IconName } from '../../components/icon.js';
import type { Place, Router } from '../../shell/router.js';

/** A row of the list. */
export type Entry =
  | { kind: 'folder'; key: string; name: string; prefix: string }
  | { kind: 'file'; key: string; name: string; file: FileRecord };

/** @param prefix the path of the folder with its final slash */
export const folderEntry = (prefix: string): Entry => ({
  kind: 'folder',
  key: `folder:${prefix}`,
  name: prefix.slice(0, -1).replace(/^.*\//s, ''),
  prefix,
});

export const fileKey = (id: string): string => `file:${id}`;

export const fileEntry = (file: FileRecord): Entry => ({ kind: 'file', key: fileKey(file.id), name: file.name, file });

/** Returns the name in the list. @param searched the folder of a search. Names then include the path below it. */
export function shownName(entry: Entry, searched?: string): string {
  if (searched !== undefined && entry.kind === 'file') return entry.file.path.slice(searched.length);
  // Keys that were stored over S3 may have empty segments.
  return entry.name === '' ? '/' : entry.name;
}

export function iconOf(entry: Entry): IconName {
  if (entry.kind === 'folder') return 'folder';
  const type = entry.file.content_type;
  if (type.startsWith('image/')) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  return /zip|tar|compressed|rar|7z/.test(type) ? 'archive' : 'file';
}

/** Browsers resolve these segments of an address, so a folder with one has its path in a parameter. */
const RESOLVED = /^\.{1,2}$/;

/** Returns the path of the folder at a place: `''` or a path with a final slash. */
export function prefixOf({ segments, params }: Place): string {
  const path = params.get('prefix') ?? segments.join('/');
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}

/** Returns the address of a folder. The order of the list stays. */
export function folderHref(router: Router, prefix: string): string {
  const segments = prefix === '' ? [] : prefix.slice(0, -1).split('/');
  const kept = Object.fromEntries(['sort', 'order', 'view'].map((name) => [name, router.place.params.get(name) ?? undefined]));
  return segments.some((segment) => segment === '' || RESOLVED.test(segment))
    ? router.href('files', [], { ...kept, prefix })
    : router.href('files', segments, kept);
}
