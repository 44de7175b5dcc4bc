import { BlobError } from './errors.js';
import { PATH } from './limits.js';

/** Bytes of a string in UTF-8; the unit of every path limit. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

// C0, DEL, C1, and what reorders or hides text (bidirectional marks, overrides and isolates, zero-width, BOM, line separators).
// oxlint-disable-next-line no-control-regex -- finding control characters is its job
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\.|$)/i;

/** Why a segment cannot stand in a path a program states, or undefined when it can. */
export function findSegmentProblem(segment: string): string | undefined {
  if (segment === '') return 'has an empty segment';
  if (segment === '.' || segment === '..') return `has a "${segment}" segment`;
  if (LONE_SURROGATE.test(segment)) return 'has a lone surrogate';
  if (FORBIDDEN_CHARACTERS.test(segment)) return 'has a control, invisible or bidirectional-override character';
  if (segment.includes('\\')) return 'has a backslash';
  if (segment.includes(':')) return 'has a colon';
  if (/[. ]$/.test(segment)) return 'has a segment that ends in a dot or a space';
  if (WINDOWS_DEVICE.test(segment)) return `has a segment that is a device name on Windows ("${segment}")`;
  if (utf8Length(segment) > PATH.segmentMaxBytes) return `has a segment over ${PATH.segmentMaxBytes} bytes`;
  return undefined;
}

/** Why a stated path (already decoded once) is refused, or undefined. Rule "Names" of the design. */
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
  throw new BlobError('INVALID_PATH', `${field} ${problem}: ${JSON.stringify(value.slice(0, 200))}`, {
    path: field,
    details: { rule: problem },
  });
}

/** @returns the path itself. @throws BlobError `INVALID_PATH` that names the rule it breaks. */
export function validatePath(path: string, field = 'path'): string {
  const problem = findPathProblem(path);
  if (problem) throwInvalidPath(field, path, problem);
  return path;
}

/** A folder: a path with or without its closing slash. @returns it without one. @throws BlobError `INVALID_PATH`. */
export function validatePrefix(prefix: string, field = 'prefix'): string {
  return validatePath(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix, field);
}

/** Decodes a path as it stands in a URL, once, then checks it. @throws BlobError `INVALID_PATH`. */
export function decodePath(encoded: string, field = 'path'): string {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return throwInvalidPath(field, encoded, 'is not valid percent-encoded UTF-8');
  }
  return validatePath(path, field);
}

/** Whether a path lies in a folder, compared on segment boundaries: `a/b` holds `a/b/c`, never `a/bc`. */
export const isWithin = (path: string, prefix: string): boolean => path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A path as it stands in a URL: each segment percent-encoded, slashes kept. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
