import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_UPLOADS } from '../../src/protocol/limits.js';
import { TestEndpoint } from './start-endpoint.js';
import type { KeyPair } from './signing.js';
import { newId } from '../../server/service/runtime/ids.js';
import { withMetadata } from '../service/change-key.js';
import type { Storage } from '../../server/service/identity/credential.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let storage: Storage;
beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  storage = (await endpoint.service.core.accounts.mainStorage('main'))!;
});
afterAll(() => endpoint.stop());

/** Creates uploads in the database, without a request for each. */
async function begin(keys: readonly string[], pair: KeyPair, kind: 's3' | 'tus' = 's3'): Promise<void> {
  const { blobs } = endpoint.service.core;
  const credential = { kind: 's3', id: pair.accessKeyId } as const;
  await Promise.all(keys.map((key) => blobs.createUpload(storage, key, { kind, properties: {}, credential })));
}

/** Inserts rows of uploads. Thousands of calls of `begin` would take a minute. */
async function insertRows(keys: readonly string[], pair: KeyPair, kind: 's3' | 'tus' = 's3'): Promise<void> {
  const rows = keys.map((key) => ({
    id: newId('up'),
    account_id: storage.accountId,
    bucket_id: storage.bucketId,
    key,
    kind,
    properties_json: '{}',
    state_json: '{}',
    credential_kind: 's3' as const,
    credential_id: pair.accessKeyId,
    created_at: Date.now(),
    expires_at: null,
  }));
  await withMetadata(endpoint.dataDir, async (metadata) => {
    for (let start = 0; start < rows.length; start += 500)
      await metadata.write((query) =>
        query
          .insertInto('uploads')
          .values(rows.slice(start, start + 500))
          .execute(),
      );
  });
}

const numbered = (count: number, folder: string) => Array.from({ length: count }, (_, index) => `${folder}/${index}`);

const list = (input: Omit<ListMultipartUploadsCommandInput, 'Bucket'>): Promise<ListMultipartUploadsCommandOutput> =>
  endpoint.client().send(new ListMultipartUploadsCommand({ Bucket, Delimiter: '/', ...input }));

const create = (pair: KeyPair) => endpoint.client(pair).send(new CreateMultipartUploadCommand({ Bucket, Key: 'one-more' }));

/** Measures the longest block of the event loop, which test and service share. ms */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  await work();
  delays.disable();
  return delays.max / 1e6;
}

describe('a listing of multipart uploads', () => {
  it('returns every prefix and upload, page by page', async () => {
    const keys = ['p/a', 'p/a', 'p/a', 'p/b/1', 'p/b/2', 'p/b0', 'p/c/1', 'p/\u{10000}/x', 'p/\u{ffee}', 'q'];
    await begin(keys, endpoint.pair);
    await begin(['p/b/tus', 'p/z'], endpoint.pair, 'tus');
    for (const MaxUploads of [1, 2, 3, 1000]) {
      const found: string[] = [];
      for (let page: ListMultipartUploadsCommandOutput | undefined; page?.IsTruncated ?? true;) {
        const marker = page && { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
        page = await list({ Prefix: 'p/', MaxUploads, ...marker });
        const names = [...(page.Uploads ?? []).map((one) => one.Key!), ...(page.CommonPrefixes ?? []).map((one) => one.Prefix!)];
        expect(names.length).toBeLessThanOrEqual(MaxUploads);
        found.push(...names);
      }
      const all = ['p/a', 'p/a', 'p/a', 'p/b/', 'p/b0', 'p/c/', 'p/\u{ffee}', 'p/\u{10000}/'];
      expect([MaxUploads, found.toSorted()]).toEqual([MaxUploads, all.toSorted()]);
    }
  });

  it('starts at its prefix if the marker is before it', async () => {
    const { Uploads } = await list({ Prefix: 'p/b0', KeyMarker: 'p/a' });
    expect(Uploads!.map((one) => one.Key)).toEqual(['p/b0']);
  });

  it('skips thousands of uploads below one prefix without delaying other requests', async () => {
    for (const folder of ['many', 'more']) await insertRows(numbered(4000, folder), await endpoint.newPair());
    let page: ListMultipartUploadsCommandOutput | undefined;
    const pause = await longestPause(async () => (page = await list({ Prefix: 'm', MaxUploads: 1 })));
    expect([page!.CommonPrefixes, page!.IsTruncated]).toEqual([[{ Prefix: 'many/' }], true]);
    // Reading all uploads repeatedly would take several seconds.
    expect(pause).toBeLessThan(1000);
  });
});

describe('unfinished uploads', () => {
  it('are limited for a key pair and for an account', async () => {
    const [first, second, third] = [await endpoint.newPair(), await endpoint.newPair(), await endpoint.newPair()];
    // The tests above left 10 uploads and 8000 rows.
    await insertRows(numbered(OPEN_UPLOADS.perAccount - 8010, 'rest'), second);
    const refused = await begin(['rest/one-more'], third).catch((cause: unknown) => cause);
    expect(refused).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      status: 429,
      details: { reason: 'open_uploads', retry_after: 60 },
    });
    await expect(create(first)).rejects.toMatchObject({
      name: 'TooManyUploads',
      message: '10000 uploads of this account are unfinished: finish or abort some of them.',
    });
    // Resumable uploads have a limit of their own.
    await insertRows(numbered(OPEN_UPLOADS.perCredential, 'tus'), first, 'tus');
    await expect(begin(['tus/one-more'], first, 'tus')).rejects.toMatchObject({
      message: '5000 uploads of this key are unfinished: finish or abort some of them.',
    });
    await begin(['tus/one-more'], second, 'tus');
  });
});
