const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Returns a name such as `Photo 2026-11-26 14.03.22.jpg`. No system forbids its characters, and names sort by time. */
export function captureName(word: string, extension: string, time: Date): string {
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join('.');
  return `${word} ${date} ${clock}.${extension}`;
}

/** Returns a duration such as `0:07` or `1:02:03`. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const clock = `${hours > 0 ? twoDigits(minutes) : minutes}:${twoDigits(whole % 60)}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}
