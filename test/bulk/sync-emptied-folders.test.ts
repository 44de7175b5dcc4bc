import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { SyncOptions } from '../../src/bulk/node/index.js';
import { listObjects, createBucket, createTransfer, createFolder, createSortedSource, writeFiles } from './s3-store.js';

describe('a directory that sync --delete has emptied', () => {
  it('is removed, unless the source has it or it was empty before', async () => {
    const [source, folder] = [createFolder(), createFolder()];
    writeFiles(source, { 'kept/a': '1', 'old/deep/b': '2', 'half/c': '3', 'half/d/e': '4', 'marked/f': '5' });
    const place = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const target = new FolderTarget(folder);
    const down = (options: SyncOptions = {}) => bulk.syncDown(place, target, createSortedSource(folder), options);
    await bulk.upload(walk(source), place);
    expect(await down()).toMatchObject({ files: 5, failed: 0 });
    mkdirSync(join(folder, 'never'));
    for (const key of ['old/deep/b', 'half/d/e', 'marked/f']) await bulk.delete(place, { keys: [key] });
    rmSync(join(source, 'marked/f'));
    await bulk.upload(walk(source, { filter: (path) => path === 'marked/' }), place);
    const folders = (): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .toSorted();
    const all = ['half', 'half/d', 'kept', 'marked', 'never', 'old', 'old/deep'];
    expect(await down({ delete: true, dryRun: true })).toMatchObject({ deleted: 3 });
    expect(folders()).toEqual(all);
    expect(await down({ delete: true })).toMatchObject({ deleted: 3, failed: 0 });
    expect(folders()).toEqual(['half', 'kept', 'marked', 'never']);

    // The same target object creates the removed directories again.
    await bulk.upload(walk(source), place);
    expect(await down()).toMatchObject({ files: 2, failed: 0 });
    expect(folders()).toEqual(all);
    rmSync(join(folder, 'never'), { recursive: true });
    await bulk.syncUp(createSortedSource(folder), place, { delete: true });
    expect((await listObjects(bulk, place.bucket)).map(({ key }) => key)).toEqual([
      'half/c',
      'half/d/e',
      'kept/a',
      'marked/',
      'old/deep/b',
    ]);
  });
});
