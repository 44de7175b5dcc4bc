import { median, printTable } from '../report.js';
import type { ScrollResult } from './grid.js';
import { measureTasks } from './task-times.js';
import { OURS, RUNS, inTurn, numbers } from './turns.js';
import type { InPage } from './turns.js';

const COUNT = 10_000;
const WAYS = { 'by a wheel': 'wheel', 'in a fling': 'fling', 'by jumps': 'jumps' } as const;

interface GridResult extends ScrollResult {
  /** Processor time of the longest task in milliseconds. */
  work: { wheel: number; fling: number; jumps: number };
}

/** Scrolls through a grid of photos of 12 megapixels in three ways. */
export async function benchGrid(inPage: InPage): Promise<void> {
  const results = await inTurn<GridResult>([OURS], RUNS, () =>
    inPage(async (tab) => {
      const scroll = () => tab.evaluate((count) => window.bench.scrollGrid(count), COUNT);
      const { result, longest } = await measureTasks(tab, ['wheel', 'fling', 'jumps', 'end'] as const, scroll);
      return { ...result, work: longest };
    }),
  );
  const outcomes = results.get(OURS)!;
  const rows = Object.entries(WAYS).map(([name, way]) => {
    const work = numbers(outcomes, (one) => one.work[way]);
    const elapsed = numbers(outcomes, (one) => one[way]);
    return {
      scrolling: name,
      'longest task, ms of processor time': median(work),
      most: Math.max(...work),
      'ms elapsed (0: none over 50)': median(elapsed),
    };
  });
  printTable(`Scrolling a grid of ${COUNT.toLocaleString('en-US')} photos`, rows);
  const drawn = numbers(outcomes, (one) => one.drawn);
  printTable('Drawing the thumbnails of a place', [{ 'median ms': median(drawn), most: Math.max(...drawn) }]);
}
