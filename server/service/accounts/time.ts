const FORM = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970 of an ISO 8601 time that names its zone; undefined for what is none, and for a day that no calendar has. */
export function parseTime(text: string): number | undefined {
  const day = FORM.exec(text)?.[1];
  const time = Date.parse(text);
  // By itself it takes 31 February for 3 March.
  return day === undefined || Number.isNaN(time) || new Date(day).toISOString().slice(0, 10) !== day ? undefined : time;
}
