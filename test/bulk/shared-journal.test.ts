import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listUnfinishedUploads, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

describe('one journal for several buckets', () => {
  it('keeps the unfinished uploads of each bucket', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const [first, second] = [await createBucket(), await createBucket()];
    const [folder, other, state] = [createFolder(), createFolder(), join(createFolder(), 'j')];
    writeFileSync(join(folder, 'big'), randomBytes(23 * MiB));
    writeFileSync(join(other, 'another'), randomBytes(12 * MiB));
    const createOptions = () => ({
      journal: new DiskJournal(state, { keepSettled: false }),
      partSize: 5 * MiB,
      multipartThreshold: 5 * MiB,
      retry: { tries: 1 },
    });
    const upload = (source: string, bucket: string, prefix = '') =>
      bulk.upload(walk(source), { bucket, prefix }, createOptions());
    const download = (bucket: string) => bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()), createOptions());
    const broken = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await upload(folder, first)).toMatchObject({ failed: 1 });
    broken.remove();
    expect(await upload(other, second)).toMatchObject({ files: 1, failed: 0 });
    expect(await download(second)).toMatchObject({ files: 1, failed: 0 });
    expect(await upload(other, first, 'below/')).toMatchObject({ files: 1, failed: 0 });
    // The journal can record only one upload for a key.
    const refused = {
      failed: 1,
      failures: [{ name: 'big', code: 'InvalidOption', message: expect.stringContaining(`to ${first}`) }],
    };
    expect(await upload(folder, second)).toMatchObject(refused);
    await createTransfer().upload(walk(folder), { bucket: second, prefix: '' });
    expect(await download(second)).toMatchObject(refused);
    expect(await listUnfinishedUploads(first)).toEqual(['big']);
    const resumed = await upload(folder, first);
    expect(resumed).toMatchObject({ files: 1, failed: 0 });
    expect(resumed.resumed).toBeGreaterThanOrEqual(5 * MiB);
    expect(await listUnfinishedUploads(first)).toEqual([]);
  });
});
