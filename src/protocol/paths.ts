import { BlobError } from './errors.js';
import { PATH } from './limits.js';
import { isWindowsDeviceName } from './windows-names.js';

/** Returns the length of a text in UTF-8 bytes. All path limits count these. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

// Control characters (C0, DEL, C1), bidirectional marks, overrides and isolates, zero-width characters, BOM, line separators.
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Finds out why a path must not contain a segment. @returns the rest of a sentence about the path, or undefined */
export function findSegmentProblem(segment: string): string | undefined {
  if (segment === '') return 'has an empty segment';
  if (segment === '.' || segment === '..') return `has a "${segment}" segment`;
  if (LONE_SURROGATE.test(segment)) return 'has a lone surrogate';
  if (FORBIDDEN_CHARACTERS.test(segment)) return 'has a control, invisible or bidirectional-override character';
  if (segment.includes('\\')) return 'has a backslash';
  if (segment.includes(':')) return 'has a colon';
  if (/[. ]$/.test(segment)) return 'has a segment that ends in a dot or a space';
  if (isWindowsDeviceName(segment)) return `has a segment that is a device name on Windows ("${segment}")`;
  if (utf8Length(segment) > PATH.segmentMaxBytes) return `has a segment over ${PATH.segmentMaxBytes} bytes`;
  return undefined;
}

/**
 * Finds out why a path that a program states is invalid.
 * @param path decoded once
 * @returns the rest of a sentence about the path, such as `has a colon`; undefined if the path is valid
 */
export function findPathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (utf8Length(path) > PATH.maxBytes) return `is over ${PATH.maxBytes} bytes`;
  for (const segment of path.split('/')) {
    const problem = findSegmentProblem(segment);
    if (problem) return problem;
  }
  return undefined;
}

function throwInvalidPath(field: string, value: string, problem: string): never {
  throw new BlobError('INVALID_PATH', `\`${field}\` ${problem}; got ${JSON.stringify(value.slice(0, 200))}.`, {
    path: field,
    details: { rule: problem },
  });
}

/**
 * Validates a path that a program states.
 * @param field the name of the path in the error
 * @returns the path itself
 * @throws BlobError `INVALID_PATH` with the broken rule in `details.rule`
 */
export function validatePath(path: string, field = 'path'): string {
  const problem = findPathProblem(path);
  if (problem) throwInvalidPath(field, path, problem);
  return path;
}

/**
 * Validates a prefix: the path of a folder, with or without a slash at its end.
 * @returns the prefix without a slash at its end
 * @throws BlobError `INVALID_PATH` with the broken rule in `details.rule`
 */
export function validatePrefix(prefix: string, field = 'prefix'): string {
  return validatePath(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix, field);
}

/**
 * Decodes the path in a URL once and validates it.
 * @throws BlobError `INVALID_PATH` with the broken rule in `details.rule`
 */
export function decodePath(encoded: string, field = 'path'): string {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return throwInvalidPath(field, encoded, 'is not valid percent-encoded UTF-8');
  }
  return validatePath(path, field);
}

/** Returns whether a path is inside a folder. The folder `a/b` contains `a/b/c`, but not `a/bc`. */
export const isWithin = (path: string, prefix: string): boolean => path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

/** Returns the last segment of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Percent-encodes each segment of a path for a URL. Slashes stay. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
