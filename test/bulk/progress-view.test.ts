import { describe, expect, it } from 'vitest';
import { progressLines } from '../../server/cli/bulk/progress-view.js';

const MiB = 1024 * 1024;

describe('progressLines', () => {
  it('shortens a name of wide characters to the width of the terminal', () => {
    const active = [
      { name: '写'.repeat(60), bytes: 1, size: 10 * MiB, bytesPerSecond: 1 },
      { name: `${'e\u0301'.repeat(10)}.bin`, bytes: 1, size: 10 * MiB, bytesPerSecond: 1 },
    ];
    const counts = { files: 0, bytes: 2, skipped: 0, failed: 0, totalFiles: 2, totalBytes: 20 * MiB, planned: true };
    const speeds = { bytesPerSecond: 1, filesPerSecond: 0, secondsLeft: 1, concurrency: 1, elapsedMs: 1 };
    const [, , wide, marked] = progressLines({ ...counts, ...speeds, active }, 79);
    expect(wide!.length + wide!.match(/写/g)!.length).toBe(79);
    expect(marked!.length - 10).toBe(79);
  });

  it('shows numbers instead of a bar if the terminal is narrow', () => {
    const counts = { files: 30, bytes: 5 * MiB, skipped: 0, failed: 0, totalFiles: 32, totalBytes: 10 * MiB, planned: true };
    const speeds = { bytesPerSecond: MiB, filesPerSecond: 0, secondsLeft: 5, concurrency: 1, elapsedMs: 1 };
    const [narrow, usual] = [39, 79].map((width) => progressLines({ ...counts, ...speeds, active: [] }, width));
    expect(narrow).toEqual([' 50 %  30/32 files', '5.0 MiB/10.0 MiB  1.0 MiB/s  5.0 s left']);
    expect(usual![0]).toMatch(/^█+░+ {2}50 % {2}30\/32 files$/);
  });

  it('shows time left, speed and failures at every width', () => {
    const counts = { files: 60_225, bytes: 153 * 1024 * MiB, skipped: 0, failed: 12, totalFiles: 100_000, planned: true };
    const speeds = { bytesPerSecond: 110 * MiB, filesPerSecond: 50, secondsLeft: 8291, concurrency: 32, elapsedMs: 1 };
    for (const width of [39, 79, 119]) {
      const text = progressLines({ ...counts, totalBytes: 1023 * 1024 * MiB, ...speeds, active: [] }, width).join('\n');
      expect(text).toContain('12 failed');
      expect(text).toMatch(/110 MiB\/s {2}2:18:11 h left$/);
    }
  });
});
