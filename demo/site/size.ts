const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1536` → `1.5 KiB`. */
export function sizeInWords(size: number): string {
  const power = size < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(size) / 10));
  return `${number.format(size / 1024 ** power)} ${size === 1 ? 'byte' : UNITS[power]}`;
}
