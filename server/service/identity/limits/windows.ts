/** A period in which requests are counted. ms since 1970 */
export interface Window {
  start: number;
  end: number;
}

const MINUTE = 60_000;

/** Returns the window of a minute that contains a time. */
export function minuteOf(now: number): Window {
  const start = now - (now % MINUTE);
  return { start, end: start + MINUTE };
}

/** Daily quotas start at midnight in this time zone. */
const ZONE = 'America/Fortaleza';
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: ZONE,
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** Returns the local date and time of the zone, encoded as if it were UTC. */
function toLocal(time: number): number {
  const part = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
}

/** Returns the time at which the zone has this local time. If a clock change skips it, returns the first time after it. */
function fromLocal(local: number): number {
  let time = local;
  // The second round corrects a first guess on the other side of a clock change.
  for (let round = 0; round < 2; round++) time = local - (toLocal(time) - time);
  return time + Math.max(0, local - toLocal(time));
}

const DAY = 86_400_000;

/** Returns the calendar day in America/Fortaleza. */
export function dayOf(now: number): Window {
  const local = toLocal(now);
  const midnight = local - (((local % DAY) + DAY) % DAY);
  return { start: fromLocal(midnight), end: fromLocal(midnight + DAY) };
}
