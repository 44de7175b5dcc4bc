import { language } from './language.js';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a size in units of 1000 bytes, such as `4.2 MB`. */
export function formatSize(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value)}\u00a0${UNITS[unit]}`;
}

export const formatNumber = (value: number): string => new Intl.NumberFormat(language()).format(value);

/** Formats a time for a list, such as `31 Jan 2030, 12:00`. */
export const formatTime = (iso: string): string =>
  new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
