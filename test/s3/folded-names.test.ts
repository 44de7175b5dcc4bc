import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/s3/node/index.js';
import type { SyncOptions } from '../../src/s3/node/index.js';
import { newBucket, newBulk, newFolder, s3 } from './engine.js';

// A file that answers to its name in capitals: to whoever looks, the disk is one that tells none. Elsewhere it tells them.
function foldingFolder(): string {
  const folder = newFolder();
  writeFileSync(join(folder, '0first'), '0');
  linkSync(join(folder, '0first'), join(folder, '0FIRST'));
  return folder;
}

describe.skipIf(s3 === undefined)('keys that differ in capitals alone', () => {
  let bucket: string;
  const stored = async (files: Record<string, string>) => {
    const source = newFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    bucket = await newBucket();
    await newBulk().upload(walk(source), { bucket, prefix: '' });
  };
  beforeEach(() => stored({ '0first': '0', A: 'capital', a: 'small' }));

  it('are files of their own where the disk tells them', async () => {
    const folder = newFolder();
    expect(await newBulk().download({ bucket, prefix: '' }, new FolderTarget(folder))).toMatchObject({ files: 3, failed: 0 });
    expect(['A', 'a'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['capital', 'small']);
  });

  it('never overwrite each other where it does not', async () => {
    const folder = foldingFolder();
    const target = new FolderTarget(folder);
    const from = { bucket, prefix: '' };
    // Whoever leaves a file as it is looks at it.
    expect(await newBulk().download(from, target, { onlyNew: true, concurrency: 1 })).toMatchObject({ failed: 1 });
    const kept = ['A', 'a'].find((name) => readdirSync(folder).includes(name));
    expect(readdirSync(folder).sort()).toEqual(['0FIRST', '0first', kept]);
    const [large, small] = [new FolderTarget(folder), new FolderTarget(folder)];
    for (const one of [large, small]) one.keep('0first');
    large.open('Ä', false).discard(false);
    expect(() => large.open('a\u0308', false)).toThrow(expect.objectContaining({ code: 'NameTaken' }));
    large.open('Ä', false).discard(false);
    small.make('x/Y', new Uint8Array(1), { size: 1 });
    expect(() => small.make('X/y', new Uint8Array(1), { size: 1 })).toThrow(expect.objectContaining({ code: 'NameTaken' }));
  });

  /** A disk that answers to `A` where it has `a`. */
  class Folding extends FolderTarget {
    override isOther(path: string): boolean {
      return path === 'A';
    }
  }
  const sync = (folder: string, options: SyncOptions = {}) =>
    newBulk().syncDown({ bucket, prefix: '' }, new Folding(folder), () => walk(folder, { sorted: true }), {
      compare: 'size',
      ...options,
    });

  it('leave a file alone that has the other name, or take its place when it goes', async () => {
    await stored({ A: 'capital' });
    const folder = newFolder();
    writeFileSync(join(folder, 'a'), 'small');
    for (const options of [{}, { delete: true, maxDelete: 0 }]) {
      const summary = await sync(folder, options);
      expect(summary.failures[0]).toMatchObject({ name: 'A', code: 'NameTaken' });
      expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('small');
    }
    expect(await sync(folder, { delete: true })).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(readdirSync(folder)).toEqual(['A']);
  });
});
