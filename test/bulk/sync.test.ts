import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
    const wrong = await bulk.verify(createSortedSource(folder), place);
    expect(wrong.failures.map(({ name }) => name).toSorted()).toEqual(['other/', 'sub.z/']);
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
  }, 60_000);

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
