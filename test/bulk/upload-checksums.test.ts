import type { Integrity } from '../../src/bulk/s3/store-options.js';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, SourceFile } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, Changes } from '../../fault-proxy/fault-proxy.js';
import { client, verifyBucket, listUnfinishedUploads, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const options = { partSize: 5 * MiB, retry: { tries: 4, baseDelay: 5 } };

/** Creates 20 small files and one of three parts. */
function createFiles(): string {
  const folder = createFolder();
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `f${i}`), randomBytes(1000 + i));
  writeFileSync(join(folder, 'big'), randomBytes(12 * MiB + 3));
  return folder;
}

const WITHOUT_CHECKSUMS: Changes = {
  headers: {
    'x-amz-checksum-crc32': null,
    'x-amz-checksum-crc32c': null,
    'x-amz-checksum-crc64nvme': null,
    'x-amz-checksum-type': null,
  },
};

describe('an upload', () => {
  let proxy: FaultProxy;
  afterEach(() => proxy.close());
  const createTransferThroughProxy = async (integrity: Integrity = 'auto'): Promise<BulkTransfer> => {
    proxy = await startFaultProxy(s3.endpoint);
    return createTransfer({ endpoint: proxy.url, integrity });
  };
  const upload = (bulk: BulkTransfer, folder: string, bucket: string) =>
    bulk.upload(walk(folder), { bucket, prefix: '' }, options);
  const putRequests = () => proxy.requests.filter(({ method }) => method === 'PUT');

  it.each(['crc32', 'crc32c', 'crc64nvme'] as const)('sends the %s of files, parts and streams', async (integrity) => {
    const folder = createFiles();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy(integrity);
    expect(await upload(bulk, folder, bucket)).toMatchObject({ files: 21, failed: 0, failures: [], retries: 0 });
    const bytes = randomBytes(11 * MiB);
    const stream: SourceFile = {
      path: 'stream',
      size: null,
      async *stream() {
        yield* [bytes.subarray(0, 7 * MiB), bytes.subarray(7 * MiB)];
      },
    };
    expect(await bulk.upload([stream], { bucket, prefix: 'other/' }, options)).toMatchObject({ files: 1, failed: 0 });
    for (const { headers } of putRequests()) expect(headers).toHaveProperty(`x-amz-checksum-${integrity}`);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ failed: 1, failures: [{ name: 'other/stream' }] });
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'big', ChecksumMode: 'ENABLED' }));
    // If the store keeps checksums, it has to keep that of the whole object.
    const storedChecksum = head[`Checksum${integrity.toUpperCase() as 'CRC32'}`];
    if (storedChecksum !== undefined)
      expect([storedChecksum, head.ChecksumType]).toEqual([expect.not.stringContaining('-'), 'FULL_OBJECT']);
    expect(storedChecksum !== undefined).toBe(bulk.store.confirmsChecksums);
  });

  it.each(['md5', 'sha256'] as const)('sends the %s if the integrity option asks for it', async (integrity) => {
    const folder = createFiles();
    const bucket = await createBucket();
    expect(await upload(await createTransferThroughProxy(integrity), folder, bucket)).toMatchObject({ files: 21, failed: 0 });
    for (const { headers } of putRequests())
      if (integrity === 'md5') expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
      else expect(headers['x-amz-content-sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it('sends an MD5 and detects damage if the store returns no checksums', async () => {
    const folder = createFiles();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ fault: { response: WITHOUT_CHECKSUMS } });
    const damage = proxy.on({ method: 'PUT', times: 6, fault: { request: { flipByteAt: 500 } } });
    const summary = await upload(bulk, folder, bucket);
    expect(summary).toMatchObject({ files: 21, failed: 0 });
    expect(summary.retries).toBeGreaterThanOrEqual(damage.hits);
    expect(bulk.store.confirmsChecksums).toBe(false);
    for (const { headers } of putRequests()) expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it.each([
    [501, 'NotImplemented'],
    [400, 'InvalidArgument'],
  ])('sends no checksum to a store that rejects one with %i %s', async (status, code) => {
    const folder = createFiles();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const hasChecksum = (headers: Record<string, unknown>): boolean =>
      Object.keys(headers).some((name) => /^x-amz-(?:sdk-)?checksum-(?!mode|type)/.test(name));
    const refusal = proxy.on({
      when: ({ headers }) => hasChecksum(headers),
      fault: { respond: { status, body: `<Error><Code>${code}</Code></Error>` } },
    });
    proxy.on({ fault: { response: WITHOUT_CHECKSUMS } });
    expect(await upload(bulk, folder, bucket)).toMatchObject({ files: 21, failed: 0, retries: 0 });
    expect(refusal.hits).toBeGreaterThan(0);
    for (const { headers, status: responseStatus } of putRequests())
      if (responseStatus === 200) expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it('fails a file or a multipart upload if the ETag does not match', async () => {
    const folder = createFiles();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ fault: { response: WITHOUT_CHECKSUMS } });
    const other = 'd41d8cd98f00b204e9800998ecf8427e';
    proxy.on({
      method: 'PUT',
      path: /\/f7$/,
      fault: { response: { ...WITHOUT_CHECKSUMS, headers: { ...WITHOUT_CHECKSUMS.headers, etag: `"${other}"` } } },
    });
    proxy.on({
      method: 'HEAD',
      path: /\/big$/,
      fault: { response: { headers: { ...WITHOUT_CHECKSUMS.headers, etag: `"${other}-3"` } } },
    });
    const replaceEtag = (xml: Buffer): Buffer =>
      Buffer.from(
        xml
          .toString()
          .replace(/<ETag>.*?<\/ETag>/, `<ETag>"${other}-3"</ETag>`)
          .replaceAll(/<Checksum\w+>.*?<\/Checksum\w+>/g, ''),
      );
    proxy.on({
      method: 'POST',
      path: /\/big\?.*uploadId=/,
      fault: { response: { headers: { 'content-length': null }, body: replaceEtag } },
    });
    const summary = await upload(bulk, folder, bucket);
    expect(summary.failures.map(({ name, code }) => [name, code]).sort()).toEqual([
      ['big', 'ChecksumMismatch'],
      ['f7', 'ChecksumMismatch'],
    ]);
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });
});
