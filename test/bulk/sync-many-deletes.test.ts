import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBulkTransfer, S3Error } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/node/index.js';

// A sync keeps at most 200,000 pending deletes in memory. This test deletes 205,000 objects.
const all = Array.from({ length: 206_000 }, (_, i) => `k${String(i).padStart(6, '0')}`);
const remaining: SourceFile[] = all.slice(205_000).map((path) => ({ path, size: 1, unique: true }));

// A simulated store, because creating 206,000 objects in a real one takes too long.
describe('sync --delete with more pending deletes than it keeps in memory', () => {
  let live: Set<string>;
  let server: Server;
  beforeEach(async () => {
    live = new Set(all);
    let listed: string[] = [];
    server = createServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://store');
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        if (searchParams.has('delete')) {
          for (const [, key] of body.matchAll(/<Key>(.*?)<\/Key>/g)) live.delete(key!);
          response.end('<DeleteResult></DeleteResult>');
          return;
        }
        const offset = Number(searchParams.get('continuation-token') ?? 0);
        if (offset === 0) listed = [...live];
        const next = offset + 1000 < listed.length ? `<NextContinuationToken>${offset + 1000}</NextContinuationToken>` : '';
        const facts = '<Size>1</Size><ETag>x</ETag><LastModified>2020-01-01T00:00:00Z</LastModified>';
        const contents = listed.slice(offset, offset + 1000).map((key) => `<Contents><Key>${key}</Key>${facts}</Contents>`);
        const is = `<IsTruncated>${next !== ''}</IsTruncated>`;
        response.end(`<ListBucketResult>${is}${next}${contents.join('')}</ListBucketResult>`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void server.close());

  /** @param walks the content of the source at each walk */
  async function sync(walks: Iterable<SourceFile>[], options: SyncOptions = {}) {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bulk = createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
    const nextWalk = walks.values();
    const source = () => nextWalk.next().value as Iterable<SourceFile>;
    const to = { bucket: 'bucket', prefix: '' };
    return bulk.syncUp(source, to, { delete: true, compare: 'size', ...options }).finally(() => bulk.close());
  }

  it('deletes all of them, and lists all of them in a dry run', async () => {
    expect(await sync([remaining, remaining], { dryRun: true })).toMatchObject({ deleted: 205_000, failed: 0 });
    expect(live.size).toBe(206_000);
    expect(await sync([remaining, remaining], { maxDelete: 205_000 })).toMatchObject({ deleted: 205_000, failed: 0 });
    expect([...live]).toEqual(all.slice(205_000));
  });

  it.each([
    ['is gone', []],
    ['has become smaller', remaining.slice(1)],
    ['cannot be read', remaining.with(7, { ...remaining[7]!, problem: new S3Error('SourceUnreadable', 'no longer') })],
  ])('stops if the source %s before the second walk', async (_, second) => {
    const stopped = { deleted: 200_000, failed: 1, failures: [{ action: 'delete', code: 'NotDeleted' }] };
    expect(await sync([remaining, second], { maxDelete: 205_000 })).toMatchObject(stopped);
    expect([...live]).toEqual(all.slice(200_000));
  });
});
