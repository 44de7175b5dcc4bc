import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { Summary } from '../../src/bulk/types.js';
import { client, listUnfinishedUploads, listObjects, createBucket, createTransfer, createFolder } from './s3-store.js';

const withoutTime = (summary: Summary) => ({ ...summary, elapsedMs: 0 });

describe('the built-in HTTP client and a custom SDK client', () => {
  it('have the same results for uploads, downloads and failures', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, "a b+c'(é).txt"), 'x');
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, 'big'), randomBytes(17 * 1024 * 1024));
    const results = await Promise.all(
      [createTransfer(), createTransfer({ client })].map(async (bulk) => {
        const bucket = await createBucket();
        const properties = { contentType: 'text/x', metadata: { a: 'two  words' } };
        const up = withoutTime(await bulk.upload(walk(folder), { bucket, prefix: 'p/' }, { properties }));
        const objects = (await listObjects(bulk, bucket)).map((entry) => ({ ...entry, lastModifiedMs: 0 }));
        const heads = await Promise.all(
          objects.map(async ({ key }) => {
            const {
              $metadata: _,
              LastModified: __,
              ...head
            } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
            return head;
          }),
        );
        const secondUpload = withoutTime(
          await bulk.upload(walk(folder), { bucket, prefix: 'p/' }, { onlyNew: true, properties }),
        );
        const target = createFolder();
        const down = withoutTime(await bulk.download({ bucket, prefix: 'p/' }, new FolderTarget(target)));
        const same = readFileSync(join(target, 'big')).equals(readFileSync(join(folder, 'big')));
        const missing = await bulk
          .read({ bucket, prefix: 'none' })
          .next()
          .catch(({ code, status }: { code: string; status: number }) => ({ code, status }));
        const missingBucket = withoutTime(
          await bulk.upload(walk(folder), { bucket: 'no-such-bucket-here', prefix: '' }, { concurrency: 1 }),
        ).failures[0]?.code;
        return {
          up,
          objects,
          heads,
          secondUpload,
          down,
          same,
          missing,
          missingBucket,
          unfinished: await listUnfinishedUploads(bucket),
        };
      }),
    );
    expect(results[0]).toEqual(results[1]);
    expect(results[0]).toMatchObject({ up: { files: 3, failed: 0 }, same: true, missingBucket: 'NoSuchBucket', unfinished: [] });
  });
});
