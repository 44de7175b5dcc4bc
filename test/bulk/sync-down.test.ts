import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import { client, createBucket, createTransfer, createFolder, createSortedSource, writeFiles } from './s3-store.js';

describe('BulkTransfer.syncDown', () => {
  it('makes a folder equal to a prefix', async () => {
    const [source, target] = [createFolder(), createFolder()];
    writeFiles(source, { a: '1', 'b/c': '2', 'b/d': '3' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const from = { bucket, prefix: 'p/' };
    await bulk.upload(walk(source), from);
    const run = (options: SyncOptions = {}) => bulk.syncDown(from, new FolderTarget(target), createSortedSource(target), options);
    expect(await run()).toMatchObject({ files: 3, failed: 0 });
    expect(await run()).toMatchObject({ files: 0, skipped: 3 });
    writeFileSync(join(target, 'b/c'), '9');
    writeFileSync(join(target, 'extra'), 'x');
    chmodSync(join(target, 'a'), 0o600);
    expect(await run({ delete: true })).toMatchObject({ files: 1, skipped: 2, deleted: 1 });
    expect(readFileSync(join(target, 'b/c'), 'utf8')).toBe('2');
    expect([...walk(target, { sorted: true })].map((file) => file.path)).toEqual(['a', 'b/c', 'b/d']);
  });

  it('deletes nothing behind a symbolic link, and skips equal files there', async () => {
    const [outside, target] = [createFolder(), createFolder()];
    writeFiles(outside, { precious: '1', 'deep/er': '2', same: '3' });
    writeFiles(target, { own: '4' });
    symlinkSync(outside, join(target, 'link'));
    symlinkSync(join(outside, 'precious'), join(target, 'file'));
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.upload(
      [...walk(outside)].filter(({ path }) => path === 'same'),
      { bucket, prefix: 'link/' },
    );
    const run = () =>
      bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(target), createSortedSource(target), { delete: true });
    expect(await run()).toMatchObject({ files: 0, skipped: 1, deleted: 2, failed: 0 });
    expect([...walk(outside)].map((file) => file.path).sort()).toEqual(['deep/er', 'precious', 'same']);
    expect(readdirSync(target)).toEqual(['link']);
  });

  it('continues after a file that cannot be deleted, and stops if none can', async () => {
    const bucket = await createBucket();
    const target = new FolderTarget(createFolder());
    target.remove = (path) => {
      if (path !== 'f000001') throw new Error(`${path} stays`);
    };
    const run = (count: number, dryRun = false) => {
      const files = function* () {
        for (let i = 0; i < count; i++) yield { path: `f${String(i).padStart(6, '0')}`, size: 1, unique: true as const };
      };
      return createTransfer().syncDown({ bucket, prefix: '' }, target, files, { delete: true, maxDelete: Infinity, dryRun });
    };
    expect(await run(3)).toMatchObject({ deleted: 1, failed: 2, failures: [{ name: 'f000000' }, { name: 'f000002' }] });
    expect(await run(200_005, true)).toMatchObject({ deleted: 200_005, failed: 0 });
    target.remove = () => {
      throw new Error('none');
    };
    expect(await run(200_005)).toMatchObject({ deleted: 0, failed: 200_000 });
  });

  it('compares bytes of objects that another tool uploaded without times', async () => {
    const [folder, bucket] = [createFolder(), await createBucket()];
    const place = { bucket, prefix: '' };
    const put = (Body: string) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body }));
    const file = join(folder, 'a');
    const writeLocal = (bytes: string, seconds: number) => {
      writeFileSync(file, bytes);
      utimesSync(file, seconds, seconds);
    };
    const up = (dryRun = false) => createTransfer().syncUp(createSortedSource(folder), place, { dryRun });
    const down = () => createTransfer().syncDown(place, new FolderTarget(folder), createSortedSource(folder), {});
    await put('aaaa');
    const now = Date.now() / 1000;
    for (const seconds of [now - 3600, now, now + 3600]) {
      writeLocal('aaaa', seconds);
      expect(await up()).toMatchObject({ files: 0, skipped: 1 });
      expect(await down()).toMatchObject({ files: 0, skipped: 1 });
      writeLocal('bbbb', seconds);
      expect(await up(true)).toMatchObject({ files: 1, skipped: 0 });
      expect(await down()).toMatchObject({ files: 1, skipped: 0 });
      expect(readFileSync(file, 'utf8')).toBe('aaaa');
    }
    // An unreadable file counts as different and is replaced.
    const unreadable = async function* () {
      for (const file of walk(folder, { sorted: true }))
        yield {
          ...file,
          open: () => {
            throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
          },
        };
    };
    expect(await createTransfer().syncDown(place, new FolderTarget(folder), unreadable, {})).toMatchObject({
      files: 1,
      failed: 0,
    });
    expect(await createTransfer().syncUp(unreadable, place, {})).toMatchObject({
      files: 0,
      failures: [{ code: 'SourceUnreadable' }],
    });
  });

  it('downloads an object again that another tool replaced', async () => {
    const target = createFolder();
    const bucket = await createBucket();
    const put = (Body: string) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body }));
    const run = () => createTransfer().syncDown({ bucket, prefix: '' }, new FolderTarget(target), createSortedSource(target), {});
    await put('aaaa');
    expect(await run()).toMatchObject({ files: 1 });
    expect(await run()).toMatchObject({ files: 0, skipped: 1 });
    // The first download happened a minute ago.
    utimesSync(join(target, 'a'), new Date(), statSync(join(target, 'a')).mtimeMs / 1000 - 60);
    await put('bbbb');
    expect(await run()).toMatchObject({ files: 1 });
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('bbbb');
  });
});
