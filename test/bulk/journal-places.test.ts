import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listUnfinishedUploads, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

describe('one journal for several places', () => {
  it('forgets nothing of one over another', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const [one, two] = [await createBucket(), await createBucket()];
    const [folder, other, state] = [createFolder(), createFolder(), join(createFolder(), 'j')];
    writeFileSync(join(folder, 'big'), randomBytes(23 * MiB));
    writeFileSync(join(other, 'another'), randomBytes(12 * MiB));
    const more = () => ({
      journal: new DiskJournal(state, { keepSettled: false }),
      partSize: 5 * MiB,
      multipartThreshold: 5 * MiB,
      retry: { tries: 1 },
    });
    const upload = (source: string, bucket: string, prefix = '') => bulk.upload(walk(source), { bucket, prefix }, more());
    const download = (bucket: string) => bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()), more());
    const broken = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await upload(folder, one)).toMatchObject({ failed: 1 });
    broken.remove();
    expect(await upload(other, two)).toMatchObject({ files: 1, failed: 0 });
    expect(await download(two)).toMatchObject({ files: 1, failed: 0 });
    expect(await upload(other, one, 'below/')).toMatchObject({ files: 1, failed: 0 });
    // Of one key only one can be noted.
    const refused = {
      failed: 1,
      failures: [{ name: 'big', code: 'InvalidOption', message: expect.stringContaining(`to ${one}`) }],
    };
    expect(await upload(folder, two)).toMatchObject(refused);
    await createTransfer().upload(walk(folder), { bucket: two, prefix: '' });
    expect(await download(two)).toMatchObject(refused);
    expect(await listUnfinishedUploads(one)).toEqual(['big']);
    const again = await upload(folder, one);
    expect(again).toMatchObject({ files: 1, failed: 0 });
    expect(again.resumed).toBeGreaterThanOrEqual(5 * MiB);
    expect(await listUnfinishedUploads(one)).toEqual([]);
  });
});
