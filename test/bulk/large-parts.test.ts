import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { listUnfinishedUploads, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
/** Larger than the parts that the engine holds in memory. */
const PART = 17 * MiB;
const CHUNKED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const { isOwn } = s3;

/** Walks a folder and reports the number of bytes of each read. */
function* walkAndCount(folder: string, read: (bytes: number) => void): Generator<SourceFile> {
  for (const file of walk(folder))
    yield {
      ...file,
      async open() {
        const reader = await file.open!();
        return {
          size: reader.size,
          mtimeNs: reader.mtimeNs!,
          changed: () => reader.changed(),
          close: () => reader.close(),
          read(position: number, into: Uint8Array) {
            read(into.length);
            return reader.read(position, into);
          },
        };
      },
    };
}

describe('parts too large for memory', () => {
  it('are read once if the store accepts a trailing checksum, and again only if damaged', async () => {
    const folder = createFolder();
    const size = PART + 3 * MiB;
    writeFileSync(join(folder, 'big'), randomBytes(size));
    await using proxy = await startFaultProxy(s3.endpoint);
    for (const integrity of ['auto', 'crc64nvme', 'sha256'] as const) {
      const [bucket, before] = [await createBucket(), proxy.requests.length];
      const bulk = createTransfer({ endpoint: proxy.url, integrity });
      const upload = async (prefix: string) => {
        let bytes = 0;
        const options = { partSize: PART, concurrency: 1, retry: { baseDelay: 5 } };
        const summary = await bulk.upload(
          walkAndCount(folder, (some) => (bytes += some)),
          { bucket, prefix },
          options,
        );
        const same = await createTransfer().verify(() => walk(folder, { sorted: true }), { bucket, prefix });
        return { ...summary, read: bytes, same: same.files };
      };
      const complete = { files: 1, failed: 0, same: 1 };
      const once = isOwn && integrity !== 'sha256';
      expect(await upload('a/')).toMatchObject({ ...complete, retries: 0, ...(once && { read: size }) });
      const requests = proxy.requests.slice(before);
      if (isOwn) expect(requests.some(({ headers }) => headers['x-amz-content-sha256'] === CHUNKED)).toBe(once);
      const damaged = proxy.on({ method: 'PUT', path: /partNumber=1/, times: 1, fault: { request: { flipByteAt: 2 * MiB } } });
      expect(await upload('b/')).toMatchObject({ ...complete, retries: 1, ...(once && { read: size + PART }) });
      expect(damaged.hits).toBe(1);
      expect(await listUnfinishedUploads(bucket)).toEqual([]);
    }
  });

  it.each([
    ['a cut request', { cutRequestAt: 1000 }, 1],
    ['a lost response', { dropResponse: true }, 1],
    ['an error of the store', { respond: { status: 500 } }, 1],
    ['a 503 response', { respond: { status: 503 } }, 1],
    ['requests that always break', { cutRequestAt: 1000 }, Infinity],
  ])('keep the trailing checksum after %s, unless it fails every time', async (_, fault, times) => {
    const [folder, bucket] = [createFolder(), await createBucket()];
    writeFileSync(join(folder, 'big'), randomBytes(2 * PART));
    await using proxy = await startFaultProxy(s3.endpoint);
    const isChunked = ({ headers }: SeenRequest) => headers['x-amz-content-sha256'] === CHUNKED;
    proxy.on({ method: 'PUT', when: isChunked, times, fault });
    const options = { partSize: PART, concurrency: 1, retry: { baseDelay: 5 } };
    expect(await createTransfer({ endpoint: proxy.url }).upload(walk(folder), { bucket, prefix: '' }, options)).toMatchObject({
      files: 1,
      failed: 0,
    });
    // Two parts and one retry, or three failed attempts. Ceph 16 refuses the second request.
    expect(proxy.requests.filter(isChunked)).toHaveLength(times === Infinity || isOwn ? 3 : 2);
  });
});

describe('parts too large for memory, at a store without trailing checksums,', () => {
  /** Whether the store refuses chunked parts at once, or stores them with their chunk framing. */
  let refuses = false;
  let arrived: (() => void) | undefined;
  let parts: string[] = [];
  let chunked = 0;
  const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes);
  async function handle(request: IncomingMessage): Promise<{ status: number; etag?: string; size?: number; body?: string }> {
    const { searchParams } = new URL(request.url!, 'http://store');
    const hash = createHash('md5');
    const isChunked = request.headers['x-amz-content-sha256'] === CHUNKED;
    if (isChunked) chunked++;
    if (isChunked && refuses) return { status: 411, body: '<Error><Code>MissingContentLength</Code></Error>' };
    for await (const piece of request) {
      if (request.method === 'PUT') arrived?.();
      hash.update(piece as Buffer);
    }
    const digest = hash.digest('hex');
    if (request.method === 'PUT') {
      parts[Number(searchParams.get('partNumber')) - 1] = digest;
      return { status: 200, etag: digest };
    }
    const etag = `${md5(Buffer.from(parts.join(''), 'hex')).digest('hex')}-${parts.length}`;
    if (request.method === 'HEAD') return { status: 200, etag, size: parts.length * PART };
    if (!searchParams.has('uploadId'))
      return { status: 200, body: '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>' };
    return { status: 200, body: `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>` };
  }
  const server = createServer((request, response) => {
    void handle(request).then(({ status, etag, size, body }) => {
      const headers = { ...(etag !== undefined && { etag: `"${etag}"` }), ...(size !== undefined && { 'content-length': size }) };
      response.writeHead(status, headers).end(body);
    });
  });
  let bulk: BulkTransfer;
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const expectUpload = async (count: number, read: () => void) => {
    parts = [];
    chunked = 0;
    bulk = createBulkTransfer({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    const file: SourceFile = {
      path: 'k',
      size: count * PART,
      open: () => ({
        size: count * PART,
        async read(position, into) {
          read();
          await new Promise(setImmediate);
          into.fill(Math.floor(position / PART));
          return into.length;
        },
        changed: () => false,
        close: () => {},
      }),
    };
    const summary = await bulk.upload([file], { bucket: 'b', prefix: '' }, { partSize: PART, concurrency: count });
    bulk.close();
    expect(summary).toMatchObject({ failures: [], files: 1, bytes: count * PART });
    expect(parts).toEqual(Array.from({ length: count }, (_, index) => md5(Buffer.alloc(PART, index)).digest('hex')));
    expect(chunked).toBe(1);
  };

  it.each([true, false])('are sent without a trailing checksum after one failed request (refused: %s)', async (isRefused) => {
    refuses = isRefused;
    arrived = undefined;
    await expectUpload(2, () => {});
  });

  it('are sent while others are still hashed', async () => {
    refuses = true;
    let pieces = 0;
    let first = 0;
    arrived = () => (first ||= pieces);
    await expectUpload(6, () => pieces++);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(4 * 17);
  });
});
