import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../support/database-clock.js';
import { createDatabase } from '../support/postgres.js';
import { untilFreshMinute } from '../support/process-clock.js';
import { createServiceDatabase } from '../support/service-database.js';
import { completeOften } from './parallel-completions.js';
import { TestEndpoint } from './start-endpoint.js';

const Bucket = 'main';
const PART = 5 * 1024 ** 2;
let one: TestEndpoint;
let two: TestEndpoint;

beforeAll(async () => {
  const databaseUrl = await createDatabase();
  one = await TestEndpoint.start({ databaseUrl });
  two = await TestEndpoint.start({ databaseUrl, dataDir: one.dataDir });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

describe('two replicas on one PostgreSQL', () => {
  it('accept and revoke the same key pairs', async () => {
    const pair = await one.newPair();
    await one.client(pair).send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }));
    const received = await two.client(pair).send(new GetObjectCommand({ Bucket, Key: 'a' }));
    expect(await received.Body!.transformToString()).toBe('x');
    await two.service.core.s3Credentials.delete('main', pair.accessKeyId);
    await expect(one.client(pair).send(new GetObjectCommand({ Bucket, Key: 'a' }))).rejects.toMatchObject({
      name: 'InvalidAccessKeyId',
    });
    expect(await readdir(one.dataDir)).not.toContain('secret.key');
  });

  it('accept parts of one upload', async () => {
    const clients = [one.client(), two.client(one.pair)];
    const Key = 'parts';
    const { UploadId } = await clients[0]!.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC32C' }));
    const bodies = [randomBytes(PART), randomBytes(PART), randomBytes(7)];
    const parts = await Promise.all(
      bodies.map(async (Body, at) => {
        const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: at + 1, Body, ChecksumAlgorithm: 'CRC32C' });
        const { ETag, ChecksumCRC32C } = await clients[at % 2]!.send(part);
        return { ETag, ChecksumCRC32C, PartNumber: at + 1 };
      }),
    );
    await clients[1]!.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: parts } }));
    const received = await clients[0]!.send(new GetObjectCommand({ Bucket, Key }));
    expect(Buffer.from(await received.Body!.transformToByteArray()).equals(Buffer.concat(bodies))).toBe(true);
  });

  it('return the same result for all completions of one upload', async () => {
    const clients = [one.client(), two.client(one.pair)];
    for (let round = 0; round < 5; round++) {
      expect(new Set(await completeOften(clients, Bucket, `completed/${round}`)).size).toBe(1);
    }
  });

  it('either complete or abort an upload for parallel requests', async () => {
    const clients = [one.client(), two.client(one.pair)];
    const outcomeOf = (work: Promise<unknown>) => work.then(() => 'done').catch((cause: Error) => cause.name);
    for (let round = 0; round < 10; round++) {
      const Key = `ended/${round}`;
      const { UploadId } = await clients[0]!.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' });
      const { ETag } = await clients[0]!.send(part);
      const command = { Bucket, Key, UploadId };
      const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
      const [completed, aborted] = await Promise.all([
        outcomeOf(clients[round % 2]!.send(new CompleteMultipartUploadCommand({ ...command, MultipartUpload }))),
        outcomeOf(clients[(round + 1) % 2]!.send(new AbortMultipartUploadCommand(command))),
      ]);
      const headResult = await outcomeOf(clients[0]!.send(new HeadObjectCommand({ Bucket, Key })));
      expect(['done NoSuchUpload done', 'NoSuchUpload done NotFound']).toContain(`${completed} ${aborted} ${headResult}`);
    }
  });

  it('let one of many parallel conditional writers succeed', async () => {
    const clients = [one.client(), two.client(one.pair)];
    const races = Array.from({ length: 20 }, (_, at) =>
      clients[at % 2]!.send(new PutObjectCommand({ Bucket, Key: 'race', Body: `${at}`, IfNoneMatch: '*' })).then(
        () => at,
        () => undefined,
      ),
    );
    expect((await Promise.all(races)).filter((winner) => winner !== undefined)).toHaveLength(1);
  });

  it('count an account’s requests of a minute together', async () => {
    const databaseUrl = await createServiceDatabase();
    const first = await TestEndpoint.start({ databaseUrl, rateLimits: { s3: 5 } });
    const second = await TestEndpoint.start({ databaseUrl, dataDir: first.dataDir, rateLimits: { s3: 5 } });
    await setClock(databaseUrl, untilFreshMinute());
    for (const { service } of [first, second]) await service.core.measureSkew();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => [first, second][at % 2]!.send('GET', '/main', { pair: first.pair })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(responses.filter(({ code }) => code === 'SlowDown')).toHaveLength(15);
    await second.stop();
    await first.stop();
  });

  it('list in UTF-8 order', async () => {
    const keys = ['u/Z', 'u/a', 'u/ä', 'u/\u{ffff}', 'u/🐘'];
    for (const Key of keys.toReversed()) await one.client().send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const { Contents } = await two.client(one.pair).send(new ListObjectsV2Command({ Bucket, Prefix: 'u/' }));
    expect(Contents!.map((entry) => entry.Key)).toEqual(keys);
  });
});
