import type { Localizer } from './localizer.js';

/** Formats a duration such as `2 minutes`, rounded to one unit. */
export function formatDuration(localizer: Localizer, seconds: number): string {
  if (seconds < 60) return formatUnit(localizer, Math.max(1, seconds), 'second');
  if (seconds < 5400) return formatUnit(localizer, seconds / 60, 'minute');
  return formatUnit(localizer, seconds / 3600, 'hour');
}

/** Formats the time until a moment, such as `in 5 seconds`. */
export const formatInSeconds = (localizer: Localizer, seconds: number): string =>
  localizer.cached('in', () => new Intl.RelativeTimeFormat(localizer.locale)).format(Math.max(1, Math.ceil(seconds)), 'second');

function formatUnit(localizer: Localizer, value: number, unit: string): string {
  const create = () => new Intl.NumberFormat(localizer.locale, { style: 'unit', unit, unitDisplay: 'long' });
  return localizer.cached(unit, create).format(Math.round(value));
}
