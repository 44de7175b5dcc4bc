// Long because an object has many sides, and each is one short test.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3';
import type { ChecksumAlgorithm, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './endpoint.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

const bytesOf = async (body: unknown) =>
  Buffer.from(await (body as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray());
const named = (name: string) => expect.objectContaining({ name });

describe('an object', () => {
  it('comes back with its bytes, type, headers, metadata and tags', async () => {
    const Body = randomBytes(70_000);
    await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: 'whole/ü 🐘+%.bin',
        Body,
        ContentType: 'image/png',
        CacheControl: 'max-age=60',
        ContentDisposition: 'attachment; filename="a.png"',
        ContentLanguage: 'de',
        ContentEncoding: 'gzip',
        Metadata: { one: '1', two: 'a b' },
        Tagging: 'k=v&k2=v%202',
      }),
    );
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'whole/ü 🐘+%.bin' }));
    expect((await bytesOf(got.Body)).equals(Body)).toBe(true);
    expect(got).toMatchObject({
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.png"',
      ContentLanguage: 'de',
      ContentEncoding: 'gzip',
      Metadata: { one: '1', two: 'a b' },
      TagCount: 2,
      ContentLength: 70_000,
      AcceptRanges: 'bytes',
    });
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'whole/ü 🐘+%.bin' }));
    expect(TagSet).toEqual([
      { Key: 'k', Value: 'v' },
      { Key: 'k2', Value: 'v 2' },
    ]);
  });

  it.each([
    ['a prefix', 'bytes=0-9', 0, 10],
    ['a middle', 'bytes=100-199', 100, 200],
    ['an open end', 'bytes=990-', 990, 1000],
    ['a suffix', 'bytes=-5', 995, 1000],
    ['an end past the end', 'bytes=995-5000', 995, 1000],
  ])('is read by %s', async (_name, Range, from, to) => {
    const Body = randomBytes(1000);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'range', Body }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'range', Range }));
    expect((await bytesOf(got.Body)).equals(Body.subarray(from, to))).toBe(true);
    expect(got.ContentRange).toBe(`bytes ${from}-${to - 1}/1000`);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'range', Range: 'bytes=1000-' }))).rejects.toEqual(
      named('InvalidRange'),
    );
  });

  it('is read and written under conditions', async () => {
    const Key = 'conditions';
    const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'one', IfNoneMatch: '*' }));
    const failed = named('PreconditionFailed');
    await expect(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'two', IfNoneMatch: '*' }))).rejects.toEqual(failed);
    await expect(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'two', IfMatch: '"no"' }))).rejects.toEqual(failed);
    await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'absent', Body: 'two', IfMatch: ETag! }))).rejects.toEqual(
      named('NoSuchKey'),
    );
    await expect(s3.send(new GetObjectCommand({ Bucket, Key, IfMatch: '"no"' }))).rejects.toEqual(failed);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key, IfNoneMatch: ETag! }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
    await expect(s3.send(new DeleteObjectCommand({ Bucket, Key, IfMatch: '"no"' }))).rejects.toEqual(failed);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'two', IfMatch: ETag! }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect((await bytesOf(got.Body)).toString()).toBe('two');
  });

  it('has one winner of 30 racing writers that each want to be the first', async () => {
    const races = Array.from({ length: 30 }, (_, at) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'race', Body: `writer ${at}`, IfNoneMatch: '*' })).then(
        () => at,
        () => undefined,
      ),
    );
    const winners = (await Promise.all(races)).filter((one) => one !== undefined);
    expect(winners).toHaveLength(1);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'race' }));
    expect((await bytesOf(got.Body)).toString()).toBe(`writer ${winners[0]}`);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as ChecksumAlgorithm[])(
    'keeps its %s, sent ahead or as a trailer',
    async (algorithm) => {
      const bytes = randomBytes(100_000);
      const bodies = { ahead: bytes, trailer: Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]) };
      for (const [Key, Body] of Object.entries(bodies)) {
        await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: 100_000, ChecksumAlgorithm: algorithm }));
        // The SDK verifies it against what it reads.
        const got = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
        expect((await bytesOf(got.Body)).equals(bytes)).toBe(true);
        expect(got[`Checksum${algorithm}` as 'ChecksumCRC32']).toMatch(/^[A-Za-z0-9+/]+=*$/);
        expect(got.ContentEncoding).toBeUndefined();
        const attributes = await s3.send(
          new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['Checksum', 'ETag', 'ObjectSize'] }),
        );
        expect(attributes).toMatchObject({ ObjectSize: 100_000, Checksum: { ChecksumType: 'FULL_OBJECT' } });
      }
    },
  );

  it('is copied with or without new properties', async () => {
    await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: 'source ä',
        Body: 'text',
        ContentType: 'text/plain',
        Metadata: { a: '1' },
        Tagging: 't=1',
      }),
    );
    const CopySource = `${Bucket}/${encodeURIComponent('source ä')}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))).toMatchObject({
      ContentType: 'text/plain',
      Metadata: { a: '1' },
      ContentLength: 4,
      TagCount: 1,
    });
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'copy',
        CopySource,
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE',
        ContentType: 'text/csv',
        Metadata: { b: '2' },
      }),
    );
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'copy' }));
    expect(head).toMatchObject({ ContentType: 'text/csv', Metadata: { b: '2' } });
    expect(head.TagCount).toBeUndefined();
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/copy` }))).rejects.toEqual(
      named('InvalidRequest'),
    );
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: 'x', CopySource: `${Bucket}/gone` }))).rejects.toEqual(
      named('NoSuchKey'),
    );
  });

  it('takes tags later and gives them up', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'tagged', Body: 'x' }));
    const Tagging = { TagSet: [{ Key: 'a & b', Value: '<1>' }] };
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging }));
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet).toEqual(Tagging.TagSet);
    const eleven = { TagSet: Array.from({ length: 11 }, (_, at) => ({ Key: `${at}`, Value: '' })) };
    await expect(s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: eleven }))).rejects.toEqual(
      named('InvalidTag'),
    );
  });

  it('never becomes an active page by an override in its address', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'page', Body: '<script>', ContentType: 'text/plain' }));
    const answer = await endpoint.send('GET', '/main/page', { query: { 'response-content-type': 'text/html; charset=utf-8' } });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const harmless = await endpoint.send('GET', '/main/page', {
      query: { 'response-content-type': 'text/csv', 'response-content-disposition': 'attachment; filename=ü.csv' },
    });
    expect(harmless.headers.get('content-type')).toBe('text/csv');
    expect(Buffer.from(harmless.headers.get('content-disposition')!, 'latin1').toString()).toContain('ü.csv');
  });
});

describe('listings', () => {
  const bucket = 'listing-bucket';
  const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'd e', 'z+%', 'ü', '\u{ffff}', '🐘'];

  beforeAll(async () => {
    await endpoint.service.core.blobs.createBucket('main', bucket);
    for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  });

  it('run in UTF-8 order, page by page, in both versions', async () => {
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

  it('roll up below a delimiter and page through it', async () => {
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

  it('roll up many folders among many files, whatever the size of a page', async () => {
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

  it('of versions answer as a bucket that has none', async () => {
    const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1000 }));
    expect(Versions).toHaveLength(keys.length);
    expect(Versions!.every((one) => one.VersionId === 'null' && one.IsLatest)).toBe(true);
    expect(DeleteMarkers).toBeUndefined();
  });

  it('end with the deletion of many at once', async () => {
    const Objects = [...keys, 'never there'].map((Key) => ({ Key }));
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    expect(Deleted).toHaveLength(keys.length + 1);
    expect(Errors).toBeUndefined();
    expect((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBe(0);
  });
});

describe('what is not offered', () => {
  it.each<[string, string, Record<string, string>, Record<string, string>]>([
    ['PUT', '/main', { versioning: '' }, {}],
    ['PUT', '/main', { lifecycle: '' }, {}],
    ['GET', '/main', { policy: '' }, {}],
    ['GET', '/main/key', { torrent: '' }, {}],
    ['POST', '/main/key', { select: '', 'select-type': '2' }, {}],
    ['PUT', '/main/key', {}, { 'x-amz-server-side-encryption': 'AES256' }],
    ['PUT', '/main/key', {}, { 'x-amz-object-lock-mode': 'GOVERNANCE' }],
    ['PUT', '/main/key', {}, { 'x-amz-storage-class': 'GLACIER' }],
    ['PUT', '/main/key', {}, { 'x-amz-grant-read': 'id=x' }],
    ['PUT', '/main/key', {}, { 'x-amz-website-redirect-location': '/x' }],
  ])('says so: %s %s %o %o', async (method, path, query, headers) => {
    const answer = await endpoint.send(method, path, { query, headers, ...(method === 'GET' ? {} : { body: 'x' }) });
    expect([answer.status, answer.code]).toEqual([501, 'NotImplemented']);
    expect((await endpoint.stored()).keys).not.toContain('key');
  });

  it('errors hold Code, Message, Resource and RequestId', async () => {
    const answer = await endpoint.send('GET', '/main/no%20such');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/xml');
    const id = answer.headers.get('x-amz-request-id');
    for (const part of [
      '<Code>NoSuchKey</Code>',
      '<Message>',
      '<Key>no such</Key>',
      '<Resource>/main/no such</Resource>',
      `<RequestId>${id}</RequestId>`,
    ])
      expect(answer.text).toContain(part);
  });
});

describe('the two worlds', () => {
  const rest = (path: string, init: RequestInit = {}) =>
    fetch(endpoint.restUrl + path, { ...init, headers: { authorization: `Bearer ${endpoint.apiKey}`, ...init.headers } });

  it('show one file: put over REST, read over S3', async () => {
    const put = await rest('/v1/files/both/rest.txt?visibility=public', {
      method: 'PUT',
      body: 'over rest',
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(201);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'both/rest.txt' }));
    expect((await bytesOf(got.Body)).toString()).toBe('over rest');
    expect(got.ContentType).toBe('text/plain');
  });

  it('show one object: put over S3, read over REST, public where its ACL says so', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'both/s3.txt', Body: 'over s3', ContentType: 'text/plain', ACL: 'public-read' }),
    );
    const listed = (await (await rest('/v1/files?prefix=both')).json()) as {
      response: { files: { path: string; visibility: string; url: string }[] };
    };
    const file = listed.response.files.find((one) => one.path === 'both/s3.txt')!;
    expect(file.visibility).toBe('public');
    expect(await (await fetch(file.url)).text()).toBe('over s3');
  });

  it('hold the rules of a folder', async () => {
    const rule = {
      prefix: 'ruled',
      max_size: 10,
      allowed_extensions: ['txt'],
      visibility: 'public',
      cache_control: 'max-age=9',
      expires_after: 3600,
    };
    const made = await rest('/v1/rules', {
      method: 'POST',
      body: JSON.stringify(rule),
      headers: { 'content-type': 'application/json' },
    });
    expect(made.status).toBe(201);
    const put = (Key: string, Body: string, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
    await expect(put('ruled/a.exe', 'x')).rejects.toEqual(named('AccessDenied'));
    await expect(put('ruled/a.txt', 'more than ten')).rejects.toEqual(named('EntityTooLarge'));
    await put('ruled/open.txt', 'x');
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'ruled/open.txt' }));
    expect([head.CacheControl, head.Expiration]).toEqual(['max-age=9', expect.stringContaining('expiry-date')]);
    expect((await endpoint.fetch('/main/ruled/open.txt')).status).toBe(200);
    await put('ruled/closed.txt', 'x', { ACL: 'private', CacheControl: 'no-store' });
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'ruled/closed.txt' }))).CacheControl).toBe('no-store');
    expect((await endpoint.fetch('/main/ruled/closed.txt')).status).toBe(403);
  });

  it('let a file go on time', async () => {
    const soon = new Date(Date.now() + 1500).toISOString();
    await rest(`/v1/files/both/soon.txt?expires_at=${encodeURIComponent(soon)}`, { method: 'PUT', body: 'x' });
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'both/soon.txt' }))).Expiration).toContain('expiry-date');
    await new Promise((resolve) => setTimeout(resolve, 1600));
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'both/soon.txt' }))).rejects.toEqual(named('NoSuchKey'));
  });
});
