/**
 * Reads and writes modification time and mode in the metadata of an object. The format is that of rclone: `mtime` in seconds with
 * nine decimals, `mode` in octal.
 */

const NS_PER_SECOND = 1_000_000_000n;
/** Smaller differences are ignored. Node sets times as floating-point seconds and truncates them to microseconds. */
const TOLERANCE_NS = 2_000n;

/** Formats a modification time as `mtime`. @param ns nanoseconds since 1970 */
export function formatMtime(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  // Slicing digits is faster than division, and this runs for every file.
  const digits = String(ns < 0n ? -ns : ns).padStart(10, '0');
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Parses `mtime`. @returns nanoseconds since 1970; undefined if it is missing or not a number */
export function parseMtime(text: string | undefined): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9})\d*)?$/.exec(text ?? '');
  if (!match) return undefined;
  const ns = BigInt(match[2]!) * NS_PER_SECOND + BigInt((match[3] ?? '').padEnd(9, '0'));
  return match[1] === '-' ? -ns : ns;
}

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

/**
 * Parses `mode`: octal as rclone and this project write it, or decimal with the type of a regular file as s3fs writes it.
 * @returns the permissions, with the file type if present; undefined if it is neither
 */
export function parseMode(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{3,7}$/.test(text)) return undefined;
  const octal = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : -1;
  // Read as octal, a decimal mode has a file type that does not exist.
  if ((octal & FILE_TYPE_MASK) === 0 || (octal & FILE_TYPE_MASK) === REGULAR_FILE) return octal;
  return (Number(text) & FILE_TYPE_MASK) === REGULAR_FILE ? Number(text) : undefined;
}

/** Returns whether two times in nanoseconds are equal within the tolerance. */
export const sameTime = (a: bigint, b: bigint): boolean => (a > b ? a - b : b - a) < TOLERANCE_NS;

/** Returns the metadata that an upload adds to an object. */
export const fileMetadata = (file: { mtimeNs?: bigint | undefined; mode?: number | undefined }): Record<string, string> => ({
  ...(file.mtimeNs !== undefined && { mtime: formatMtime(file.mtimeNs) }),
  ...(file.mode !== undefined && { mode: `0${file.mode.toString(8)}` }),
});
