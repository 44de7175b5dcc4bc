import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FoldedNames } from '../../src/bulk/node/files/folded-names.js';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { SyncOptions } from '../../src/bulk/node/index.js';
import { createBucket, createTransfer, createFolder } from './s3-store.js';

/** Creates a target that behaves like a case-insensitive disk. */
const createFoldingTarget = (folder: string) => new FolderTarget(folder, new FoldedNames(() => true));

describe('keys that differ only in case', () => {
  let bucket: string;
  const storeObjects = async (files: Record<string, string>) => {
    const source = createFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    bucket = await createBucket();
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
  };
  beforeEach(() => storeObjects({ '0first': '0', A: 'capital', a: 'small' }));

  it('become separate files on a case-sensitive disk', async () => {
    const folder = createFolder();
    expect(await createTransfer().download({ bucket, prefix: '' }, new FolderTarget(folder))).toMatchObject({
      files: 3,
      failed: 0,
    });
    expect(['A', 'a'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['capital', 'small']);
  });

  it('never overwrite each other on a case-insensitive disk', async () => {
    const from = { bucket, prefix: '' };
    for (const options of [{}, { onlyNew: true }]) {
      const folder = createFolder();
      const download = () => createTransfer().download(from, createFoldingTarget(folder), { ...options, concurrency: 1 });
      for (let run = 1; run <= 2; run++) {
        expect(await download()).toMatchObject({ failed: 1, failures: [{ code: 'NameTaken' }] });
        expect(readdirSync(folder).sort()).toEqual(['0first', expect.stringMatching(/^a$/i)]);
      }
    }
  });

  it('are refused before the download, in every Unicode form', async () => {
    const target = createFoldingTarget(createFolder());
    const nameTaken = expect.objectContaining({ code: 'NameTaken' }) as Error;
    (await target.open('Ä', false)).discard(false);
    expect(() => target.open('a\u0308', false)).toThrow(nameTaken);
    (await target.open('Ä', false)).discard(false);
    const numbered = createFoldingTarget(createFolder());
    numbered.make('A/1', new Uint8Array(1), { size: 1 });
    expect(() => numbered.make('a/1', new Uint8Array(1), { size: 1 }), 'case of a directory').toThrow(nameTaken);
    target.make('x/Y', new Uint8Array(1), { size: 1 });
    expect(() => target.make('X/y', new Uint8Array(1), { size: 1 })).toThrow(nameTaken);
    expect(() => target.keep('X/Y')).toThrow(nameTaken);
    target.keep('x/Y');
  });

  /** A disk that finds `a` under the name `A`. */
  class CaseInsensitiveTarget extends FolderTarget {
    override isOther(path: string): boolean {
      return path === 'A';
    }
  }
  const sync = (folder: string, options: SyncOptions = {}) =>
    createTransfer().syncDown({ bucket, prefix: '' }, new CaseInsensitiveTarget(folder), () => walk(folder, { sorted: true }), {
      compare: 'size',
      ...options,
    });

  it('replace a file of the other case only if sync may delete it', async () => {
    await storeObjects({ A: 'capital' });
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
