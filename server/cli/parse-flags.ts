import { UsageError } from './errors.js';

/**
 * Parses the number of a flag. The service checks its range.
 * @param parse returns undefined or `NaN` for an invalid text
 * @returns undefined if the flag is not given
 * @throws UsageError if the text is not a number
 */
export function parseNumberFlag(
  flag: string,
  text: string | undefined,
  parse: (text: string) => number | undefined = Number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined || Number.isNaN(value)) throw new UsageError(`${flag} must be a number; got "${text}"`);
  return value;
}

/** Parses the pairs of `--metadata key=value …`. @throws UsageError if a pair has no key */
export function parseMetadataFlag(pairs: string[] | undefined): Record<string, string> | undefined {
  const entries = pairs?.map((pair): [key: string, value: string] => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--metadata must be key=value; got "${pair}"`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return entries && Object.fromEntries(entries);
}
