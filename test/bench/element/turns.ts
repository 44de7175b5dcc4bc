import type { Page } from 'playwright-core';
import { median } from '../report.js';
import type { Row } from '../report.js';

/** Counted runs. */
export const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
/** Milliseconds after which a measurement ends and the table says so. */
export const PATIENCE = Number(process.env['BENCH_PATIENCE'] ?? 30_000);
export const OURS = 'svc-uploader';

/** The measurement of one run. */
export type Outcome<T> = T | 'too long';
export type Results<T> = Map<string, Outcome<T>[]>;
/** Does its work in a new page of its own. */
export type InPage = <T>(work: (tab: Page) => Promise<T>) => Promise<Outcome<T>>;

/** Reports whether the median is too long already, whatever the remaining runs take. */
const isLost = <T>(outcomes: Outcome<T>[], runs: number): boolean =>
  outcomes.filter((one) => one === 'too long').length >= runs / 2;

/**
 * Runs each measurement in a page of its own. The widgets take turns, and each is first in one round, so that a slower machine slows all
 * of them. The first round warms up and does not count.
 */
export async function inTurn<T>(names: string[], runs: number, once: (name: string) => Promise<Outcome<T>>): Promise<Results<T>> {
  const results: Results<T> = new Map(names.map((name) => [name, []]));
  for (let round = 0; round <= runs; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const sofar = results.get(name)!;
      if (isLost(sofar, runs)) continue;
      const outcome = await once(name);
      if (round > 0) sofar.push(outcome);
    }
  }
  return results;
}

/** Picks a number of each run that ended in time. */
export const numbers = <T>(outcomes: Outcome<T>[], pick: (value: T) => number): number[] =>
  outcomes.flatMap((one) => (one === 'too long' ? [] : [pick(one)]));

/** Computes the median of all runs, including those that were too long. */
const medianTime = <T>(outcomes: Outcome<T>[], time: (value: T) => number): number =>
  median(outcomes.map((one) => (one === 'too long' ? Number.POSITIVE_INFINITY : time(one))));

/** Makes one line of a table: the times, the ratio to the first line, and remarks. */
export function row<T>(
  name: string,
  results: Results<T>,
  [column, time]: [string, (value: T) => number],
  others: Record<string, (value: T) => number>,
  { spread = false } = {},
): Row {
  const outcomes = results.get(name)!;
  const own = medianTime(outcomes, time);
  const late = `over ${PATIENCE / 1000} s`;
  if (own === Number.POSITIVE_INFINITY) return { widget: name, [column]: late };
  const times = numbers(outcomes, time);
  const most = outcomes.includes('too long') ? late : Math.max(...times);
  const rest = Object.entries(others).map(([head, pick]) => [head, median(numbers(outcomes, pick))]);
  return {
    widget: name,
    [column]: own,
    ...(spread ? { least: Math.min(...times), most } : {}),
    [`times ${OURS}`]: own / medianTime(results.get(OURS)!, time),
    ...Object.fromEntries(rest),
  };
}
