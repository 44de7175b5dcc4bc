const ISO_8601_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339, in which every answer states its times, ends with the year 9999. */
const LATEST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Milliseconds since 1970 of an ISO 8601 time that names its zone; undefined for what is none, for a day that no calendar has, and for a time
 * after the year 9999 in UTC, which a zone can make of its last day.
 */
export function parseTime(text: string): number | undefined {
  const day = ISO_8601_TIME.exec(text)?.[1];
  const time = Date.parse(text);
  // By itself it takes 31 February for 3 March.
  return day === undefined || Number.isNaN(time) || time > LATEST_TIME || new Date(day).toISOString().slice(0, 10) !== day
    ? undefined
    : time;
}

/** A time as answers state it. Stored ones may lie after the year 9999, from versions that accepted them: those are stated as its end. */
export const formatTime = (time: number): string => new Date(Math.min(time, LATEST_TIME)).toISOString();
