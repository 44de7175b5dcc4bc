import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { ChecksumAlgorithm, ChecksumType, CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf } from './bytes-of.js';
import { TestEndpoint } from './start-endpoint.js';

const Bucket = 'main';
const PART = 5 * 1024 ** 2;
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

const named = (name: string) => expect.objectContaining({ name });

async function begin(
  Key: string,
  options: { ChecksumAlgorithm?: ChecksumAlgorithm; ChecksumType?: ChecksumType } = {},
): Promise<string> {
  return (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...options }))).UploadId!;
}

async function part(
  Key: string,
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  algorithm?: ChecksumAlgorithm,
): Promise<CompletedPart> {
  const { $metadata: _, ...rest } = await s3.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...(algorithm && { ChecksumAlgorithm: algorithm }) }),
  );
  return { ...rest, PartNumber };
}

const complete = (Key: string, UploadId: string, Parts: CompletedPart[]) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();

describe('a multipart upload', () => {
  it('can be continued by another key pair after its creator ended', async () => {
    const { accessKeyId, ...first } = await endpoint.newPair({ prefix: 'pages' });
    const Key = 'pages/long';
    const began = endpoint.client({ accessKeyId, ...first });
    const { UploadId } = await began.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await began.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: Buffer.alloc(PART, 1) }));
    await endpoint.service.core.s3Credentials.delete('main', accessKeyId);
    const second = endpoint.client(await endpoint.newPair({ prefix: 'pages' }));
    await second.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 2, Body: Buffer.alloc(10, 2) }));
    const { Parts } = await second.send(new ListPartsCommand({ Bucket, Key, UploadId }));
    await second.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(PART + 10);
    const others = endpoint.client(await endpoint.newPair({ prefix: 'elsewhere' }));
    const UploadIdTwo = await begin(Key);
    const stray = new UploadPartCommand({ Bucket, Key, UploadId: UploadIdTwo, PartNumber: 1, Body: 'x' });
    await expect(others.send(stray)).rejects.toEqual(named('AccessDenied'));
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: UploadIdTwo }));
  });

  it('becomes an object with the right ETag, parts and SHA-256', async () => {
    const Key = 'multi';
    const UploadId = await begin(Key);
    const bodies = [randomBytes(PART), randomBytes(PART + 1), randomBytes(10)];
    const parts = await Promise.all(bodies.map((body, at) => part(Key, UploadId, at * 3 + 1, body)));
    const { ETag } = await complete(Key, UploadId, parts);
    expect(ETag).toBe(
      `"${createHash('md5')
        .update(Buffer.concat(bodies.map(md5)))
        .digest('hex')}-3"`,
    );
    const received = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect((await bytesOf(received.Body)).equals(Buffer.concat(bodies))).toBe(true);

    const range = await s3.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${PART - 5}-${2 * PART + 4}` }));
    expect((await bytesOf(range.Body)).equals(Buffer.concat(bodies).subarray(PART - 5, 2 * PART + 5))).toBe(true);
    const second = await s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }));
    expect((await bytesOf(second.Body)).equals(bodies[1]!)).toBe(true);
    expect(second.PartsCount).toBe(3);
    const attributes = await s3.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['ObjectParts'] }));
    expect(attributes.ObjectParts).toMatchObject({ TotalPartsCount: 3, IsTruncated: false });

    const { core } = endpoint.service;
    const file = await core.blobs.get((await core.accounts.mainStorage('main'))!, Key);
    expect(file!.sha256).toBe(createHash('sha256').update(Buffer.concat(bodies)).digest('hex'));
  });

  it('that is completed twice returns the same result', async () => {
    const UploadId = await begin('twice');
    const parts = [await part('twice', UploadId, 1, Buffer.from('x'))];
    const first = await complete('twice', UploadId, parts);
    const again = await complete('twice', UploadId, parts);
    expect(again.ETag).toBe(first.ETag);
    await expect(complete('twice', UploadId, [{ ...parts[0], ETag: '"00000000000000000000000000000000"' }])).rejects.toEqual(
      named('NoSuchUpload'),
    );
  });

  it('that is completed by ten requests at once returns the same result to all', async () => {
    const UploadId = await begin('at-once');
    const parts = [await part('at-once', UploadId, 1, randomBytes(PART)), await part('at-once', UploadId, 2, randomBytes(10))];
    const responses = await Promise.all(Array.from({ length: 10 }, () => complete('at-once', UploadId, parts)));
    expect(new Set(responses.map((response) => response.ETag)).size).toBe(1);
    const other = [{ ...parts[0]!, ETag: '"00000000000000000000000000000000"' }];
    await expect(complete('at-once', UploadId, other)).rejects.toEqual(named('NoSuchUpload'));
  });

  it('returns the same result for a repeated completion after its object was replaced or deleted', async () => {
    const Key = 'replaced';
    const UploadId = await begin(Key);
    const parts = [await part(Key, UploadId, 1, Buffer.from('first'))];
    const MultipartUpload = { Parts: parts };
    const conditional = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, IfNoneMatch: '*' });
    const { ETag } = await s3.send(conditional);
    expect((await s3.send(conditional)).ETag).toBe(ETag);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'second' }));
    expect((await complete(Key, UploadId, parts)).ETag).toBe(ETag);
    expect((await bytesOf((await s3.send(new GetObjectCommand({ Bucket, Key }))).Body)).toString()).toBe('second');
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    expect((await complete(Key, UploadId, parts)).ETag).toBe(ETag);
  });

  it('is either completed or aborted by parallel requests for both', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const Key = `raced/${round}`;
      const UploadId = await begin(Key);
      const parts = [await part(Key, UploadId, 1, Buffer.from('x'))];
      const outcomeOf = (work: Promise<unknown>) => work.then(() => 'done').catch((cause: Error) => cause.name);
      const abort = () => outcomeOf(s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
      const [completed, aborted] = await Promise.all([outcomeOf(complete(Key, UploadId, parts)), abort()]);
      const headResult = await outcomeOf(s3.send(new HeadObjectCommand({ Bucket, Key })));
      outcomes.add(`${completed} ${aborted} ${headResult}`);
    }
    for (const outcome of outcomes) expect(['done NoSuchUpload done', 'NoSuchUpload done NotFound']).toContain(outcome);
  });

  it.each<[ChecksumAlgorithm, ChecksumType]>([
    ['CRC32', 'COMPOSITE'],
    ['CRC32', 'FULL_OBJECT'],
    ['CRC32C', 'COMPOSITE'],
    ['CRC32C', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
    ['SHA1', 'COMPOSITE'],
    ['SHA256', 'COMPOSITE'],
  ])('keeps a %s of the kind %s', async (algorithm, type) => {
    const Key = `${algorithm}-${type}`;
    const UploadId = await begin(Key, { ChecksumAlgorithm: algorithm, ChecksumType: type });
    const bodies = [randomBytes(PART), randomBytes(1000)];
    const parts = [];
    for (const [at, body] of bodies.entries()) parts.push(await part(Key, UploadId, at + 1, body, algorithm));
    const done = await complete(Key, UploadId, parts);
    expect(done.ChecksumType).toBe(type);
    const name = `Checksum${algorithm}` as 'ChecksumCRC32';
    if (type === 'COMPOSITE') {
      expect(done[name]).toMatch(/-2$/);
      return;
    }
    // A PUT of the same bytes has the same checksum.
    const whole = await s3.send(
      new PutObjectCommand({ Bucket, Key: 'whole', Body: Buffer.concat(bodies), ChecksumAlgorithm: algorithm }),
    );
    expect(done[name]).toBe(whole[name]);
  });

  it('copies parts from objects', async () => {
    const source = randomBytes(PART + 100);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'from', Body: source }));
    const UploadId = await begin('into');
    const copy = (PartNumber: number, CopySourceRange: string) =>
      s3.send(
        new UploadPartCopyCommand({ Bucket, Key: 'into', UploadId, PartNumber, CopySource: `${Bucket}/from`, CopySourceRange }),
      );
    const first = await copy(1, `bytes=0-${PART - 1}`);
    const second = await copy(2, `bytes=${PART}-${PART + 99}`);
    await expect(copy(3, `bytes=0-${PART + 100}`)).rejects.toEqual(named('InvalidRange'));
    await expect(copy(3, 'bytes=5')).rejects.toEqual(named('InvalidArgument'));
    await complete('into', UploadId, [
      { PartNumber: 1, ETag: first.CopyPartResult!.ETag },
      { PartNumber: 2, ETag: second.CopyPartResult!.ETag },
    ]);
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'into' }));
    expect((await bytesOf(received.Body)).equals(source)).toBe(true);
  });

  it('is listed with its parts until it is aborted', async () => {
    const ids = [await begin('listed/a'), await begin('listed/a'), await begin('listed/b/c')];
    await part('listed/a', ids[0]!, 7, Buffer.from('seven'));
    const all = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'listed/' }));
    expect(all.Uploads!.map((one) => one.UploadId).toSorted()).toEqual(ids.toSorted());
    const rolled = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'listed/', Delimiter: '/' }));
    expect([rolled.Uploads!.length, rolled.CommonPrefixes]).toEqual([2, [{ Prefix: 'listed/b/' }]]);
    const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'listed/', MaxUploads: 1 }));
    const rest = await s3.send(
      new ListMultipartUploadsCommand({
        Bucket,
        Prefix: 'listed/',
        KeyMarker: page.NextKeyMarker,
        UploadIdMarker: page.NextUploadIdMarker,
      }),
    );
    expect([page.Uploads!.length, rest.Uploads!.length]).toEqual([1, 2]);
    const { Parts, AbortDate } = await s3.send(new ListPartsCommand({ Bucket, Key: 'listed/a', UploadId: ids[0] }));
    expect(Parts).toMatchObject([{ PartNumber: 7, Size: 5, ETag: `"${md5(Buffer.from('seven')).toString('hex')}"` }]);
    expect(AbortDate!.getTime()).toBeGreaterThan(Date.now());
    for (const [at, UploadId] of ids.entries())
      await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: at < 2 ? 'listed/a' : 'listed/b/c', UploadId }));
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'listed/' }))).Uploads).toBeUndefined();
    await expect(part('listed/a', ids[0]!, 1, Buffer.from('late'))).rejects.toEqual(named('NoSuchUpload'));
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: 'listed/a' }))).rejects.toEqual(named('NotFound'));
  });

  it('that is aborted during the upload of a part rejects the part', async () => {
    const UploadId = await begin('ended');
    const Body = new Readable({ read() {} });
    Body.push(Buffer.alloc(1000));
    const command = new UploadPartCommand({ Bucket, Key: 'ended', UploadId, PartNumber: 1, Body, ContentLength: 2000 });
    const sending = s3.send(command);
    const metrics = async () => (await fetch(`${endpoint.restUrl}/metrics`)).text();
    await expect.poll(metrics).toContain('svc_s3_requests_in_progress 1');
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'ended', UploadId }));
    Body.push(Buffer.alloc(1000));
    Body.push(null);
    await expect(sending).rejects.toEqual(named('NoSuchUpload'));
  });

  it('is rejected with an error code for a wrong list of parts', async () => {
    const Key = 'refused';
    const UploadId = await begin(Key);
    const small = await part(Key, UploadId, 1, Buffer.from('small'));
    const last = await part(Key, UploadId, 2, Buffer.from('last'));
    await expect(complete(Key, UploadId, [small, last])).rejects.toEqual(named('EntityTooSmall'));
    await expect(complete(Key, UploadId, [last, small])).rejects.toEqual(named('InvalidPartOrder'));
    await expect(complete(Key, UploadId, [{ ...small, PartNumber: 3 }])).rejects.toEqual(named('InvalidPart'));
    await expect(complete(Key, UploadId, [{ ...small, ETag: last.ETag }])).rejects.toEqual(named('InvalidPart'));
    await expect(complete(Key, UploadId, [])).rejects.toEqual(named('MalformedXML'));
    const many = Array.from({ length: 10_001 }, (_, at) => ({ PartNumber: at + 1, ETag: small.ETag }));
    await expect(complete(Key, UploadId, many)).rejects.toEqual(named('MalformedXML'));
    await expect(part(Key, UploadId, 10_001, Buffer.from('x'))).rejects.toEqual(named('InvalidArgument'));
    await expect(part(Key, UploadId, 0, Buffer.from('x'))).rejects.toEqual(named('InvalidArgument'));
    await expect(part('another', UploadId, 1, Buffer.from('x'))).rejects.toEqual(named('NoSuchUpload'));
    expect((await endpoint.stored()).keys).not.toContain(Key);
  });
});

describe('lib-storage', () => {
  it('uploads a stream of unknown length in parts', async () => {
    const chunks = Array.from({ length: 23 }, () => randomBytes(600_000));
    const upload = new Upload({
      client: s3,
      params: { Bucket, Key: 'streamed', Body: Readable.from(chunks) },
      partSize: PART,
      queueSize: 3,
    });
    await upload.done();
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'streamed' }));
    expect((await bytesOf(received.Body)).equals(Buffer.concat(chunks))).toBe(true);
  });
});
