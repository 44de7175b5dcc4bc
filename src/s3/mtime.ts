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

export const parseMode = (text: string | undefined): number | undefined =>
  text !== undefined && /^[0-7]{3,7}$/.test(text) ? Number.parseInt(text, 8) : undefined;

export const sameTime = (a: bigint, b: bigint): boolean => (a > b ? a - b : b - a) < TOLERANCE_NS;

/** What an upload adds to an object's own metadata. */
export const fileMetadata = (facts: { mtimeNs?: bigint | undefined; mode?: number | undefined }): Record<string, string> => ({
  ...(facts.mtimeNs !== undefined && { mtime: formatMtime(facts.mtimeNs) }),
  ...(facts.mode !== undefined && { mode: `0${facts.mode.toString(8)}` }),
});
