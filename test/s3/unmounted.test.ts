import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/s3/node/index.js';
import type { Summary, SyncOptions } from '../../src/s3/node/index.js';
import { listed, newBucket, newBulk, newFolder, s3, tree, write } from './engine.js';

describe.skipIf(s3 === undefined)('a source of which only directories are left', () => {
  const message = 'Nothing was deleted: 2 would go, and the source has no file.';
  const heldBack = { deleted: 0, failed: 1, failures: [{ code: 'TooMuchToDelete', message }] };
  const keys = async (bucket: string, prefix: string) => (await listed(newBulk(), bucket, prefix)).map(({ key }) => key);

  it.each(['two disks that are not mounted', 'a link to one'])('deletes no object: %s', async (what) => {
    const [folder, disk] = [newFolder(), newFolder()];
    if (what === 'a link to one') symlinkSync(disk, join(folder, 'disk1'));
    write(folder, { 'disk1/a': 'a', 'disk1/sub/b': 'b' });
    const to = { bucket: await newBucket(), prefix: '' };
    const up = (options: SyncOptions) => newBulk().syncUp(tree(folder), to, { delete: true, ...options });
    expect(await up({})).toMatchObject({ files: 2, failed: 0 });
    for (const gone of ['a', 'sub']) rmSync(join(folder, 'disk1', gone), { recursive: true });
    if (what !== 'a link to one') mkdirSync(join(folder, 'disk2'));
    for (const dryRun of [true, false]) expect(await up({ dryRun })).toMatchObject(heldBack);
    expect(await keys(to.bucket, '')).toEqual(expect.arrayContaining(['disk1/', 'disk1/a', 'disk1/sub/b']));
    expect(await up({ maxDelete: 2 })).toMatchObject({ deleted: 2, failed: 0 });
  });

  it('deletes nothing from where objects stand for directories', async () => {
    const [bare, full] = [newFolder(), newFolder()];
    mkdirSync(join(bare, 'disk/sub'), { recursive: true });
    write(full, { a: 'a', 'disk/b': 'b' });
    const bucket = await newBucket();
    const bulk = newBulk();
    const place = (prefix: string) => ({ bucket, prefix });
    const [from, to] = [place('from/'), place('to/')];
    await bulk.upload(walk(bare), from);
    await bulk.upload(walk(full), to);
    const ways: ((options: SyncOptions) => Promise<Summary>)[] = [
      (options) => bulk.syncDown(from, new FolderTarget(full), tree(full), options),
      (options) => bulk.syncWithin(from, to, options),
    ];
    for (const sync of ways)
      for (const dryRun of [true, false]) expect(await sync({ delete: true, dryRun })).toMatchObject(heldBack);
    expect(readdirSync(full)).toEqual(['a', 'disk']);
    expect(await keys(bucket, 'to/')).toEqual(['to/a', 'to/disk/b', 'to/disk/sub/']);
  });
});
