import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  DeleteBucketTaggingCommand,
  GetBucketCorsCommand,
  GetBucketTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutBucketCorsCommand,
  PutBucketTaggingCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3';
import type { ChecksumAlgorithm, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf } from './bytes-of.js';
import { TestEndpoint } from './start-endpoint.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

const named = (name: string) => expect.objectContaining({ name });

describe('an object', () => {
  it('is returned with its bytes, type, headers, metadata and tags', async () => {
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
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'whole/ü 🐘+%.bin' }));
    expect((await bytesOf(received.Body)).equals(Body)).toBe(true);
    expect(received).toMatchObject({
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
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'range', Range }));
    expect((await bytesOf(received.Body)).equals(Body.subarray(from, to))).toBe(true);
    expect(received.ContentRange).toBe(`bytes ${from}-${to - 1}/1000`);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'range', Range: 'bytes=1000-' }))).rejects.toEqual(
      named('InvalidRange'),
    );
  });

  it('supports conditional reads and writes', async () => {
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
    const received = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect((await bytesOf(received.Body)).toString()).toBe('two');
  });

  it('is created by one of 30 parallel conditional writers', async () => {
    const races = Array.from({ length: 30 }, (_, at) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'race', Body: `writer ${at}`, IfNoneMatch: '*' })).then(
        () => at,
        () => undefined,
      ),
    );
    const winners = (await Promise.all(races)).filter((one) => one !== undefined);
    expect(winners).toHaveLength(1);
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'race' }));
    expect((await bytesOf(received.Body)).toString()).toBe(`writer ${winners[0]}`);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as ChecksumAlgorithm[])(
    'keeps its %s, sent ahead or as a trailer',
    async (algorithm) => {
      const bytes = randomBytes(100_000);
      const bodies = { ahead: bytes, trailer: Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)]) };
      for (const [Key, Body] of Object.entries(bodies)) {
        await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: 100_000, ChecksumAlgorithm: algorithm }));
        // The SDK verifies the checksum of the bytes that it reads.
        const received = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
        expect((await bytesOf(received.Body)).equals(bytes)).toBe(true);
        expect(received[`Checksum${algorithm}` as 'ChecksumCRC32']).toMatch(/^[A-Za-z0-9+/]+=*$/);
        expect(received.ContentEncoding).toBeUndefined();
        const attributes = await s3.send(
          new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['Checksum', 'ETag', 'ObjectSize'] }),
        );
        expect(attributes).toMatchObject({ ObjectSize: 100_000, Checksum: { ChecksumType: 'FULL_OBJECT' } });
      }
    },
  );

  it('can be copied with or without new properties', async () => {
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

  it('can get tags later and lose them', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'tagged', Body: 'x' }));
    const Tagging = { TagSet: [{ Key: 'a & b', Value: '<1>' }] };
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging }));
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet).toEqual(Tagging.TagSet);
    const eleven = { TagSet: Array.from({ length: 11 }, (_, at) => ({ Key: `${at}`, Value: '' })) };
    await expect(s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: eleven }))).rejects.toEqual(
      named('InvalidTag'),
    );
  });

  it('is independent of the tags of its bucket', async () => {
    const TagSet = [{ Key: 'team', Value: 'blue & <green>' }];
    await expect(s3.send(new GetBucketTaggingCommand({ Bucket }))).rejects.toEqual(named('NoSuchTagSet'));
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    expect((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(TagSet);
    const many = (count: number) => ({ TagSet: Array.from({ length: count }, (_, at) => ({ Key: `${at}`, Value: '' })) });
    await expect(s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: many(51) }))).rejects.toEqual(named('InvalidTag'));
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: many(50) }));
    await s3.send(new DeleteBucketTaggingCommand({ Bucket }));
    await expect(s3.send(new GetBucketTaggingCommand({ Bucket }))).rejects.toEqual(named('NoSuchTagSet'));
    // A parallel change of another setting is kept.
    const CORSConfiguration = { CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] };
    await Promise.all([
      s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } })),
      s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration })),
    ]);
    expect((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(TagSet);
    expect((await s3.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toHaveLength(1);
  });

  it('never becomes an active page by an override in its URL', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'page', Body: '<script>', ContentType: 'text/plain' }));
    const response = await endpoint.send('GET', '/main/page', { query: { 'response-content-type': 'text/html; charset=utf-8' } });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const harmless = await endpoint.send('GET', '/main/page', {
      query: { 'response-content-type': 'text/csv', 'response-content-disposition': 'attachment; filename=ü.csv' },
    });
    expect(harmless.headers.get('content-type')).toBe('text/csv');
    expect(Buffer.from(harmless.headers.get('content-disposition')!, 'latin1').toString()).toContain('ü.csv');
  });

  it.each(['Content-Disposition', 'Cache-Control', 'Content-Language', 'Content-Encoding', 'Expires'])(
    'has no %s that is longer than proxies pass on',
    async (name) => {
      const put = (length: number) => endpoint.send('PUT', '/main/long', { body: 'x', headers: { [name]: 'a'.repeat(length) } });
      const refused = await put(3073);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('<Code>InvalidArgument</Code>')]);
      expect((await put(3072)).status).toBe(200);
    },
  );
});
