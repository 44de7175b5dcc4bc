import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, createBucket, createTransfer, createFolder, s3, createSortedSource, writeFiles } from './s3-store.js';

describe('syncDown to a folder with conflicting types', () => {
  it('replaces a file with a directory, and deletes nothing else if the download fails', async () => {
    const [source, folder] = [createFolder(), createFolder()];
    writeFiles(source, { 'a-b': '1', 'a/x': '2', 'a/y/z': '3' });
    writeFiles(folder, { a: 'file', 'a-b': '1', old: '4' });
    const bucket = await createBucket();
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const down = (options: SyncOptions) =>
      bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), createSortedSource(folder), {
        compare: 'size',
        ...options,
      });
    expect(await down({ delete: true, dryRun: true })).toMatchObject({ files: 2, skipped: 1, deleted: 2, failed: 0 });
    for (const options of [{ dryRun: true }, {}]) {
      const refusedSummary = await down({ ...options, delete: true, maxDelete: 1 });
      expect(refusedSummary).toMatchObject({ files: 0, deleted: 0, failed: 3 });
      expect(refusedSummary.failures.map(({ code }) => code)).toEqual(['NameTaken', 'NameTaken', 'TooMuchToDelete']);
      expect(await down(options)).toMatchObject({ files: 0, skipped: 1, failed: 2 });
    }
    expect(readdirSync(folder)).toEqual(['a', 'a-b', 'old']);
    const refused = proxy.on({ method: 'GET', path: /z$/, fault: { respond: { status: 403 } } });
    expect(await down({ delete: true })).toMatchObject({ files: 1, deleted: 1, failed: 2 });
    expect(readdirSync(folder)).toEqual(['a', 'a-b', 'old']);
    refused.remove();
    expect(await down({ delete: true })).toMatchObject({ files: 1, skipped: 2, deleted: 1, failed: 0 });
    expect([...walk(folder)].map(({ path }) => path).sort()).toEqual(['a-b', 'a/x', 'a/y/z']);
  });

  /** Lists files and directories. Directories end in a slash. */
  const listEntries = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1) + (entry.isDirectory() ? '/' : ''))
      .sort();
  const storeObjects = async (files: Record<string, string>) => {
    const source = createFolder();
    writeFiles(source, files);
    const bucket = await createBucket();
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    const down = (folder: string, options: SyncOptions, existing = createSortedSource(folder)) =>
      createTransfer().syncDown({ bucket, prefix: '' }, new FolderTarget(folder), existing, { compare: 'size', ...options });
    return Object.assign(down, { bucket });
  };

  it('replaces a directory with a file if everything in it may be deleted', async () => {
    const syncDown = await storeObjects({ a: 'file', 'a-b': '1', c: 'c' });
    const folder = createFolder();
    writeFiles(folder, { 'a/x': '1', 'a/y/z': '2', 'a/.svc-1a2b000000000.part': 'cut short', 'a-b': '1', 'c/d/e': '', old: '' });
    mkdirSync(join(folder, 'a/empty'));
    const before = listEntries(folder);
    expect(await syncDown(folder, { delete: true, dryRun: true })).toMatchObject({ files: 2, skipped: 1, deleted: 4, failed: 0 });
    const bound = await syncDown(folder, { delete: true, maxDelete: 3 });
    expect(bound.failures.map(({ name, code }) => [name, code])).toEqual([
      ['a', 'NameTaken'],
      ['c', 'NameTaken'],
      ['(everything that would be deleted)', 'TooMuchToDelete'],
    ]);
    expect(listEntries(folder)).toEqual(before);
    expect(await syncDown(folder, { delete: true })).toMatchObject({ files: 2, skipped: 1, deleted: 4, failed: 0 });
    expect(listEntries(folder)).toEqual(['a', 'a-b', 'c']);
    expect(await syncDown(folder, { delete: true })).toMatchObject({ files: 0, skipped: 3, deleted: 0, failed: 0 });
  });

  it('reports the directory that blocks a file separately from other failures', async () => {
    const syncDown = await storeObjects({ a: 'file', 'b/c': '1' });
    const folder = createFolder();
    writeFiles(folder, { 'a/x': '1', 'a/y': '2' });
    // No file can be created below a dangling link.
    symlinkSync('nowhere', join(folder, 'b'));
    const summary = await syncDown(folder, { delete: true });
    expect(summary).toMatchObject({ deleted: 0 });
    expect(summary.failures.filter(({ name }) => name !== 'b/c').map(({ name, message }) => [name, message])).toEqual([
      ['a', 'a is a directory, and nothing is deleted in this run.'],
      ['(everything that would be deleted)', 'Nothing was deleted, because not everything could be copied.'],
    ]);
  });

  it('keeps a directory if anything in it has to stay', async () => {
    const outside = createFolder();
    writeFiles(outside, { precious: '1' });
    const cases: [string, Record<string, string>, (folder: string) => void, SyncOptions][] = [
      ['without --delete', { a: 'file' }, () => {}, {}],
      ['a filter spares it', { a: 'file' }, () => {}, { delete: true, filter: (path) => path !== 'a/y' }],
      ['the source has it', { a: 'file', 'a/y': '2' }, () => {}, { delete: true }],
      ['it is another folder', { a: 'file' }, (folder) => symlinkSync(outside, join(folder, 'a/link')), { delete: true }],
    ];
    for (const [why, files, more, options] of cases) {
      const store = createFolder();
      const bucket = await createBucket();
      const bulk = createTransfer();
      // A disk cannot contain both names, so they are uploaded one after the other.
      for (const [index, [path, text]] of Object.entries(files).entries()) {
        writeFiles(join(store, `${index}`), { [path]: text });
        await bulk.upload(walk(join(store, `${index}`)), { bucket, prefix: '' });
      }
      const folder = createFolder();
      writeFiles(folder, { 'a/x': '1', 'a/y': '2', old: '' });
      more(folder);
      const before = listEntries(folder);
      const filtered = () => [...walk(folder, { sorted: true })].filter(({ path }) => options.filter?.(path) !== false);
      const summary = await bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), filtered, {
        compare: 'size',
        ...options,
      });
      const failures = summary.failures.map(({ name, code }) => [name, code]);
      expect([why, failures[0]]).toEqual([why, ['a', 'NameTaken']]);
      expect([why, listEntries(folder)]).toEqual([why, before]);
      expect(readdirSync(outside)).toEqual(['precious']);
    }
  });

  it('reports the conflict before it downloads a large file', async () => {
    const source = createFolder();
    writeFileSync(join(source, 'a'), new Uint8Array(17 * 1024 * 1024));
    const folder = createFolder();
    writeFiles(folder, { 'a/x': '1' });
    const bucket = await createBucket();
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    const summary = await createTransfer({ endpoint: proxy.url }).download({ bucket, prefix: '' }, new FolderTarget(folder));
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'NameTaken' }] });
    expect(proxy.requests.every(({ responseBytes }) => responseBytes < 100_000)).toBe(true);
  });

  it('deletes nothing for an object whose name is also that of a folder', async () => {
    const syncDown = await storeObjects({ a: 'file' });
    const folder = createFolder();
    writeFiles(folder, { 'a/x': '1' });
    const { bucket } = syncDown;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/', Body: new Uint8Array() }));
    for (const options of [{ dryRun: true }, {}]) {
      const summary = await syncDown(folder, { ...options, delete: true });
      expect(summary).toMatchObject({ files: 0, skipped: 1, deleted: 0, failed: 2 });
      expect(summary.failures.map(({ code }) => code)).toEqual(['NameTaken', 'NotDeleted']);
    }
    expect(listEntries(folder)).toEqual(['a/', 'a/x']);
  });

  it('reports the same conflicts in a dry run, and deletes nothing', async () => {
    const syncDown = await storeObjects({ 'a/x': '1', b: 'file', c: 'c', 'd/x': '2' });
    const folder = createFolder();
    writeFiles(folder, { a: 'left out', 'b/x': 'left out', old: '' });
    symlinkSync(createFolder(), join(folder, 'd'));
    const filter = (path: string): boolean => path !== 'a' && path !== 'b/x';
    for (const options of [{ dryRun: true }, {}]) {
      const summary = await syncDown(folder, { ...options, filter, delete: true }, () => walk(folder, { sorted: true, filter }));
      expect(summary).toMatchObject({ files: 2, deleted: 0, failed: 3 });
      expect(summary.failures.map(({ code }) => code).toSorted()).toEqual(['NameTaken', 'NameTaken', 'NotDeleted']);
    }
  });
});
