import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/s3/node/index.js';
import type { BulkTransfer } from '../../src/s3/node/index.js';
import { startFaultProxy } from '../setup/fault-proxy.js';
import type { FaultProxy } from '../setup/fault-proxy.js';
import { listed, newBucket, newBulk, newFolder, s3 } from './engine.js';

const tree = (folder: string) => () => walk(folder, { sorted: true });

function folderOf(files: Record<string, string>): string {
  const folder = newFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe.skipIf(s3 === undefined)('a sync that deletes', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let bucket: string;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3!.endpoint);
    bulk = newBulk({ endpoint: proxy.url });
    bucket = await newBucket();
  });
  afterEach(() => proxy.close());
  const keys = async (prefix = '') => (await listed(newBulk(), bucket, prefix)).map(({ key }) => key);
  const heldBack = { deleted: 0, failed: 2, failures: [{}, { action: 'delete', code: 'NotDeleted' }] };

  it('keeps the old name of a file whose new name could not be stored', async () => {
    const folder = folderOf({ a: 'precious' });
    const to = { bucket, prefix: 'p/' };
    await bulk.syncUp(tree(folder), to);
    renameSync(join(folder, 'a'), join(folder, 'b'));
    const refused = proxy.on({ method: 'PUT', fault: { answer: { status: 507 } } });
    for (const dryRun of [false, true]) {
      const summary = await bulk.syncUp(tree(folder), to, { delete: true, dryRun, retry: { tries: 1 } });
      expect(summary).toMatchObject(dryRun ? { files: 1, deleted: 1, failed: 0 } : heldBack);
      expect(await keys()).toEqual(['p/a']);
    }
    refused.remove();
    expect(await bulk.syncUp(tree(folder), to, { delete: true })).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(await keys()).toEqual(['p/b']);
  });

  it('keeps the old file where the new one does not come', async () => {
    await bulk.upload(walk(folderOf({ new: 'precious' })), { bucket, prefix: '' });
    const folder = folderOf({ old: 'precious' });
    const down = () => bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), tree(folder), { delete: true });
    const refused = proxy.on({ method: 'GET', path: /new/, fault: { answer: { status: 403 } } });
    expect(await down()).toMatchObject(heldBack);
    expect(readdirSync(folder)).toEqual(['old']);
    refused.remove();
    expect(await down()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(readdirSync(folder)).toEqual(['new']);
  });

  it('keeps the old copy where the new one is not made', async () => {
    await bulk.upload(walk(folderOf({ new: 'precious' })), { bucket, prefix: 'from/' });
    await bulk.upload(walk(folderOf({ old: 'precious' })), { bucket, prefix: 'to/' });
    const within = () => bulk.syncWithin({ bucket, prefix: 'from/' }, { bucket, prefix: 'to/' }, { delete: true });
    const refused = proxy.on({ method: 'PUT', fault: { answer: { status: 403 } } });
    expect(await within()).toMatchObject(heldBack);
    expect(await keys('to/')).toEqual(['to/old']);
    refused.remove();
    expect(await within()).toMatchObject({ files: 1, deleted: 1, failed: 0 });
    expect(await keys('to/')).toEqual(['to/new']);
  });
});
