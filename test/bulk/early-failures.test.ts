import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/types.js';

const MiB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'bulk-ends-'));
const xml = (body: string): string => `<?xml version="1.0"?>${body}`;
const UPLOAD_CREATED = xml('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
const REFUSED = xml('<Error><Code>AccessDenied</Code></Error>');
const listing = (keys: string[]): string =>
  xml(
    `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"x"</ETag></Contents>`).join('')}</ListBucketResult>`,
  );

/** A store that refuses every part at its first byte, returns unsorted listings, and has objects of 200 GiB. */
const server = createServer((request, response) => {
  request.resume();
  if (request.method === 'PUT') response.writeHead(403).end(REFUSED, () => (refusals++, server.emit('refused')));
  else if (request.method === 'HEAD') response.writeHead(200, { 'content-length': `${200 * 1024 * MiB}`, etag: '"x"' }).end();
  else if (request.method === 'POST') request.on('end', () => response.end(UPLOAD_CREATED));
  else if (request.method === 'GET') response.end(listing(['1', '0']));
  else response.writeHead(204).end();
});
let refusals = 0;
const refused = once(server, 'refused');
let bulk: BulkTransfer;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bulk = createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  mkdirSync(join(folder, 'tree'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'tree', name), 'x');
});
afterAll(() => {
  bulk.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a transfer that fails early', () => {
  it('stops reading a spool before it closes the file', async () => {
    const part = 17 * MiB;
    const problems: string[] = [];
    const spool = () => {
      let [left, open, reading] = [2 * part, true, 0];
      return {
        write: async () => {},
        async read(_at: number, into: Uint8Array) {
          if (!open) problems.push('read when closed');
          reading++;
          left -= into.length;
          // The store refuses the part while this read is running. The delay keeps it running.
          if (left < part) await refused.then(() => delay(50));
          reading--;
          return into.length;
        },
        close() {
          open = false;
          if (reading > 0) problems.push('closed when reading');
        },
      };
    };
    const stream = async function* () {
      for (let offset = 0; offset < part; offset += MiB) yield new Uint8Array(MiB);
    };
    const file: SourceFile = { path: 'k', size: null, stream, spool };
    const options = { exact: true, partSize: part, memory: 20 * MiB };
    const summary = await bulk.upload([file], { bucket: 'b', prefix: 'k' }, options);
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'AccessDenied' }] });
    expect(problems).toEqual([]);
  });

  it('does not wait for more data from a silent pipe', async () => {
    const silent = async function* (signal?: AbortSignal) {
      yield new Uint8Array(5 * MiB + 1);
      await once(signal!, 'abort');
      throw signal!.reason as Error;
    };
    const options = { exact: true, partSize: 5 * MiB };
    const summary = await bulk.upload([{ path: 'k', size: null, stream: silent }], { bucket: 'b', prefix: 'k' }, options);
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'AccessDenied' }] });
  });

  it('does not send the other parts of a refused copy', async () => {
    const before = refusals;
    const summary = await bulk.copy({ bucket: 'b', prefix: 'k' }, { bucket: 'b', prefix: 'to' }, { exact: true, concurrency: 4 });
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'AccessDenied' }] });
    expect(refusals - before).toBeLessThan(10);
  });

  it('closes the source iterator after a broken listing', async () => {
    let closed = 0;
    const tree = async function* () {
      try {
        for (const file of walk(join(folder, 'tree'))) yield file;
      } finally {
        closed++;
      }
    };
    const place = { bucket: 'b', prefix: '' };
    await expect(bulk.verify(tree, place)).rejects.toMatchObject({ code: 'ListingBroken' });
    await expect(bulk.syncUp(tree, place)).rejects.toMatchObject({ code: 'ListingBroken' });
    expect(closed).toBe(2);
  });
});
