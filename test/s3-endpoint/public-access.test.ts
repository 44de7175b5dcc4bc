import {
  CreateBucketCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';

let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
  await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'open', Body: 'for everyone', ACL: 'public-read' }));
  await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'closed', Body: 'secret' }));
  await s3.send(new CreateBucketCommand({ Bucket: 'open-bucket', ACL: 'public-read' }));
  await s3.send(new PutObjectCommand({ Bucket: 'open-bucket', Key: 'closed', Body: 'secret' }));
});
afterAll(() => endpoint.stop());

describe('an anonymous S3 client', () => {
  it('reads a public object and learns nothing else about its bucket', async () => {
    expect(await endpoint.fetch('/main/open')).toMatchObject({ status: 200, text: 'for everyone' });
    for (const path of [
      '/main/closed',
      '/main/never-there',
      '/main',
      '/main?list-type=2',
      '/',
      '/main/open?acl',
      '/main/open?tagging',
      '/open-bucket/closed',
    ])
      expect(await endpoint.fetch(path), path).toMatchObject({ status: 403, code: 'AccessDenied' });
    expect(await endpoint.fetch('/main/open?response-content-type=text/html')).toMatchObject({
      status: 400,
      code: 'InvalidRequest',
    });
  });

  it('cannot read a private object that replaces a public one during the request', async () => {
    const { blobs } = endpoint.service.core;
    const get = blobs.get.bind(blobs);
    await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'turns', Body: 'for everyone', ACL: 'public-read' }));
    const judged = vi.spyOn(blobs, 'get').mockImplementationOnce(async (...which) => {
      const file = await get(...which);
      await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'turns', Body: 'secret', ACL: 'private' }));
      return file;
    });
    expect(await endpoint.fetch('/main/turns')).toMatchObject({ status: 403, code: 'AccessDenied' });
    judged.mockRestore();
  });

  it('lists a public bucket', async () => {
    expect((await endpoint.fetch('/open-bucket?list-type=2')).text).toContain('<Key>closed</Key>');
    expect(await endpoint.fetch('/open-bucket/never-there')).toMatchObject({ status: 404, code: 'NoSuchKey' });
    expect(await endpoint.fetch('/open-bucket?uploads')).toMatchObject({ status: 403, code: 'AccessDenied' });
  });

  it('cannot write', async () => {
    for (const [method, path] of [
      ['PUT', '/main/open'],
      ['PUT', '/open-bucket/new'],
      ['POST', '/open-bucket/new?uploads'],
      ['POST', '/open-bucket?delete'],
      ['DELETE', '/main/open'],
      ['DELETE', '/open-bucket'],
      ['PUT', '/new-bucket'],
      ['PUT', '/main/open?acl'],
    ] as const)
      expect(
        await endpoint.fetch(path, { method, ...(method === 'DELETE' ? {} : { body: 'x' }) }),
        `${method} ${path}`,
      ).toMatchObject({
        status: 403,
        code: 'AccessDenied',
      });
  });
});

describe('an access control list', () => {
  it('is private or public-read, over S3 and REST', async () => {
    const acl = await s3.send(new GetObjectAclCommand({ Bucket: 'main', Key: 'open' }));
    expect(acl.Grants!.map((one) => [one.Grantee!.URI ?? one.Grantee!.ID, one.Permission])).toEqual([
      ['http://acs.amazonaws.com/groups/global/AllUsers', 'READ'],
      ['main', 'FULL_CONTROL'],
    ]);
    expect((await s3.send(new GetBucketAclCommand({ Bucket: 'main' }))).Grants).toHaveLength(1);
    await s3.send(new PutObjectAclCommand({ Bucket: 'main', Key: 'open', ACL: 'private' }));
    expect((await endpoint.fetch('/main/open')).status).toBe(403);
    await s3.send(new PutObjectAclCommand({ Bucket: 'main', Key: 'open', ACL: 'public-read' }));
    const rest = await fetch(`${endpoint.restUrl}/v1/files?prefix=`, { headers: { authorization: `Bearer ${endpoint.apiKey}` } });
    const { response } = (await rest.json()) as { response: { files: { path: string; visibility: string }[] } };
    expect(response.files.find((file) => file.path === 'open')!.visibility).toBe('public');
    await expect(
      s3.send(new PutObjectAclCommand({ Bucket: 'main', Key: 'open', ACL: 'public-read-write' })),
    ).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });

  it('allows key pairs of other accounts to read public objects', async () => {
    await endpoint.service.core.accounts.ensure('stranger');
    const stranger = endpoint.client(await endpoint.newPair({}, 'stranger'));
    const received = await stranger.send(new GetObjectCommand({ Bucket: 'main', Key: 'open' }));
    expect(await received.Body!.transformToString()).toBe('for everyone');
    await expect(stranger.send(new GetObjectCommand({ Bucket: 'main', Key: 'closed' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await expect(stranger.send(new PutObjectCommand({ Bucket: 'open-bucket', Key: 'x', Body: 'x' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });
});
