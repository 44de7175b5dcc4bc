/** A stretch of time in which requests are counted, ms since 1970. */
export interface Window {
  start: number;
  end: number;
}

const MINUTE = 60_000;

export function minuteOf(now: number): Window {
  const start = now - (now % MINUTE);
  return { start, end: start + MINUTE };
}

/** Daily quotas begin anew when it is midnight here. */
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

/** What the clock on the wall shows, as if it were UTC. */
function wall(time: number): number {
  const part = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
}

/** When the wall shows this; where it never does (a clock put forward at midnight), when the day begins. */
function timeOf(shown: number): number {
  let time = shown;
  // Twice: the first guess may lie on the other side of a change of the clock.
  for (let round = 0; round < 2; round++) time = shown - (wall(time) - time);
  return time + Math.max(0, shown - wall(time));
}

const DAY = 86_400_000;

/** The calendar day in America/Fortaleza, by the zone's own rules. */
export function dayOf(now: number): Window {
  const shown = wall(now);
  const midnight = shown - (((shown % DAY) + DAY) % DAY);
  return { start: timeOf(midnight), end: timeOf(midnight + DAY) };
}
