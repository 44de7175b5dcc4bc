import { baseName } from '../../../../src/protocol/paths.js';
import { commonPrefixOf } from '../files/key-order.js';
import type { StoredFile } from '../types.js';

/** Groups of content types that people search for. Other values of `FileFilter.type` are content types. */
export const TYPE_GROUPS = {
  image: (type: string) => type.startsWith('image/'),
  video: (type: string) => type.startsWith('video/'),
  audio: (type: string) => type.startsWith('audio/'),
  pdf: (type: string) => type === 'application/pdf',
  text: (type: string) => type.startsWith('text/') || ['application/json', 'application/xml'].includes(type),
} as const;

/** Conditions on files. All must hold; undefined conditions hold for every file. */
export interface FileFilter {
  /** The start of the keys. */
  prefix?: string;
  /** Only files directly in the folder `prefix`. */
  direct?: boolean;
  /** Part of the file name, without regard to case. */
  name?: string;
  /** A key of `TYPE_GROUPS` or a content type. */
  type?: string;
  /** Bytes, inclusive. */
  minSize?: number;
  maxSize?: number;
  /** ms since 1970, inclusive. */
  updatedAfter?: number;
  updatedBefore?: number;
}

/** The columns of a file that filters and orders need. Columns that a query does not need are undefined. */
export interface ScannedRow {
  key: string;
  size?: number;
  updated_at?: number;
  content_type?: string;
}

/** Returns the columns that a filter needs. An index contains some of them, so few columns make a scan faster. */
export function columnsOfFilter({ type, minSize, maxSize, updatedAfter, updatedBefore }: FileFilter): (keyof ScannedRow)[] {
  return [
    'key',
    ...(type === undefined ? [] : (['content_type'] as const)),
    ...(minSize === undefined && maxSize === undefined ? [] : (['size'] as const)),
    ...(updatedAfter === undefined && updatedBefore === undefined ? [] : (['updated_at'] as const)),
  ];
}

const fold = (text: string): string => text.toLowerCase().normalize('NFC');

/**
 * Builds the test of a filter. It runs in JavaScript, because SQLite and PostgreSQL fold the case of different characters.
 * A key that ends in a slash marks a folder and matches no filter.
 */
export function fileTest(filter: FileFilter): (row: ScannedRow) => boolean {
  const { prefix = '', direct = false, type } = filter;
  const name = filter.name === undefined ? undefined : fold(filter.name);
  const isOfType = type === undefined ? undefined : typeTest(type);
  return ({ key, size, updated_at, content_type }) =>
    !key.endsWith('/') &&
    key.startsWith(prefix) &&
    !(direct && commonPrefixOf(key, prefix, '/') !== undefined) &&
    isBetween(size, filter.minSize, filter.maxSize) &&
    isBetween(updated_at, filter.updatedAfter, filter.updatedBefore) &&
    (name === undefined || fold(baseName(key)).includes(name)) &&
    (isOfType === undefined || isOfType(content_type ?? ''));
}

const isBetween = (value: number | undefined, min = -Infinity, max = Infinity): boolean =>
  value === undefined || (value >= min && value <= max);

function typeTest(type: string): (contentType: string) => boolean {
  const test = Object.hasOwn(TYPE_GROUPS, type)
    ? TYPE_GROUPS[type as keyof typeof TYPE_GROUPS]
    : (essence: string) => essence === type.toLowerCase();
  // A content type may have parameters, such as a charset.
  return (contentType) => test(contentType.split(';', 1)[0]!.trim().toLowerCase());
}

/** @returns whether a file matches a filter. */
export const matchesFilter = (file: StoredFile, filter: FileFilter): boolean =>
  fileTest(filter)({ key: file.key, size: file.size, updated_at: file.updatedAt, content_type: file.contentType });
