import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewS3Credential } from '../../server/service/identity/s3-credentials.js';
import { changeKey } from '../service/change-key.js';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';
import { getSignedUrl } from './presign.js';
import type { KeyPair } from './signing.js';

const Bucket = 'main';
const FULL = ['blob:read', 'blob:write'];
let endpoint: TestEndpoint;
let keyId: string;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  await endpoint.client().send(new PutObjectCommand({ Bucket, Key: 'secret', Body: 'gold' }));
});
afterAll(() => endpoint.stop());
beforeEach(async () => {
  keyId = (await endpoint.service.core.keys.create('main', { name: 'creator', scopes: FULL })).id;
});
const revoke = () => endpoint.service.core.keys.revoke('main', keyId);
afterEach(revoke);

const pairOfKey = (options: NewS3Credential = {}) => endpoint.newPair({ ...options, creator: { ...ADMIN_CREATOR, keyId } });
const change = (changes: Parameters<typeof changeKey>[2]) => changeKey(endpoint.dataDir, keyId, changes);
const named = (name: string) => expect.objectContaining({ name });
const denied = named('AccessDenied');
const get = (pair: KeyPair, headers: Record<string, string> = {}) => endpoint.send('GET', '/main/secret', { pair, headers });
const postForm = (pair: KeyPair) =>
  endpoint.fetch('/main', { method: 'POST', body: signedForm(pair, Bucket, { key: 'form' }, [{ key: 'form' }]) });

describe('an S3 key pair that an API key created', () => {
  it('ends with the key, for signed requests, presigned URLs and forms', async () => {
    const pair = await pairOfKey();
    const [read, write] = [
      await getSignedUrl(endpoint, pair, '/main/secret', 600),
      await getSignedUrl(endpoint, pair, '/main/new', 600, 'PUT'),
    ];
    expect((await fetch(read)).status).toBe(200);
    await revoke();
    expect((await get(pair)).code).toBe('InvalidAccessKeyId');
    expect((await fetch(read)).status).toBe(403);
    expect((await fetch(write, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await postForm(pair)).code).toBe('InvalidAccessKeyId');
    expect((await endpoint.stored()).keys).toEqual(['secret']);
  });

  it('stores nothing if the key is revoked during the upload', async () => {
    const pair = await pairOfKey();
    const { core } = endpoint.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    async function* body() {
      yield Buffer.alloc(200_000);
      await revoke();
      yield Buffer.alloc(200_000);
    }
    const put = core.blobs.put(storage, 'late', body(), { credential: { kind: 's3', id: pair.accessKeyId } });
    await expect(put).rejects.toMatchObject({ code: 'API_KEY_INVALID' });
    expect(await endpoint.stored()).toEqual({ keys: ['secret'], reservations: 0 });
  });

  it('cannot continue its multipart upload after the key is revoked', async () => {
    const pair = await pairOfKey();
    const s3 = endpoint.client(pair);
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    const part = { Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'one' };
    const { ETag } = await s3.send(new UploadPartCommand(part));
    await revoke();
    const complete = { Bucket, Key: 'parts', UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    await expect(s3.send(new UploadPartCommand({ ...part, PartNumber: 2 }))).rejects.toEqual(named('InvalidAccessKeyId'));
    await expect(s3.send(new CompleteMultipartUploadCommand(complete))).rejects.toEqual(named('InvalidAccessKeyId'));
    expect((await endpoint.stored()).keys).not.toContain('parts');
    await endpoint.client().send(new CompleteMultipartUploadCommand(complete));
    const { core } = endpoint.service;
    await core.blobs.delete((await core.accounts.mainStorage('main'))!, 'parts');
  });

  it('cannot read if the key may only write', async () => {
    const pair = await pairOfKey();
    const s3 = endpoint.client(pair);
    await change({ scopes: ['blob:write'] });
    await s3.send(new PutObjectCommand({ Bucket, Key: 'written', Body: 'x' }));
    for (const read of [
      new GetObjectCommand({ Bucket, Key: 'secret' }),
      new ListObjectsV2Command({ Bucket }),
      new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: 'main/secret' }),
      new PutBucketAclCommand({ Bucket, ACL: 'public-read' }),
      new CreateBucketCommand({ Bucket: 'listed', ACL: 'public-read' }),
      new PutObjectAclCommand({ Bucket, Key: 'secret', ACL: 'public-read' }),
    ])
      await expect(s3.send(read as GetObjectCommand)).rejects.toEqual(denied);
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: 'secret' }))).rejects.toThrow();
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'copy' }));
    const copied = await endpoint.send('PUT', '/main/copy', {
      pair,
      query: { uploadId: UploadId!, partNumber: '1' },
      headers: { 'x-amz-copy-source': 'main/secret' },
    });
    expect(copied.code).toBe('AccessDenied');
    expect((await postForm(pair)).status).toBe(204);
    const { core } = endpoint.service;
    for (const one of ['written', 'form']) await core.blobs.delete((await core.accounts.mainStorage('main'))!, one);
  });

  it('cannot write if the key may only read', async () => {
    const pair = await pairOfKey();
    await change({ scopes: ['blob:read'] });
    expect((await get(pair)).status).toBe(200);
    await expect(endpoint.client(pair).send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' }))).rejects.toEqual(denied);
    await expect(endpoint.client(pair).send(new CreateBucketCommand({ Bucket: 'more' }))).rejects.toEqual(denied);
    expect((await postForm(pair)).code).toBe('AccessDenied');
  });

  it('works only from the allowed addresses of the key', async () => {
    const pair = await pairOfKey();
    const address = await getSignedUrl(endpoint, pair, '/main/secret', 600);
    await change({ allowedIps: ['203.0.113.7'] });
    for (const headers of [{}, { 'X-Forwarded-For': '203.0.113.7' }] as Record<string, string>[]) {
      expect((await get(pair, headers)).code).toBe('AccessDenied');
      expect((await fetch(address, { headers })).status).toBe(403);
    }
    expect((await postForm(pair)).code).toBe('AccessDenied');
    await change({ allowedIps: ['::ffff:7f00:1', '::1'] });
    expect((await get(pair)).status).toBe(200);
  });
});

it('an S3 key pair without a creating key is independent of all keys', async () => {
  const pair = await endpoint.newPair();
  await revoke();
  expect((await get(pair)).status).toBe(200);
});

describe('the S3 endpoint behind a trusted proxy', () => {
  let behind: TestEndpoint;
  beforeAll(async () => void (behind = await TestEndpoint.start({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })));
  afterAll(() => behind.stop());

  it('uses the last address before the proxies as the client address', async () => {
    const allowed = await behind.service.core.keys.create('main', { name: 'far', scopes: FULL, allowedIps: ['203.0.113.7'] });
    const pair = await behind.newPair({ creator: { ...ADMIN_CREATOR, keyId: allowed.id } });
    const ask = async (forwarded?: string) =>
      (await behind.send('GET', '/main', { pair, headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded } }))
        .status;
    expect(await ask('203.0.113.7')).toBe(200);
    expect(await ask('203.0.113.7, 10.1.2.3')).toBe(200);
    expect(await ask('203.0.113.7:4711, 10.1.2.3:80')).toBe(200);
    expect(await ask('198.51.100.1, ::ffff:203.0.113.7')).toBe(200);
    for (const forged of ['203.0.113.7, 198.51.100.1', '203.0.113.7,', '198.51.100.1', 'unknown', undefined])
      expect([forged, await ask(forged)]).toEqual([forged, 403]);
  });

  it('trusts only the proxy about the scheme of Location', async () => {
    const location = async (one: TestEndpoint) => {
      const body = signedForm(one.pair, Bucket, { key: 'form' }, [{ key: 'form' }]);
      const response = await one.fetch('/main', { method: 'POST', body, headers: { 'X-Forwarded-Proto': 'https' } });
      return response.headers.get('location');
    };
    expect(await location(behind)).toMatch(/^https:\/\//);
    expect(await location(endpoint)).toMatch(/^http:\/\//);
  });
});
