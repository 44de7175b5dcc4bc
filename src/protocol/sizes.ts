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

/** Bytes from `1048576`, `10MB` (10⁶) or `10MiB` (2²⁰); undefined when it is neither. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match === null ? undefined : UNITS.get(match[2]!.toLowerCase());
  if (match === null || unit === undefined) return undefined;
  const bytes = Math.floor(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
