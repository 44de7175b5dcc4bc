import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FoldedNames } from '../../src/bulk/node/files/case-folding.js';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { SyncOptions } from '../../src/bulk/node/index.js';
import { createBucket, createTransfer, createFolder } from './s3-store.js';

/** A disk that tells no capitals, to whoever looks whether it does. */
const folding = (folder: string) => new FolderTarget(folder, new FoldedNames(() => true));

describe('keys that differ in capitals alone', () => {
  let bucket: string;
  const stored = async (files: Record<string, string>) => {
    const source = createFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    bucket = await createBucket();
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
  };
  beforeEach(() => stored({ '0first': '0', A: 'capital', a: 'small' }));

  it('are files of their own where the disk tells them', async () => {
    const folder = createFolder();
    expect(await createTransfer().download({ bucket, prefix: '' }, new FolderTarget(folder))).toMatchObject({
      files: 3,
      failed: 0,
    });
    expect(['A', 'a'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['capital', 'small']);
  });

  it('never overwrite each other where it does not', async () => {
    const from = { bucket, prefix: '' };
    for (const options of [{}, { onlyNew: true }]) {
      const folder = createFolder();
      const fetch = () => createTransfer().download(from, folding(folder), { ...options, concurrency: 1 });
      for (let again = 0; again < 2; again++) {
        expect(await fetch()).toMatchObject({ failed: 1, failures: [{ code: 'NameTaken' }] });
        expect(readdirSync(folder).sort()).toEqual(['0first', expect.stringMatching(/^a$/i)]);
      }
    }
  });

  it('are told apart before they are fetched, in whatever form', async () => {
    const target = folding(createFolder());
    const taken = expect.objectContaining({ code: 'NameTaken' }) as Error;
    (await target.open('Ä', false)).discard(false);
    expect(() => target.open('a\u0308', false)).toThrow(taken);
    (await target.open('Ä', false)).discard(false);
    const numbered = folding(createFolder());
    numbered.make('A/1', new Uint8Array(1), { size: 1 });
    expect(() => numbered.make('a/1', new Uint8Array(1), { size: 1 }), 'letters of a directory').toThrow(taken);
    target.make('x/Y', new Uint8Array(1), { size: 1 });
    expect(() => target.make('X/y', new Uint8Array(1), { size: 1 })).toThrow(taken);
    expect(() => target.keep('X/Y')).toThrow(taken);
    target.keep('x/Y');
  });

  /** A disk that answers to `A` where it has `a`. */
  class Folding extends FolderTarget {
    override isOther(path: string): boolean {
      return path === 'A';
    }
  }
  const sync = (folder: string, options: SyncOptions = {}) =>
    createTransfer().syncDown({ bucket, prefix: '' }, new Folding(folder), () => walk(folder, { sorted: true }), {
      compare: 'size',
      ...options,
    });

  it('leave a file alone that has the other name, or take its place when it goes', async () => {
    await stored({ A: 'capital' });
    const folder = createFolder();
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
