import { median, printTable } from '../report.js';
import type { ScrollResult } from './grid.js';
import { OURS, RUNS, inTurn, numbers } from './turns.js';
import type { InPage } from './turns.js';

const COUNT = 10_000;
const WAYS = { 'by a wheel': 'wheel', 'in a fling': 'fling', 'by jumps': 'jumps' } as const;

/** Scrolls through a grid of photos of 12 megapixels in three ways. */
export async function benchGrid(inPage: InPage): Promise<void> {
  const results = await inTurn<ScrollResult>([OURS], RUNS, () =>
    inPage((tab) => tab.evaluate((count) => window.bench.scrollGrid(count), COUNT)),
  );
  const outcomes = results.get(OURS)!;
  const rows = Object.entries(WAYS).map(([name, way]) => {
    const tasks = numbers(outcomes, (one) => one[way]);
    return { scrolling: name, 'longest task, ms': median(tasks), most: Math.max(...tasks) };
  });
  printTable(`Scrolling a grid of ${COUNT.toLocaleString('en-US')} photos (0: no task over 50 ms)`, rows);
  const drawn = numbers(outcomes, (one) => one.drawn);
  printTable('Drawing the thumbnails of a place', [{ 'median ms': median(drawn), most: Math.max(...drawn) }]);
}
