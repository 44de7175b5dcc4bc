import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { Summary } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import {
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3Environment,
  createSortedSource,
  writeFiles,
} from './s3-store.js';

describe('sync --delete from a source with directories but no files', () => {
  const message = 'Nothing was deleted: the source has no file, and the target has 2 to delete.';
  const refused = { deleted: 0, failed: 1, failures: [{ code: 'TooMuchToDelete', message }] };
  const listKeys = async (bucket: string, prefix: string) =>
    (await listObjects(createTransfer(), bucket, prefix)).map(({ key }) => key);

  it.each(['two unmounted disks', 'a link to one'])('deletes no object (%s)', async (what) => {
    const [folder, disk] = [createFolder(), createFolder()];
    if (what === 'a link to one') symlinkSync(disk, join(folder, 'disk1'));
    writeFiles(folder, { 'disk1/a': 'a', 'disk1/sub/b': 'b' });
    const to = { bucket: await createBucket(), prefix: '' };
    const up = (options: SyncOptions) => createTransfer().syncUp(createSortedSource(folder), to, { delete: true, ...options });
    expect(await up({})).toMatchObject({ files: 2, failed: 0 });
    for (const name of ['a', 'sub']) rmSync(join(folder, 'disk1', name), { recursive: true });
    if (what !== 'a link to one') mkdirSync(join(folder, 'disk2'));
    for (const dryRun of [true, false]) expect(await up({ dryRun })).toMatchObject(refused);
    expect(await listKeys(to.bucket, '')).toEqual(expect.arrayContaining(['disk1/', 'disk1/a', 'disk1/sub/b']));
    expect(await up({ maxDelete: 2 })).toMatchObject({ deleted: 2, failed: 0 });
  });

  it('deletes nothing if the source has only folder markers', async () => {
    const [bare, full] = [createFolder(), createFolder()];
    mkdirSync(join(bare, 'disk/sub'), { recursive: true });
    writeFiles(full, { a: 'a', 'disk/b': 'b' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const place = (prefix: string) => ({ bucket, prefix });
    const [from, to] = [place('from/'), place('to/')];
    await bulk.upload(walk(bare), from);
    await bulk.upload(walk(full), to);
    const directions: ((options: SyncOptions) => Promise<Summary>)[] = [
      (options) => bulk.syncDown(from, new FolderTarget(full), createSortedSource(full), options),
      (options) => bulk.syncWithin(from, to, options),
    ];
    for (const sync of directions)
      for (const dryRun of [true, false]) expect(await sync({ delete: true, dryRun })).toMatchObject(refused);
    expect(readdirSync(full)).toEqual(['a', 'disk']);
    expect(await listKeys(bucket, 'to/')).toEqual(['to/a', 'to/disk/b', 'to/disk/sub/']);
  });
});

describe('sync --delete --symlinks skip with a link to an unmounted disk', () => {
  it('keeps the objects of files behind the link', async () => {
    const [folder, disk] = [createFolder(), createFolder()];
    // These names sort next to the link, both as a directory and as a file.
    writeFiles(folder, { 'disk-1': '1', 'disk.txt': '2', disk0: '3', gone: '4', kept: '5', 'sub/x': '6' });
    writeFiles(disk, { a: 'a', 'b/c': 'c' });
    symlinkSync(disk, join(folder, 'disk'));
    symlinkSync(join(disk, 'a'), join(folder, 'sub', 'file'));
    const bucket = await createBucket();
    const sync = (...more: string[]) => runCommand(['sync', folder, `s3://${bucket}`, '--no-resume', ...more], s3Environment());
    const listKeys = async () => (await listObjects(createTransfer(), bucket)).map(({ key }) => key);
    expect(await sync()).toMatchObject({ status: 0 });
    for (const name of ['disk-1', 'gone']) rmSync(join(folder, name));
    const remaining = ['disk.txt', 'disk/a', 'disk/b/c', 'disk0', 'kept', 'sub/file', 'sub/x'];
    const list = join(createFolder(), 'list');
    writeFileSync(list, ['disk-1', 'disk/a', 'kept', 'sub/file'].map((name) => join(folder, name)).join('\n'));
    const mounted = await sync('--delete', '--symlinks', 'skip', '--dry-run');
    expect(mounted).toMatchObject({ status: 0, stderr: expect.stringContaining('would delete 2 files') });
    rmSync(disk, { recursive: true });
    expect(await sync('--delete')).toMatchObject({ status: 1, stderr: expect.stringContaining('--symlinks skip') });
    expect(await sync('--delete', '--symlinks', 'skip', '--files-from', list)).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual([...remaining, 'gone'].toSorted());
    expect(await sync('--delete', '--symlinks', 'skip')).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual(remaining);
  });
});
