import { CopyObjectCommand, CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { AbortMultipartUploadCommand, UploadPartCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';
import { getSignedUrl } from './presign.js';

const Bucket = 'main';
const QUOTA = 100_000;
const HELD = 60_000;
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start({ quotaBytes: QUOTA });
  s3 = endpoint.client();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'held', Body: Buffer.alloc(HELD) }));
});
afterAll(() => endpoint.stop());

const usage = () => endpoint.service.core.blobs.usage('main');
const full = { name: 'QuotaExceeded', $metadata: { httpStatusCode: 403 } };
/** Counts the open blobs of this process on Linux. */
async function openBlobs(): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => []);
  const files = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return files.filter((file) => file.startsWith(join(endpoint.dataDir, 'blobs', 'data')));
}
const tooMuch = Buffer.alloc(QUOTA - HELD + 1);

describe('the storage quota over S3', () => {
  it('rejects a PUT with or without a length, and a copy', async () => {
    const before = await usage();
    await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'put', Body: tooMuch }))).rejects.toMatchObject(full);
    const address = await getSignedUrl(endpoint, endpoint.pair, '/main/chunked', 60, 'PUT');
    const body = new Blob([tooMuch]).stream();
    const unannounced = await fetch(address, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    expect([unannounced.status, await unannounced.text()]).toEqual([403, expect.stringContaining('QuotaExceeded')]);
    const copy = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: 'main/held' });
    await expect(s3.send(copy)).rejects.toMatchObject(full);
    expect(await usage()).toEqual(before);
    expect((await endpoint.stored()).keys).toEqual(['held']);
  });

  it('rejects a form', async () => {
    const before = await usage();
    const form = signedForm(endpoint.pair, Bucket, { key: 'form' }, [{ key: 'form' }], { file: tooMuch });
    expect(await endpoint.fetch('/main', { method: 'POST', body: form })).toMatchObject({ status: 403, code: 'QuotaExceeded' });
    expect(await usage()).toEqual(before);
    expect((await endpoint.stored()).keys).toEqual(['held']);
  });

  it('counts the parts of an upload, and a repeated part once', async () => {
    const before = await usage();
    const Key = 'again';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = { Bucket, Key, UploadId, PartNumber: 1 };
    for (const size of [500, 3000, 2000]) {
      await s3.send(new UploadPartCommand({ ...part, Body: Buffer.alloc(size) }));
      const { metadata } = endpoint.service.core.blobs.resumable['context'];
      const row = await metadata.db.selectFrom('uploads').select('bytes').where('id', '=', UploadId!).executeTakeFirst();
      expect(Number(row?.bytes)).toBe(size);
    }
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect(await usage()).toEqual(before);
  });

  it('counts parts before their completion and returns the bytes of aborted uploads', async () => {
    const Key = 'parts';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = { Bucket, Key, UploadId };
    await s3.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: Buffer.alloc(30_000) }));
    const second = new UploadPartCommand({ ...part, PartNumber: 2, Body: Buffer.alloc(10_001) });
    await expect(s3.send(second)).rejects.toMatchObject(full);
    const copied = new UploadPartCopyCommand({ ...part, PartNumber: 2, CopySource: 'main/held' });
    await expect(s3.send(copied)).rejects.toMatchObject(full);
    // The source of a copy is closed.
    await expect.poll(openBlobs).toEqual([]);
    await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'put', Body: Buffer.alloc(10_001) }))).rejects.toMatchObject(full);
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'fits', Body: Buffer.alloc(QUOTA - HELD) }));
    expect(await usage()).toMatchObject({ bytes: QUOTA, uploadsInProgress: 0 });
  });

  it('is not exceeded by parallel PUTs', async () => {
    const fresh = await TestEndpoint.start({ quotaBytes: QUOTA });
    const client = fresh.client();
    const puts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        client.send(new PutObjectCommand({ Bucket, Key: `race/${at}`, Body: Buffer.alloc(10_000) })),
      ),
    );
    expect(puts.filter((one) => one.status === 'fulfilled')).toHaveLength(10);
    for (const one of puts) if (one.status === 'rejected') expect(one.reason).toMatchObject(full);
    expect(await fresh.service.core.blobs.usage('main')).toMatchObject({ files: 10, bytes: QUOTA, uploadsInProgress: 0 });
    await fresh.stop();
  });
});
