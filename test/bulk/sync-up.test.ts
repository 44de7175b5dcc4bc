import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { Progress, TransferEvent } from '../../src/bulk/types.js';
import { client, listObjects, createBucket, createTransfer, createFolder, createSortedSource, writeFiles } from './s3-store.js';

const MiB = 1024 * 1024;

describe('BulkTransfer.syncUp', () => {
  it('uploads only changed files', async () => {
    const folder = createFolder();
    // Orders by bytes, by UTF-16 and by directory differ for these names.
    writeFiles(folder, {
      'a/x': '1',
      'a.txt': '2',
      'a-b': '3',
      'a/y/z': '4',
      '\uFF5E': '5',
      '\u{1F600}': '6',
      big: randomBytes(17 * MiB),
      e: '',
    });
    mkdirSync(join(folder, 'void'));
    const bucket = await createBucket();
    const bulk = createTransfer();
    const to = { bucket, prefix: 's/' };
    expect(await bulk.syncUp(createSortedSource(folder), to)).toMatchObject({ files: 9, skipped: 0, failed: 0 });
    expect(await bulk.syncUp(createSortedSource(folder), to)).toMatchObject({ files: 0, skipped: 9, failed: 0 });
    // The size is equal and the file is older than the object, so the listing alone shows no change.
    writeFileSync(join(folder, 'a.txt'), 'z');
    utimesSync(join(folder, 'a.txt'), 1_500_000_000, 1_500_000_000);
    expect(await bulk.syncUp(createSortedSource(folder), to)).toMatchObject({ files: 1, skipped: 8 });
    expect(await bulk.syncUp(createSortedSource(folder), to, { compare: 'checksum' })).toMatchObject({ files: 0, skipped: 9 });
  });

  it('sends only listing requests for files that the journal lists as equal', async () => {
    const folder = createFolder();
    writeFiles(folder, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, `${i}`])));
    const bucket = await createBucket();
    const to = { bucket, prefix: '' };
    const state = createFolder();
    const bulk = createTransfer();
    const methods: string[] = [];
    const { httpClient } = bulk.store;
    const send = httpClient.send.bind(httpClient);
    httpClient.send = (request) => {
      methods.push(request.method);
      return send(request);
    };
    const run = () => bulk.syncUp(createSortedSource(folder), to, { journal: new DiskJournal(state, { keepSettled: true }) });
    await run();
    for (let repeat = 0; repeat < 3; repeat++) {
      methods.length = 0;
      expect(await run()).toMatchObject({ files: 0, skipped: 40 });
      expect(methods).toEqual(['GET']);
    }
    // The journal does not hide deleted and replaced objects.
    await bulk.delete({ bucket, prefix: 'f7' });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'f8', Body: 'x' }));
    utimesSync(join(folder, 'f8'), new Date(), new Date(Date.now() + 60_000));
    expect(await run()).toMatchObject({ files: 2, skipped: 38 });
  });

  it('compares bytes if an object has no recorded time', async () => {
    const folder = createFolder();
    writeFiles(folder, { same: 'AAAA', other: 'AAAA', odd: 'AAAA' });
    const bucket = await createBucket();
    for (const [Key, Body] of [
      ['same', 'AAAA'],
      ['other', 'BBBB'],
    ] as const)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    // An invalid time counts as none.
    const invalidTime = { Bucket: bucket, Key: 'odd', Body: 'BBBB', Metadata: { mtime: 'yesterday' } };
    await client.send(new PutObjectCommand(invalidTime));
    const bulk = createTransfer();
    expect(await bulk.syncUp(createSortedSource(folder), { bucket, prefix: '' })).toMatchObject({
      files: 2,
      skipped: 1,
      failed: 0,
    });
    expect(await bulk.verify(createSortedSource(folder), { bucket, prefix: '' })).toMatchObject({ files: 3, failed: 0 });
  });

  it('with compare: checksum finds a change that keeps size and time', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'one' });
    const { atime, mtime } = statSync(join(folder, 'f'));
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: '' });
    writeFileSync(join(folder, 'f'), 'two');
    utimesSync(join(folder, 'f'), atime, mtime);
    expect(await bulk.syncUp(createSortedSource(folder), { bucket, prefix: '' }, { compare: 'checksum' })).toMatchObject({
      files: 1,
    });
    expect(await bulk.verify(createSortedSource(folder), { bucket, prefix: '' })).toMatchObject({ files: 1, failed: 0 });
  });

  it('treats folder markers as folders', async () => {
    const folder = createFolder();
    writeFiles(folder, { 'sub/x': '1', 'sub-y': '2', 'sub.z/deep/x': '3' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const place = { bucket, prefix: 'p/' };
    await bulk.syncUp(createSortedSource(folder), place);
    for (const Key of ['p/', 'p/sub/', 'p/sub.z/', 'p/sub.z/deep/'])
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: new Uint8Array() }));
    expect(await bulk.verify(createSortedSource(folder), place)).toMatchObject({ files: 6, failed: 0 });
    const down = createFolder();
    const download = () => bulk.syncDown(place, new FolderTarget(down), createSortedSource(down), {});
    expect(await download()).toMatchObject({ files: 6, failed: 0 });
    expect(await download()).toMatchObject({ files: 0, skipped: 6, failed: 0 });
    // One marker has no local folder, the other is an object with content.
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'p/other/', Body: new Uint8Array() }));
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'p/sub.z/', Body: 'bytes' }));
    const verified = await bulk.verify(createSortedSource(folder), place);
    expect(verified.failures.map(({ name }) => name).toSorted()).toEqual(['other/', 'sub.z/']);
    expect(await download()).toMatchObject({ files: 1, skipped: 5, failed: 1 });
  });

  it('skips folders whose files are all excluded', async () => {
    const bucket = await createBucket();
    for (const Key of ['a/', 'a/b/']) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: new Uint8Array() }));
    const down = createFolder();
    writeFiles(down, { 'a/b/x.tmp': '1' });
    const filter = (path: string): boolean => !path.endsWith('.tmp');
    const existing = () => walk(down, { sorted: true, filter });
    const summary = await createTransfer().syncDown({ bucket, prefix: '' }, new FolderTarget(down), existing, { filter });
    expect(summary).toMatchObject({ files: 0, skipped: 2, failed: 0 });
  });

  it('reports complete totals at the end', async () => {
    const folder = createFolder();
    writeFiles(folder, { a: '1', b: '2' });
    const bucket = await createBucket();
    for (let i = 0; i < 20; i++) await client.send(new PutObjectCommand({ Bucket: bucket, Key: `old${i}`, Body: 'x' }));
    const sync = async (options: SyncOptions) => {
      let last: Progress | undefined;
      await createTransfer().syncUp(
        createSortedSource(folder),
        { bucket, prefix: '' },
        { ...options, onProgress: (progress) => (last = progress) },
      );
      return last;
    };
    expect(await sync({})).toMatchObject({ files: 2, totalFiles: 2, totalBytes: 2 });
    expect(await sync({ delete: true })).toMatchObject({ files: 20, skipped: 2, totalFiles: 22, totalBytes: 2 });
  });

  it('with delete removes extra objects except excluded ones, and lists them in a dry run', async () => {
    const folder = createFolder();
    writeFiles(folder, { keep: '1', 'old/one': '2', 'old/two.log': '3' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const to = { bucket, prefix: 'x/' };
    await bulk.syncUp(createSortedSource(folder), to);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'y', Body: 'beside' }));
    rmSync(join(folder, 'old'), { recursive: true });
    const events: TransferEvent[] = [];
    const options: SyncOptions = { delete: true, filter: (path) => !path.endsWith('.log') };
    const dry = await bulk.syncUp(createSortedSource(folder), to, {
      ...options,
      dryRun: true,
      onEvent: (event) => events.push(event),
    });
    expect(dry).toMatchObject({ deleted: 1, files: 0 });
    expect(events.filter((event) => event.type === 'done')).toMatchObject([
      { action: 'delete', name: 'x/old/one', dryRun: true },
    ]);
    expect(await listObjects(bulk, bucket)).toHaveLength(4);
    expect(await bulk.syncUp(createSortedSource(folder), to, options)).toMatchObject({ deleted: 1 });
    expect((await listObjects(bulk, bucket)).map((entry) => entry.key)).toEqual(['x/keep', 'x/old/two.log', 'y']);
  });

  it('deletes nothing if part of the source cannot be read', async () => {
    const folder = createFolder();
    writeFiles(folder, { a: '1', 'sub/b': '2' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: '' });
    rmSync(join(folder, 'a'));
    const broken = function* () {
      for (const file of walk(folder, { sorted: true }))
        yield file.path === 'sub/b' ? { ...file, problem: new Error('no') as never } : file;
    };
    const summary = await bulk.syncUp(broken, { bucket, prefix: '' }, { delete: true });
    expect(summary).toMatchObject({ deleted: 0, failed: 2 });
    expect(await listObjects(bulk, bucket)).toHaveLength(2);
  });
});
