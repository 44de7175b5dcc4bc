import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareKeys } from '../../src/bulk/s3/object-keys.js';
import { walk } from '../../src/bulk/node/index.js';
import { SortedNames } from '../../src/bulk/node/sorting/sorted-names.js';

const root = mkdtempSync(join(tmpdir(), 'names-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Names of different lengths and scripts, a few of them twice. */
const NAMES = Array.from({ length: 5000 }, (_, index) => {
  const number = String((index * 7919) % 4999);
  return `${number}\n${['', 'é', '写', '\u{1f600}', '\uffee'][index % 5]!.repeat(index % 7)}${index === 77 ? 'x'.repeat(3000) : ''}`;
});

describe('SortedNames', () => {
  it('yields names in the order of stores, repeatedly, from memory and from disk', () => {
    for (const limit of [Infinity, 10_000, 100]) {
      const names = new SortedNames(limit);
      for (const name of NAMES) names.add(name);
      const expected = [...NAMES].sort(compareKeys);
      expect([...names]).toEqual(expected);
      expect([...names]).toEqual(expected);
      names.close();
    }
  });

  it('leaves no temporary file behind', () => {
    const names = new SortedNames(10);
    for (const name of NAMES.slice(0, 100)) names.add(name);
    expect([...names]).toHaveLength(100);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('.svc-'))).toEqual([]);
    names.close();
  });
});

describe('walk with sorted: true', () => {
  it('yields files, directories and links in the order of stores', () => {
    for (const folder of ['b', 'a', 'a.d']) mkdirSync(join(root, folder));
    for (const file of ['a/1', 'a.d/2', 'a.txt', 'b-']) writeFileSync(join(root, file), '');
    symlinkSync(join(root, 'a'), join(root, 'c'));
    symlinkSync(join(root, 'b-'), join(root, 'c!'));
    symlinkSync(join(root, 'nowhere'), join(root, 'd'));
    const found = [...walk(root, { sorted: true })].map(({ path, directory, linked, problem }) => ({
      path,
      ...(directory && { directory }),
      ...(linked && { linked }),
      ...(problem && { problem: problem.code }),
    }));
    expect(found).toEqual([
      { path: 'a.d/2' },
      { path: 'a.txt' },
      { path: 'a/1' },
      { path: 'b-' },
      { path: 'b', directory: true },
      { path: 'c!' },
      { path: 'c/1', linked: true },
      { path: 'd', problem: 'SourceUnreadable' },
    ]);
  });
});
