import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBulkTransfer, S3Error } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/node/index.js';

// More than a sync holds of what it will remove; 205,000 of them are too much.
const all = Array.from({ length: 250_000 }, (_, i) => `k${String(i).padStart(6, '0')}`);
const kept: SourceFile[] = all.slice(205_000).map((path) => ({ path, size: 1, unique: true }));

/** A store of a quarter of a million objects, which would take too long to make in a real one. */
describe('a sync that removes more names than it holds', () => {
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
        const at = Number(searchParams.get('continuation-token') ?? 0);
        if (at === 0) listed = [...live];
        const next = at + 1000 < listed.length ? `<NextContinuationToken>${at + 1000}</NextContinuationToken>` : '';
        const facts = '<Size>1</Size><ETag>x</ETag><LastModified>2020-01-01T00:00:00Z</LastModified>';
        const contents = listed.slice(at, at + 1000).map((key) => `<Contents><Key>${key}</Key>${facts}</Contents>`);
        const is = `<IsTruncated>${next !== ''}</IsTruncated>`;
        response.end(`<ListBucketResult>${is}${next}${contents.join('')}</ListBucketResult>`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void server.close());

  /** @param looks what the source has, look by look */
  async function sync(looks: Iterable<SourceFile>[], options: SyncOptions = {}) {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bulk = createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
    const left = looks.values();
    const source = () => left.next().value as Iterable<SourceFile>;
    const to = { bucket: 'bucket', prefix: '' };
    return bulk.syncUp(source, to, { delete: true, compare: 'size', ...options }).finally(() => bulk.close());
  }

  it('removes all of them, or tells of all of them', async () => {
    expect(await sync([kept, kept], { dryRun: true })).toMatchObject({ deleted: 205_000, failed: 0 });
    expect(live.size).toBe(250_000);
    expect(await sync([kept, kept], { maxDelete: 205_000 })).toMatchObject({ deleted: 205_000, failed: 0 });
    expect([...live]).toEqual(all.slice(205_000));
  });

  it.each([
    ['is gone', []],
    ['has become smaller', kept.slice(1)],
    ['cannot be read', kept.with(7, { ...kept[7]!, problem: new S3Error('SourceUnreadable', 'no longer') })],
  ])('stops where its source %s by the time it looks again', async (_, second) => {
    const stopped = { deleted: 200_000, failed: 1, failures: [{ action: 'delete', code: 'NotDeleted' }] };
    expect(await sync([kept, second], { maxDelete: 205_000 })).toMatchObject(stopped);
    expect([...live]).toEqual(all.slice(200_000));
  });
});
