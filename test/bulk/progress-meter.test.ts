import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressMeter } from '../../src/bulk/transfer/progress-meter.js';

const [KiB, MiB, GiB] = [1024, 1024 ** 2, 1024 ** 3];
const PIECE = 4 * MiB;

/** The time in milliseconds that `performance.now()` returns. */
let now: number;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

const estimateSecondsLeft = (meter: ProgressMeter, files: number, skipped = 0): number | undefined =>
  meter.snapshot({ files, skipped, failed: 0, concurrency: 1 }).secondsLeft;

/** Simulates the transfer of files one by one. @returns the largest factor by which the estimate was wrong, without the last two seconds */
function worstFactor(sizes: number[], bytesPerSecond: number, secondsPerFile: number): number {
  const meter = new ProgressMeter();
  for (const size of sizes) meter.addPlanned(size);
  meter.finishPlan();
  const ends = sizes.reduce((sum, size) => sum + (secondsPerFile + size / bytesPerSecond) * 1000, now);
  const factors: number[] = [];
  let nextLook = now;
  sizes.forEach((size, done) => {
    const pieces = Math.ceil(size / PIECE);
    for (let piece = 0; piece < pieces; piece++) {
      now += ((secondsPerFile + size / bytesPerSecond) * 1000) / pieces;
      meter.addMoved(size / pieces);
      if (now < nextLook) continue;
      nextLook = now + 250;
      const estimate = estimateSecondsLeft(meter, done);
      const left = (ends - now) / 1000;
      if (estimate !== undefined && left > 2) factors.push(estimate / left, left / estimate);
    }
  });
  expect(now).toBeCloseTo(ends, 0);
  expect(factors.length).toBeGreaterThan(10);
  return Math.max(...factors);
}

const repeat = (times: number, size: number): number[] => Array.from({ length: times }, () => size);
const small = repeat(10_000, 10 * KiB);
const large = repeat(4, GiB);
const inBlocks = [...small, ...large.slice(2), ...small, ...large.slice(2)];
/** Large files at different positions between small ones. */
const scattered = large.flatMap((size, at) => [...small.slice(0, 1500 * (at + 1)), size]);

describe('the estimated time left', () => {
  it('is undefined before the first megabytes and while nothing moves', () => {
    const meter = new ProgressMeter();
    meter.addPlanned(100 * MiB);
    meter.finishPlan();
    now = 400;
    meter.addMoved(58);
    expect(estimateSecondsLeft(meter, 0)).toBeUndefined();
    now = 4000;
    meter.addMoved(20 * MiB);
    expect(estimateSecondsLeft(meter, 0)).toBeCloseTo(14.4, 1);
    now = 13_000;
    estimateSecondsLeft(meter, 0);
    now = 22_000;
    expect(estimateSecondsLeft(meter, 0)).toBeUndefined();
  });

  it.each([
    ['a measured store', 400e6, 0.0006],
    ['a fast line with 30 ms latency and 32 parallel requests', 125e6, 0.001],
    ['a slow disk', 120e6, 0.004],
  ])('is within a factor of 5 for small and large files in any order: %s', (_, bytesPerSecond, secondsPerFile) => {
    for (const sizes of [[...small, ...large], [...large, ...small], inBlocks, scattered])
      expect(worstFactor(sizes, bytesPerSecond, secondsPerFile)).toBeLessThan(5);
    // With files of one size, the estimate is exact.
    expect(worstFactor(small, bytesPerSecond, secondsPerFile)).toBeLessThan(1.01);
    expect(worstFactor(large, bytesPerSecond, secondsPerFile)).toBeLessThan(1.01);
  });

  it('is right on a slow line, except while large files come before tiny ones', () => {
    const photos = repeat(300, 3 * MiB);
    expect(worstFactor([...photos, ...large.slice(2)], 2e6, 0.0005)).toBeLessThan(1.2);
    expect(worstFactor([...large.slice(2), ...photos], 2e6, 0.0005)).toBeLessThan(1.2);
    expect(worstFactor([...small, ...large.slice(2)], 2e6, 0.0005)).toBeLessThan(1.5);
    // The meter cannot know that the line is slow, not the store. It counts a tiny file as 20 times its bytes.
    expect(worstFactor([...large.slice(2), ...small], 2e6, 0.0005)).toBeLessThan(20);
  });

  it('is shown once a large file moves when small files come first, and is right then', () => {
    const meter = new ProgressMeter();
    const sizes = [...repeat(3000, 2000), ...repeat(3, 60 * MiB)];
    for (const size of sizes) meter.addPlanned(size);
    meter.finishPlan();
    // A line of 30 MiB/s, and 750 small files a second: the large files take 6 of 10 seconds.
    for (let done = 0; done < 3000; done++) {
      now += 1000 / 750;
      meter.addMoved(2000);
      if (done % 200 === 199) expect(estimateSecondsLeft(meter, done + 1)).toBeUndefined();
    }
    for (let second = 0.25; second < 6; second += 0.25) {
      now += 250;
      meter.addMoved(7.5 * MiB);
      const left = 6 - second;
      const estimate = estimateSecondsLeft(meter, 3000 + Math.floor(second / 2))!;
      expect(estimate / left).toBeGreaterThan(0.8);
      expect(estimate / left).toBeLessThan(1.25);
    }
  });

  it('is right for a sync that finds most files up to date', () => {
    for (const everyNth of [Infinity, 20]) {
      const meter = new ProgressMeter();
      for (let i = 0; i < 10_000; i++) meter.addPlanned(10 * KiB);
      meter.finishPlan();
      const estimates = [];
      for (let i = 0; i < 10_000; i++) {
        now++;
        if (i % everyNth === 1) meter.addMoved(10 * KiB);
        else meter.addUnmoved(10 * KiB);
        if (i % 250 === 0) estimates.push([estimateSecondsLeft(meter, 0, i), (10_000 - i) / 1000] as const);
      }
      for (const [estimate, left] of estimates.slice(12)) expect(Math.abs(estimate! / left - 1)).toBeLessThan(0.1);
    }
  });
});
