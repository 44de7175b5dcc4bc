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

/** Twenty small files, and one in three parts. */
function makeTree(): string {
  const folder = createFolder();
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `f${i}`), randomBytes(1000 + i));
  writeFileSync(join(folder, 'big'), randomBytes(12 * MiB + 3));
  return folder;
}

const SILENT: Changes = {
  headers: {
    'x-amz-checksum-crc32': null,
    'x-amz-checksum-crc32c': null,
    'x-amz-checksum-crc64nvme': null,
    'x-amz-checksum-type': null,
  },
};

describe('every byte', () => {
  let proxy: FaultProxy;
  afterEach(() => proxy.close());
  const through = async (integrity: Integrity = 'auto'): Promise<BulkTransfer> => {
    proxy = await startFaultProxy(s3.endpoint);
    return createTransfer({ endpoint: proxy.url, integrity });
  };
  const upload = (bulk: BulkTransfer, folder: string, bucket: string) =>
    bulk.upload(walk(folder), { bucket, prefix: '' }, options);
  const bodies = () => proxy.requests.filter(({ method }) => method === 'PUT');

  it.each(['crc32', 'crc32c', 'crc64nvme'] as const)('goes with its %s, parts and streams as well', async (integrity) => {
    const folder = makeTree();
    const bucket = await createBucket();
    const bulk = await through(integrity);
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
    for (const { headers } of bodies()) expect(headers).toHaveProperty(`x-amz-checksum-${integrity}`);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ failed: 1, failures: [{ name: 'other/stream' }] });
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'big', ChecksumMode: 'ENABLED' }));
    // Where the store keeps checksums, it keeps that of the whole.
    const kept = head[`Checksum${integrity.toUpperCase() as 'CRC32'}`];
    if (kept !== undefined) expect([kept, head.ChecksumType]).toEqual([expect.not.stringContaining('-'), 'FULL_OBJECT']);
    expect(kept !== undefined).toBe(bulk.store.confirmsChecksums);
  });

  it.each(['md5', 'sha256'] as const)('goes with its %s where that is asked for', async (integrity) => {
    const folder = makeTree();
    const bucket = await createBucket();
    expect(await upload(await through(integrity), folder, bucket)).toMatchObject({ files: 21, failed: 0 });
    for (const { headers } of bodies())
      if (integrity === 'md5') expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
      else expect(headers['x-amz-content-sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it('goes with its MD5 to a store that says nothing of checksums, and damage is still noticed', async () => {
    const folder = makeTree();
    const bucket = await createBucket();
    const bulk = await through();
    proxy.on({ fault: { response: SILENT } });
    const damage = proxy.on({ method: 'PUT', times: 6, fault: { request: { flipByteAt: 500 } } });
    const summary = await upload(bulk, folder, bucket);
    expect(summary).toMatchObject({ files: 21, failed: 0 });
    expect(summary.retries).toBeGreaterThanOrEqual(damage.hits);
    expect(bulk.store.confirmsChecksums).toBe(false);
    for (const { headers } of bodies()) expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it.each([
    [501, 'NotImplemented'],
    [400, 'InvalidArgument'],
  ])('goes without a checksum to a store that answers %i %s to one', async (status, code) => {
    const folder = makeTree();
    const bucket = await createBucket();
    const bulk = await through();
    const asks = (headers: Record<string, unknown>): boolean =>
      Object.keys(headers).some((name) => /^x-amz-(?:sdk-)?checksum-(?!mode|type)/.test(name));
    const refusal = proxy.on({
      when: ({ headers }) => asks(headers),
      fault: { respond: { status, body: `<Error><Code>${code}</Code></Error>` } },
    });
    proxy.on({ fault: { response: SILENT } });
    expect(await upload(bulk, folder, bucket)).toMatchObject({ files: 21, failed: 0, retries: 0 });
    expect(refusal.hits).toBeGreaterThan(0);
    for (const { headers, status: answered } of bodies())
      if (answered === 200) expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 21, failed: 0 });
  });

  it('is not believed to be there when an ETag tells of other bytes: of a file, of parts put together', async () => {
    const folder = makeTree();
    const bucket = await createBucket();
    const bulk = await through();
    proxy.on({ fault: { response: SILENT } });
    const other = 'd41d8cd98f00b204e9800998ecf8427e';
    proxy.on({
      method: 'PUT',
      path: /\/f7$/,
      fault: { response: { ...SILENT, headers: { ...SILENT.headers, etag: `"${other}"` } } },
    });
    proxy.on({ method: 'HEAD', path: /\/big$/, fault: { response: { headers: { ...SILENT.headers, etag: `"${other}-3"` } } } });
    const told = (xml: Buffer): Buffer =>
      Buffer.from(
        xml
          .toString()
          .replace(/<ETag>.*?<\/ETag>/, `<ETag>"${other}-3"</ETag>`)
          .replaceAll(/<Checksum\w+>.*?<\/Checksum\w+>/g, ''),
      );
    proxy.on({
      method: 'POST',
      path: /\/big\?.*uploadId=/,
      fault: { response: { headers: { 'content-length': null }, body: told } },
    });
    const summary = await upload(bulk, folder, bucket);
    expect(summary.failures.map(({ name, code }) => [name, code]).sort()).toEqual([
      ['big', 'ChecksumMismatch'],
      ['f7', 'ChecksumMismatch'],
    ]);
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });
});
