/** Steps of an axis: 1, 2 or 5 times a power of ten. */
const STEPS = [1, 2, 5, 10];

/** Returns the end of an axis from 0 with up to four equal steps, and the steps. @param max the largest value */
export function scaleFor(max: number): { end: number; ticks: number[] } {
  if (max <= 0) return { end: 1, ticks: [0] };
  const raw = max / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, STEPS.find((factor) => factor * power >= raw)! * power);
  const count = Math.max(1, Math.ceil(max / step));
  return { end: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
