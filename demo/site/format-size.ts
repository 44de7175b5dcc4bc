const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats bytes in the units that the element uses: `1536` becomes `1.5 kB`. */
export function formatSize(size: number): string {
  const power = size < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  const options = {
    style: 'unit',
    unit: UNITS[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat('en', options).format(size / 1000 ** power);
}
