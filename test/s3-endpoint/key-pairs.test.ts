import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from './presign.js';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseTokenRequest } from '../../server/service/identity/token-request.js';
import { TestEndpoint } from './start-endpoint.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let owner: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  owner = endpoint.client();
  for (const Key of ['team/a', 'team/b', 'teams', 'other/c']) await owner.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
});
afterAll(() => endpoint.stop());

const named = (name: string) => expect.objectContaining({ name });
const denied = named('AccessDenied');

describe('a key pair', () => {
  it('is valid until it is revoked, including presigned URLs', async () => {
    const pair = await endpoint.newPair({ name: 'short' });
    const s3 = endpoint.client(pair);
    const address = await getSignedUrl(endpoint, pair, '/main/team/a', 600);
    await s3.send(new GetObjectCommand({ Bucket, Key: 'team/a' }));
    expect((await fetch(address)).status).toBe(200);
    expect(await endpoint.service.core.s3Credentials.delete('main', pair.accessKeyId)).toBe(true);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'team/a' }))).rejects.toEqual(named('InvalidAccessKeyId'));
    expect((await fetch(address)).status).toBe(403);
    expect(await endpoint.service.core.s3Credentials.delete('main', pair.accessKeyId)).toBe(false);
  });

  it('may expire, and only a right signature gets this error', async () => {
    const pair = await endpoint.newPair({ expiresIn: 60 });
    const s3 = endpoint.client(pair);
    await s3.send(new GetObjectCommand({ Bucket, Key: 'team/a' }));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    try {
      const late = new GetObjectCommand({ Bucket, Key: 'team/a' });
      await expect(s3.send(late)).rejects.toEqual(named('ExpiredToken'));
      const guess = endpoint.client({ ...pair, secretAccessKey: 'guessed' });
      await expect(guess.send(late)).rejects.toEqual(named('SignatureDoesNotMatch'));
      const stand = await endpoint.service.core.s3Credentials.list('main');
      expect(stand.map(({ id }) => id)).not.toContain(pair.accessKeyId);
    } finally {
      vi.useRealTimers();
    }
  });

  it('that is revoked during an upload stores nothing', async () => {
    const pair = await endpoint.newPair();
    async function* body() {
      yield Buffer.alloc(100_000);
      await endpoint.service.core.s3Credentials.delete('main', pair.accessKeyId);
      yield Buffer.alloc(100_000);
    }
    const { core } = endpoint.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const put = core.blobs.put(storage, 'late', body(), { credential: { kind: 's3', id: pair.accessKeyId } });
    await expect(put).rejects.toThrow();
    expect((await endpoint.stored()).keys).not.toContain('late');
  });

  it('that is read-only cannot write', async () => {
    const s3 = endpoint.client(await endpoint.newPair({ readOnly: true }));
    await s3.send(new GetObjectCommand({ Bucket, Key: 'other/c' }));
    await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' }))).rejects.toEqual(denied);
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: 'new', CopySource: 'main/teams' }))).rejects.toEqual(denied);
    await expect(s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'teams' }] } }))).rejects.toEqual(denied);
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'fresh-bucket' }))).rejects.toEqual(denied);
    expect((await endpoint.stored()).keys).toEqual(['other/c', 'team/a', 'team/b', 'teams']);
  });

  it('that is limited to a prefix can access only that folder', async () => {
    const s3 = endpoint.client(await endpoint.newPair({ prefix: 'team' }));
    await owner.send(new CreateBucketCommand({ Bucket: 'second-bucket' }));
    await s3.send(new GetObjectCommand({ Bucket, Key: 'team/a' }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'team/new', Body: 'x' }));
    expect((await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'team/' }))).KeyCount).toBe(3);
    expect((await s3.send(new ListBucketsCommand())).Buckets!.map((one) => one.Name)).toEqual(['main']);
    await s3.send(new HeadBucketCommand({ Bucket }));
    await s3.send(new GetBucketLocationCommand({ Bucket }));

    for (const Key of ['teams', 'other/c', 'team'])
      await expect(s3.send(new GetObjectCommand({ Bucket, Key }))).rejects.toEqual(denied);
    for (const Prefix of [undefined, '', 'team', 'other/', 'tea'])
      await expect(s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).rejects.toEqual(denied);
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: 'team/x', CopySource: 'main/other/c' }))).rejects.toEqual(denied);
    await expect(s3.send(new PutObjectCommand({ Bucket: 'second-bucket', Key: 'team/x', Body: 'x' }))).rejects.toEqual(denied);
    await expect(s3.send(new DeleteBucketCommand({ Bucket: 'second-bucket' }))).rejects.toEqual(denied);
    const { Deleted, Errors } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'team/new' }, { Key: 'other/c' }] } }),
    );
    expect([Deleted, Errors]).toMatchObject([[{ Key: 'team/new' }], [{ Key: 'other/c', Code: 'AccessDenied' }]]);
    expect((await endpoint.stored()).keys).toEqual(['other/c', 'team/a', 'team/b', 'teams']);
  });

  it('cannot access another account', async () => {
    await endpoint.service.core.accounts.ensure('stranger');
    const s3 = endpoint.client(await endpoint.newPair({}, 'stranger'));
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'teams' }))).rejects.toEqual(denied);
    await expect(s3.send(new ListObjectsV2Command({ Bucket }))).rejects.toEqual(denied);
    await expect(s3.send(new CreateBucketCommand({ Bucket }))).rejects.toEqual(named('BucketAlreadyExists'));
    await expect(s3.send(new CopyObjectCommand({ Bucket: 'stranger', Key: 'x', CopySource: 'main/teams' }))).rejects.toEqual(
      denied,
    );
  });

  it('has a secret that is nowhere stored in plain text, like API keys and upload tokens', async () => {
    const pair = await endpoint.newPair({ name: 'hidden' });
    const { core } = endpoint.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const { token } = await core.tokens.create(storage, ADMIN_CREATOR, parseTokenRequest({}, Date.now()));
    const secrets = [pair.secretAccessKey, endpoint.apiKey, token];
    for (const name of await readdir(endpoint.dataDir)) {
      const path = join(endpoint.dataDir, name);
      if (!(await stat(path)).isFile()) continue;
      const bytes = await readFile(path);
      for (const secret of secrets) expect(bytes.includes(secret), name).toBe(false);
    }
    expect((await stat(join(endpoint.dataDir, 'secret.key'))).mode & 0o077).toBe(0);
    const listed = await endpoint.service.core.s3Credentials.list('main');
    expect(JSON.stringify(listed)).not.toContain(pair.secretAccessKey);
  });
});
