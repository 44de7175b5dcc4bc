import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectTaggingCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { commandEnvironment, runSvcBlob } from './run-command.js';
import { client, createBucket, createTransfer, createFolder, s3, createSortedSource } from './s3-store.js';

const MiB = 1024 * 1024;

describe('object properties', () => {
  let folder: string;
  let bucket: string;
  beforeEach(async () => {
    folder = createFolder();
    writeFileSync(join(folder, 'small'), 'small');
    writeFileSync(join(folder, 'big'), randomBytes(11 * MiB));
    bucket = await createBucket();
  });

  it('are stored for small and multipart files', async () => {
    const flags = ['--tags', 'team=ops&a b=c%26d', '--content-language', 'de', '--expires', '2030-01-31T12:00:00Z'];
    expect(await runSvcBlob('cp', '-r', folder, `s3://${bucket}`, '--part-size', '5MiB', ...flags)).toMatchObject({
      status: 0,
    });
    for (const Key of ['small', 'big']) {
      const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key }));
      expect(head).toMatchObject({ ContentLanguage: 'de', ExpiresString: 'Thu, 31 Jan 2030 12:00:00 GMT' });
      const { TagSet } = await client.send(new GetObjectTaggingCommand({ Bucket: bucket, Key }));
      expect(TagSet!.map((tag) => `${tag.Key}=${tag.Value}`).sort()).toEqual(['a b=c&d', 'team=ops']);
    }
  });

  it.each([
    { metadata: { title: 'caf\u00e9' } },
    { metadata: { title: 'a\r\nx-amz-acl: public-read' } },
    { metadata: { title: '\u010a' } },
    { metadata: { 'a b': 'c' } },
    { cacheControl: 'no-store\n' },
  ])('are refused by name if no header can contain them: %j', async (properties) => {
    const [bulk, to] = [createTransfer(), { bucket, prefix: '' }];
    const refused = { code: 'InvalidOption', message: expect.stringMatching(/title|a b|cacheControl/) };
    await expect(bulk.upload(walk(folder), to, { properties })).rejects.toMatchObject(refused);
    await expect(bulk.syncUp(createSortedSource(folder), to, { properties })).rejects.toMatchObject(refused);
    await expect(bulk.copy(to, { ...to, prefix: 'b/' }, { properties })).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin(to, { ...to, prefix: 'b/' }, { properties })).rejects.toMatchObject(refused);
    expect(() => bulk.uploadSession(to, { properties })).toThrow(expect.objectContaining(refused));
    const brokenContentType = { contentType: (key: string) => (key === 'big' ? 'a/b\r\nx: y' : undefined) };
    expect(await bulk.upload(walk(folder), to, brokenContentType)).toMatchObject({
      files: 1,
      failures: [{ name: 'big', code: 'InvalidOption' }],
    });
  });

  it('with the ACL public-read allow unsigned downloads', async () => {
    expect(await runSvcBlob('cp', join(folder, 'small'), `s3://${bucket}/open`, '--acl', 'public-read')).toMatchObject({
      status: 0,
    });
    expect(await runSvcBlob('cp', join(folder, 'small'), `s3://${bucket}/closed`)).toMatchObject({ status: 0 });
    const withoutCredentials = { AWS_ENDPOINT_URL: s3.endpoint, AWS_EC2_METADATA_DISABLED: 'true', HOME: createFolder() };
    const anonymous = (...args: string[]) => runCommand([...args, '--no-sign-request'], withoutCredentials);
    expect(await anonymous('cat', `s3://${bucket}/open`)).toMatchObject({ status: 0, stdout: 'small' });
    const target = join(createFolder(), 'small');
    expect(await anonymous('cp', `s3://${bucket}/open`, target)).toMatchObject({ status: 0 });
    expect(readFileSync(target, 'utf8')).toBe('small');
    expect(await anonymous('cat', `s3://${bucket}/closed`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('AccessDenied'),
    });
    // rm uses the SDK, which must not sign either.
    expect((await anonymous('rm', `s3://${bucket}/open`)).status).toBe(1);
    expect((await runCommand(['cat', `s3://${bucket}/open`], withoutCredentials)).stderr).toContain('CredentialsMissing');
  });

  it('are sent with every request that creates an object', async () => {
    await runSvcBlob('cp', join(folder, 'small'), `s3://${bucket}/from`);
    await using proxy = await startFaultProxy(s3.endpoint);
    const refuse = (method: string, path: RegExp) => proxy.on({ method, path, fault: { respond: { status: 403 } } });
    const refused = [refuse('PUT', /small/), refuse('POST', /uploads/), refuse('PUT', /copy/)];
    const flags = [
      '--sse-kms-key-id',
      'key-1',
      '--acl',
      'bucket-owner-full-control',
      '--tags',
      'a=1',
      '--storage-class',
      'STANDARD',
    ];
    const throughProxy = commandEnvironment(proxy.url);
    await runCommand(['cp', '-r', folder, `s3://${bucket}`, '--part-size', '5MiB', ...flags], throughProxy);
    await runCommand(['cp', `s3://${bucket}/from`, `s3://${bucket}/copy`, ...flags], throughProxy);
    expect(refused.map(({ hits }) => hits)).toEqual([1, 1, 1]);
    for (const { headers } of proxy.requests.filter(({ faulted }) => faulted)) {
      expect(headers).toMatchObject({
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
        'x-amz-acl': 'bucket-owner-full-control',
        'x-amz-tagging': 'a=1',
        'x-amz-storage-class': 'STANDARD',
      });
      expect(headers.authorization).toContain('x-amz-server-side-encryption-aws-kms-key-id;');
      // Without the directive, the store keeps the other properties of the source.
      expect(headers['x-amz-metadata-directive']).toBeUndefined();
    }
  });

  it('are refused if they contradict each other or are invalid', async () => {
    for (const invalidFlags of [
      ['--sse', 'AES256', '--sse-kms-key-id', 'k'],
      ['--sse', 'mine'],
      ['--acl', 'everybody'],
      ['--tags', '=b'],
      ['--expires', 'tomorrow'],
    ])
      expect([invalidFlags, (await runSvcBlob('cp', '-r', folder, `s3://${bucket}`, ...invalidFlags)).status]).toEqual([
        invalidFlags,
        2,
      ]);
  });
});
