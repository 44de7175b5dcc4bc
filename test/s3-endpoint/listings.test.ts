import {
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';

let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

describe('listings of a bucket', () => {
  const bucket = 'listing-bucket';
  const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'd e', 'z+%', 'ü', '\u{ffff}', '🐘'];

  beforeAll(async () => {
    await endpoint.service.core.blobs.createBucket('main', bucket);
    for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  });

  it('are in UTF-8 order, page by page, in both versions', async () => {
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const second: string[] = [];
    let token: string | undefined;
    do {
      const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 2, ContinuationToken: token }));
      second.push(...page.Contents!.map((one) => one.Key!));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(second).toEqual(sorted);
    const first: string[] = [];
    for (;;) {
      const page = await s3.send(new ListObjectsCommand({ Bucket: bucket, MaxKeys: 3, Marker: first.at(-1) }));
      first.push(...page.Contents!.map((one) => one.Key!));
      if (!page.IsTruncated) break;
    }
    expect(first).toEqual(sorted);
  });

  it('group keys by a delimiter, page by page', async () => {
    const all = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/' }));
    expect(all.CommonPrefixes).toEqual([{ Prefix: 'b/' }]);
    expect(all.KeyCount).toBe(keys.length - 2);
    const one = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', MaxKeys: 2 }));
    expect(one.CommonPrefixes).toEqual([{ Prefix: 'b/' }]);
    const next = await s3.send(
      new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', MaxKeys: 1, ContinuationToken: one.NextContinuationToken }),
    );
    expect(next.Contents![0]!.Key).toBe('d e');
    const inside = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', Prefix: 'b/' }));
    expect(inside.Contents!.map((entry) => entry.Key)).toEqual(['b/1', 'b/2']);
    expect(inside.CommonPrefixes).toEqual([{ Prefix: 'b/c/' }]);
  });

  it('group many folders among many files with any page size', async () => {
    const { blobs } = endpoint.service.core;
    const { id: bucketId } = await blobs.createBucket('main', 'folders-bucket');
    const put = (key: string) => s3.send(new PutObjectCommand({ Bucket: 'folders-bucket', Key: key, Body: 'x' }));
    const files = Array.from({ length: 60 }, (_, at) => `file ${String(at).padStart(2, '0')}`);
    const folders = Array.from({ length: 5 }, (_, at) => `folder ${at}/`);
    await Promise.all(
      [...files, ...folders.flatMap((folder) => Array.from({ length: 20 }, (_, at) => `${folder}${at}`))].map(put),
    );
    for (const limit of [1, 7, 64, 65, 1000]) {
      const seen: string[] = [];
      let after: string | null = '';
      do {
        const page = await blobs.list({ accountId: 'main', bucketId }, { delimiter: '/', limit, ...(after && { after }) });
        expect(page.files.length + page.prefixes.length).toBeLessThanOrEqual(limit);
        seen.push(...page.files.map((file) => file.key), ...page.prefixes);
        after = page.next;
      } while (after !== null);
      expect(seen.toSorted()).toEqual([...files, ...folders]);
    }
  });

  it('of versions contain one version of each object', async () => {
    const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1000 }));
    expect(Versions).toHaveLength(keys.length);
    expect(Versions!.every((one) => one.VersionId === 'null' && one.IsLatest)).toBe(true);
    expect(DeleteMarkers).toBeUndefined();
  });

  it('are empty after the deletion of many objects at once', async () => {
    const Objects = [...keys, 'never there'].map((Key) => ({ Key }));
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    expect(Deleted).toHaveLength(keys.length + 1);
    expect(Errors).toBeUndefined();
    expect((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBe(0);
  });
});

it('a listing of buckets is in byte order, page by page', async () => {
  const names = ['order-a', 'order-ch', 'order-cz', 'order-h', 'order.b'];
  for (const name of names) await endpoint.service.core.blobs.createBucket('main', name);
  const listed: string[] = [];
  let token: string | undefined;
  do {
    const page = await s3.send(new ListBucketsCommand({ Prefix: 'order', MaxBuckets: 1, ContinuationToken: token }));
    listed.push(...page.Buckets!.map((one) => one.Name!));
    token = page.ContinuationToken;
  } while (token !== undefined);
  expect(listed).toEqual(names);
});
