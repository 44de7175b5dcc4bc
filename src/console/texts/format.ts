import { language } from './language.js';

/** Creating a format takes long, and a table formats hundreds of values. */
const formats = new Map<string, Format>();
type Format = Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat;

function formatOf<T extends Format>(name: string, create: (language: string) => T): T {
  const key = `${name} ${language()}`;
  const known = formats.get(key) as T | undefined;
  if (known) return known;
  const created = create(language());
  formats.set(key, created);
  return created;
}

const numberFormat = (digits: number): Intl.NumberFormat =>
  formatOf(`number ${digits}`, (language) => new Intl.NumberFormat(language, { maximumFractionDigits: digits }));

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
  return `${numberFormat(digits).format(value)}\u00a0${UNITS[unit]}`;
}

export const formatNumber = (value: number): string => numberFormat(3).format(value);

/** Formats a time for a list, such as `31 Jan 2030, 12:00`. */
export const formatTime = (iso: string): string =>
  formatOf('time', (language) => {
    // The medium date of Portuguese (`31 de jan. de 2030`) is too wide for a column.
    const dateStyle = language.startsWith('pt') ? 'short' : 'medium';
    return new Intl.DateTimeFormat(language, { dateStyle, timeStyle: 'short' });
  }).format(new Date(iso));

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Formats a time as seen from now, such as `3 days ago` or `in 2 hours`. */
export function formatRelative(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const format = formatOf('relative', (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step ? format.format(Math.trunc(seconds / step[1]), step[0]) : format.format(0, 'minute');
}

/** Formats a time in full, such as `Thursday, 31 January 2030 at 12:00:00 UTC`. */
export const formatFullTime = (iso: string): string =>
  formatOf('full time', (language) => new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' })).format(
    new Date(iso),
  );

/** Formats a day, such as `31 Jan`. @param day `2030-01-31` */
export const formatDay = (day: string): string =>
  formatOf('day', (language) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })).format(
    new Date(day),
  );

/** Formats a part of one, such as `2.5 %`. */
export const formatPercent = (value: number): string =>
  formatOf('percent', (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })).format(
    value,
  );
