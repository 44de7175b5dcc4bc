import { validationError } from './errors.js';

const ISO_8601_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The last time that RFC 3339 can state, in milliseconds since 1970. Responses state all times in that format. */
const LATEST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 time with a time zone.
 * @returns milliseconds since 1970; undefined for other formats, for days that do not exist, and for times after the year 9999 in UTC
 */
export function parseTime(text: string): number | undefined {
  const day = ISO_8601_TIME.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time) || time > LATEST_TIME) return undefined;
  // `Date.parse` reads 31 February as 3 March.
  return new Date(day).toISOString().slice(0, 10) === day ? time : undefined;
}

/**
 * Validates a time.
 * @returns milliseconds since 1970
 * @throws BlobError `VALIDATION_ERROR` if `value` is no ISO 8601 time
 */
export function validateTime(field: string, value: unknown): number {
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time === undefined) throw validationError(field, 'must be an ISO 8601 time with a time zone, such as 2030-01-31T12:00:00Z');
  return time;
}

/**
 * Validates the time when a file expires.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970
 * @throws BlobError `VALIDATION_ERROR` if `value` is no ISO 8601 time after `now`
 */
export function validateFutureTime(field: string, value: unknown, now: number): number {
  const time = validateTime(field, value);
  if (time <= now) throw validationError(field, `must be in the future; got ${formatTime(time)}`);
  return time;
}

/**
 * Formats a time for a response.
 * @param time milliseconds since 1970. Earlier versions stored times after the year 9999. They are formatted as its last millisecond.
 */
export const formatTime = (time: number): string => new Date(Math.min(time, LATEST_TIME)).toISOString();

/** Formats a time that may be missing. */
export const formatTimeOrNull = (time: number | null): string | null => (time === null ? null : formatTime(time));
