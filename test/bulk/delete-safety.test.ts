import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, Summary } from '../../src/bulk/node/index.js';
import type { TransferEvent } from '../../src/bulk/types.js';
import { runCommand } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3,
  s3Environment,
  createSortedSource,
  writeFiles,
} from './s3-store.js';

function createFilledFolder(files: Record<string, string>): string {
  const folder = createFolder();
  writeFiles(folder, files);
  return folder;
}

describe('sync --delete', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let bucket: string;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    bulk = createTransfer({ endpoint: proxy.url });
    bucket = await createBucket();
  });
  afterEach(() => proxy.close());
  const keys = async (prefix = '') => (await listObjects(createTransfer(), bucket, prefix)).map(({ key }) => key);
  const notDeleted = { deleted: 0, failed: 2, failures: [{}, { action: 'delete', code: 'NotDeleted' }] };

  it('keeps the object of a renamed file if the new object could not be stored', async () => {
    const folder = createFilledFolder({ a: 'precious' });
    const to = { bucket, prefix: 'p/' };
    await bulk.syncUp(createSortedSource(folder), to);
    renameSync(join(folder, 'a'), join(folder, 'b'));
    const refused = proxy.on({ method: 'PUT', fault: { respond: { status: 507 } } });
    for (const dryRun of [false, true]) {
      const summary = await bulk.syncUp(createSortedSource(folder), to, { delete: true, dryRun, retry: { tries: 1 } });
      expect(summary).toMatchObject(dryRun ? { files: 1, deleted: 1, failed: 0 } : notDeleted);
      expect(await keys()).toEqual(['p/a']);
    }
    refused.remove();
    expect(await bulk.syncUp(createSortedSource(folder), to, { delete: true })).toMatchObject({
      files: 1,
      deleted: 1,
      failed: 0,
    });
    expect(await keys()).toEqual(['p/b']);
  });

  it('keeps the old file if the new one could not be downloaded', async () => {
    await bulk.upload(walk(createFilledFolder({ new: 'precious' })), { bucket, prefix: '' });
    const folder = createFilledFolder({ old: 'precious' });
    const down = () =>
      bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), createSortedSource(folder), { delete: true });
    const refused = proxy.on({ method: 'GET', path: /new/, fault: { respond: { status: 403 } } });
    expect(await down()).toMatchObject(notDeleted);
    expect(readdirSync(folder)).toEqual(['old']);
    refused.remove();
    expect(await down()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(readdirSync(folder)).toEqual(['new']);
  });

  it('keeps the old copy if the new one could not be created', async () => {
    await bulk.upload(walk(createFilledFolder({ new: 'precious' })), { bucket, prefix: 'from/' });
    await bulk.upload(walk(createFilledFolder({ old: 'precious' })), { bucket, prefix: 'to/' });
    const within = () => bulk.syncWithin({ bucket, prefix: 'from/' }, { bucket, prefix: 'to/' }, { delete: true });
    const refused = proxy.on({ method: 'PUT', fault: { respond: { status: 403 } } });
    expect(await within()).toMatchObject(notDeleted);
    expect(await keys('to/')).toEqual(['to/old']);
    refused.remove();
    expect(await within()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(await keys('to/')).toEqual(['to/new']);
  });

  it('refuses to delete if the source is empty, unless maxDelete allows it', async () => {
    const [full, empty] = [createFilledFolder({ a: '1', b: '2' }), createFolder()];
    await bulk.upload(walk(full), { bucket, prefix: 'p/' });
    const [target, typo] = [
      { bucket, prefix: 'p/' },
      { bucket, prefix: 'typo/' },
    ];
    const directions: ((options: SyncOptions) => Promise<Summary>)[] = [
      (options) => bulk.syncUp(createSortedSource(empty), target, options),
      (options) => bulk.syncDown(typo, new FolderTarget(full), createSortedSource(full), options),
      (options) => bulk.syncWithin(typo, target, options),
    ];
    const tooMuch = { deleted: 0, failed: 1, failures: [{ code: 'TooMuchToDelete' }] };
    for (const sync of directions) {
      expect(await sync({})).toMatchObject({ deleted: 0, failed: 0 });
      for (const options of [{}, { maxDelete: 1 }, { dryRun: true }])
        expect(await sync({ delete: true, ...options })).toMatchObject(tooMuch);
      expect(await sync({ delete: true, maxDelete: 2, dryRun: true })).toMatchObject({ deleted: 2, failed: 0 });
    }
    expect(await keys()).toEqual(['p/a', 'p/b']);
    expect(readdirSync(full)).toEqual(['a', 'b']);
    rmSync(join(full, 'b'));
    expect(await bulk.syncUp(createSortedSource(full), target, { delete: true, maxDelete: 0 })).toMatchObject(tooMuch);
    expect(await bulk.syncUp(createSortedSource(full), target, { delete: true, maxDelete: 1 })).toMatchObject({
      deleted: 1,
      failed: 0,
    });
    expect(
      await bulk.syncDown(typo, new FolderTarget(full), createSortedSource(full), { delete: true, maxDelete: 1 }),
    ).toMatchObject({
      deleted: 1,
    });
    expect(readdirSync(full)).toEqual([]);
  });

  it('can be aborted while it deletes', async () => {
    const folder = createFilledFolder({ kept: '' });
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    for (let i = 0; i < 2500; i++) writeFileSync(join(folder, `f${i}`), '');
    const stop = new AbortController();
    const onEvent = ({ type }: TransferEvent): void => void (type === 'done' && stop.abort());
    const options = { delete: true, signal: stop.signal, onEvent };
    const syncing = bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), createSortedSource(folder), options);
    await expect(syncing).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('obeys --max-delete', async () => {
    await bulk.upload(walk(createFilledFolder({ a: '1' })), { bucket, prefix: '' });
    const sync = (...more: string[]) =>
      runCommand(['sync', createFolder(), `s3://${bucket}`, '--no-resume', ...more], s3Environment());
    const [refused, misused] = await Promise.all([sync('--delete'), sync('--max-delete', '1')]);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/TooMuchToDelete: [^]*--max-delete/) });
    expect(misused).toMatchObject({ status: 2 });
    expect(await keys()).toEqual(['a']);
    expect(await sync('--delete', '--max-delete', '1')).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
  });

  it('refuses a source that is an object', async () => {
    const folder = createFilledFolder({ one: '1' });
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    const from = { bucket, prefix: 'one/' };
    const expectedError = { code: 'InvalidOption', message: 'one is an object, not a prefix.' };
    await expect(
      bulk.syncDown(from, new FolderTarget(folder), createSortedSource(folder), { delete: true }),
    ).rejects.toMatchObject(expectedError);
    await expect(bulk.syncWithin(from, { bucket, prefix: 'to/' }, {})).rejects.toMatchObject(expectedError);
    expect(readdirSync(folder)).toEqual(['one']);
  });
});
