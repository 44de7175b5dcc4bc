const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['k', 1e3],
  ['kb', 1e3],
  ['kib', 1024],
  ['m', 1e6],
  ['mb', 1e6],
  ['mib', 1024 ** 2],
  ['g', 1e9],
  ['gb', 1e9],
  ['gib', 1024 ** 3],
  ['t', 1e12],
  ['tb', 1e12],
  ['tib', 1024 ** 4],
]);

/**
 * Parses a size such as `1048576`, `10MB` (10⁷ bytes) or `10MiB` (10 · 2²⁰ bytes).
 * @returns bytes, rounded down; undefined for other texts and sizes beyond 2⁵³ − 1
 */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const unit = UNITS.get(match[2]!.toLowerCase());
  if (unit === undefined) return undefined;
  const bytes = Math.floor(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
