// Own process: measures memory.
import * as sdk from '@aws-sdk/client-s3';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { BytesDriver } from '../../server/service/drivers/bytes/driver.js';
import { openS3Bytes } from '../../server/service/drivers/bytes/s3.js';
import { parseS3Location } from '../../server/service/drivers/bytes/s3-location.js';
import { newBlobId } from '../../server/service/runtime/ids.js';
import { useS3Engine } from '../support/s3-engine.js';
import { bytesContract } from './bytes-contract.js';

const engine = await useS3Engine();
process.env['AWS_ACCESS_KEY_ID'] = engine.accessKeyId;
process.env['AWS_SECRET_ACCESS_KEY'] = engine.secretAccessKey;
const opened: BytesDriver[] = [];

afterAll(async () => {
  for (const driver of opened) await driver.close();
  await engine.stop();
});

const address = (bucket: string, endpoint = engine.endpoint) => `s3://${bucket}?endpoint=${endpoint}&region=${engine.region}`;
const client = () => new sdk.S3Client({ endpoint: engine.endpoint, region: engine.region, forcePathStyle: true });

async function createBucket(): Promise<string> {
  const bucket = `blobs-${newBlobId().slice(0, 12)}`;
  await client().send(new sdk.CreateBucketCommand({ Bucket: bucket }));
  return bucket;
}

async function open(location: string): Promise<BytesDriver> {
  const driver = await openS3Bytes(sdk, parseS3Location(location));
  opened.push(driver);
  return driver;
}

describe('the S3 driver on a real S3 engine', () => {
  bytesContract('S3', async () => openS3Bytes(sdk, parseS3Location(address(await createBucket()))));

  it('uses only keys with its prefix', async () => {
    const bucket = await createBucket();
    const inside = await open(address(`${bucket}/some/folder`));
    const whole = await open(address(bucket));
    const id = newBlobId();
    await inside.write(
      id,
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    const { Contents } = await client().send(new sdk.ListObjectsV2Command({ Bucket: bucket }));
    expect(Contents?.map((object) => object.Key)).toEqual([`some/folder/${id}`]);
    const found = [];
    for await (const blob of whole.list()) found.push(blob.id);
    expect(found).toEqual([]);
  });

  it('lists and deletes incomplete blobs of a crash', async () => {
    const bucket = await createBucket();
    const driver = await open(address(bucket));
    const id = newBlobId();
    const started = await client().send(new sdk.CreateMultipartUploadCommand({ Bucket: bucket, Key: id }));
    await client().send(
      new sdk.UploadPartCommand({ Bucket: bucket, Key: id, UploadId: started.UploadId, PartNumber: 1, Body: randomBytes(100) }),
    );
    const found = [];
    for await (const blob of driver.list()) found.push(blob.id);
    expect(found).toEqual([id]);
    await driver.delete([id]);
    const { Uploads = [] } = await client().send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket }));
    expect(Uploads).toEqual([]);
  });

  it.each([undefined, 5 * 1024 ** 4])('keeps one part of an endless body in memory, with %s announced bytes', async (size) => {
    const driver = await open(address(await createBucket()));
    const chunk = randomBytes(1024 * 1024);
    let most = 0;
    async function* body() {
      for (let count = 0; count < 400; count++) {
        yield chunk;
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    await driver.write(newBlobId(), body(), size === undefined ? {} : { size });
    // The limit includes the part being filled, its copy, sent parts, and garbage that is not collected yet.
    expect(most - before).toBeLessThan(250 * 1024 * 1024);
  });

  it('names a missing bucket in the error', async () => {
    await expect(openS3Bytes(sdk, parseS3Location(address('no-such-bucket-here')))).rejects.toThrow(/no-such-bucket-here/);
  });
});

describe('a request to the S3 store', () => {
  it('signs the SHA-256 of its body, so that the store detects a flipped bit', async () => {
    const seen: { signed: string | undefined; actual: string }[] = [];
    const server = createServer((request, response) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => {
        if (request.method === 'PUT')
          seen.push({ signed: request.headers['x-amz-content-sha256'] as string, actual: hash.digest('hex') });
        response.setHeader('etag', '"x"').end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env['AWS_ACCESS_KEY_ID'] ??= 'key';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'secret';
    const driver = await openS3Bytes(sdk, parseS3Location(`s3://bucket?endpoint=${endpoint}&region=here`));
    await driver.write(
      newBlobId(),
      (async function* () {
        yield Buffer.from('some bytes');
      })(),
    );
    await driver.close();
    server.close();
    expect(seen).toHaveLength(1);
    expect(seen[0]!.signed).toBe(seen[0]!.actual);
  });
});

describe('BLOB_STORE', () => {
  it('contains bucket, prefix, endpoint and region', () => {
    expect(parseS3Location('s3://photos/a/b/?endpoint=https://s3.example:9000&region=eu-1')).toEqual({
      bucket: 'photos',
      prefix: 'a/b/',
      endpoint: 'https://s3.example:9000',
      region: 'eu-1',
      timeout: 30_000,
    });
    expect(parseS3Location('s3://photos?timeout=5')).toEqual({
      bucket: 'photos',
      prefix: '',
      endpoint: undefined,
      region: undefined,
      timeout: 5000,
    });
  });

  it.each([
    ['photos', 'is not a URL'],
    ['file:///data', 's3://'],
    ['s3://', 'bucket'],
    ['s3://photos?endpont=x', 'endpont'],
    ['s3://photos?endpoint=localhost:9000', 'http://'],
    ['s3://photos?timeout=0', 'timeout'],
    ['s3://key:secret@photos', 'credentials'],
  ])('is rejected: %s', (text, why) => {
    expect(() => parseS3Location(text)).toThrow(why);
  });

  it('is rejected with a credential, which the message does not repeat', () => {
    expect(() => parseS3Location('s3://key:topsecret@photos')).not.toThrow(/topsecret/);
  });
});
