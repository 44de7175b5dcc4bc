import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressMeter } from '../../src/bulk/transfer/progress-meter.js';

const [KiB, MiB, GiB] = [1024, 1024 ** 2, 1024 ** 3];
const PIECE = 4 * MiB;

/** Milliseconds, as the meter is told. */
let now: number;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

const leftAfter = (meter: ProgressMeter, files: number, skipped = 0): number | undefined =>
  meter.snapshot({ files, skipped, failed: 0, concurrency: 1 }).secondsLeft;

/** Moves files one by one. @returns by what factor the time that was told was wrong at most, but for the last two seconds */
function worst(sizes: number[], bytesPerSecond: number, secondsPerFile: number): number {
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
      const said = leftAfter(meter, done);
      const left = (ends - now) / 1000;
      if (said !== undefined && left > 2) factors.push(said / left, left / said);
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
/** Each large one somewhere else between small ones. */
const scattered = large.flatMap((size, at) => [...small.slice(0, 1500 * (at + 1)), size]);

describe('the time left', () => {
  it('is not told before there is something to tell it by', () => {
    const meter = new ProgressMeter();
    meter.addPlanned(100 * MiB);
    meter.finishPlan();
    now = 400;
    meter.addMoved(58);
    expect(leftAfter(meter, 0)).toBeUndefined();
    now = 4000;
    meter.addMoved(20 * MiB);
    expect(leftAfter(meter, 0)).toBeCloseTo(14.4, 1);
    // What stands still is never done.
    now = 13_000;
    leftAfter(meter, 0);
    now = 22_000;
    expect(leftAfter(meter, 0)).toBeUndefined();
  });

  it.each([
    ['a store as was measured', 400e6, 0.0006],
    ['a fast line to one whose answers take 30 ms, of 32 requests at once', 125e6, 0.001],
    ['a disk that is slow to flush', 120e6, 0.004],
  ])('is about right for small files and large ones, in whatever order: %s', (_, bytesPerSecond, secondsPerFile) => {
    for (const sizes of [[...small, ...large], [...large, ...small], inBlocks, scattered])
      expect(worst(sizes, bytesPerSecond, secondsPerFile)).toBeLessThan(5);
    // All of a size: as exact as the speed.
    expect(worst(small, bytesPerSecond, secondsPerFile)).toBeLessThan(1.01);
    expect(worst(large, bytesPerSecond, secondsPerFile)).toBeLessThan(1.01);
  });

  it('is about right on a slow line but where tiny files follow large ones, or come before them', () => {
    const photos = repeat(300, 3 * MiB);
    expect(worst([...photos, ...large.slice(2)], 2e6, 0.0005)).toBeLessThan(1.2);
    expect(worst([...large.slice(2), ...photos], 2e6, 0.0005)).toBeLessThan(1.2);
    // That the line is slow, and not the store, is not known of it: one counts as twenty times its bytes.
    expect(worst([...small, ...large.slice(2)], 2e6, 0.0005)).toBeLessThan(20);
    expect(worst([...large.slice(2), ...small], 2e6, 0.0005)).toBeLessThan(20);
  });

  it('is that of what a sync still looks at, while most of it is as it should be', () => {
    for (const everyNth of [Infinity, 20]) {
      const meter = new ProgressMeter();
      for (let i = 0; i < 10_000; i++) meter.addPlanned(10 * KiB);
      meter.finishPlan();
      const said = [];
      for (let i = 0; i < 10_000; i++) {
        now++;
        if (i % everyNth === 1) meter.addMoved(10 * KiB);
        else meter.addUnmoved(10 * KiB);
        if (i % 250 === 0) said.push([leftAfter(meter, 0, i), (10_000 - i) / 1000] as const);
      }
      for (const [told, left] of said.slice(12)) expect(Math.abs(told! / left - 1)).toBeLessThan(0.1);
    }
  });
});
