/**
 * Modification time and mode as rclone keeps them in an object's metadata: `mtime` in seconds with nine decimals
 * (`X-Amz-Meta-Mtime`), `mode` in octal.
 */

const BILLION = 1_000_000_000n;
/** Node sets times in floating seconds and cuts them to microseconds: what differs by less than two is the same time. */
const TOLERANCE_NS = 2_000n;

export function formatMtime(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  // Digits are cut rather than divided: this is done for every file.
  const digits = String(ns < 0n ? -ns : ns).padStart(10, '0');
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Undefined when it is missing or no number. */
export function parseMtime(text: string | undefined): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9})\d*)?$/.exec(text ?? '');
  if (!match) return undefined;
  const ns = BigInt(match[2]!) * BILLION + BigInt((match[3] ?? '').padEnd(9, '0'));
  return match[1] === '-' ? -ns : ns;
}

const TYPE = 0o170000;
const REGULAR = 0o100000;

/** Octal, as rclone and we write it; or decimal with the type of a regular file, as s3fs does. @returns the permissions; undefined when it is neither. */
export function parseMode(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{3,7}$/.test(text)) return undefined;
  const octal = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : -1;
  // No file has the types that decimals look like.
  if ((octal & TYPE) === 0 || (octal & TYPE) === REGULAR) return octal;
  return (Number(text) & TYPE) === REGULAR ? Number(text) : undefined;
}

export const sameTime = (a: bigint, b: bigint): boolean => (a > b ? a - b : b - a) < TOLERANCE_NS;

/** Metadata that an upload adds to an object. */
export const fileMetadata = (facts: { mtimeNs?: bigint | undefined; mode?: number | undefined }): Record<string, string> => ({
  ...(facts.mtimeNs !== undefined && { mtime: formatMtime(facts.mtimeNs) }),
  ...(facts.mode !== undefined && { mode: `0${facts.mode.toString(8)}` }),
});
