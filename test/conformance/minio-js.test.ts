import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'minio';
import type { BucketItem } from 'minio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { AWKWARD_NAMES, awkwardFolder } from './tools.js';

describe('minio-js', () => {
  let endpoint: TestEndpoint;
  let minio: Client;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
    const { hostname, port } = new URL(endpoint.url);
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = endpoint.pair;
    minio = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey, partSize: 5 * 1024 ** 2 });
    await minio.makeBucket('minio-bucket');
  });
  afterAll(() => endpoint.stop());

  const names = async (prefix: string) => {
    const found: string[] = [];
    for await (const item of minio.listObjectsV2('minio-bucket', prefix, true)) found.push((item as BucketItem).name!);
    return found;
  };

  it('uploads, lists, reads and deletes objects with unusual names', async () => {
    const folder = await awkwardFolder();
    for (const name of AWKWARD_NAMES) await minio.fPutObject('minio-bucket', `a/${name}`, join(folder, name));
    expect((await names('a/')).toSorted()).toEqual(AWKWARD_NAMES.map((name) => `a/${name}`).toSorted());
    for (const name of AWKWARD_NAMES) {
      const back = join(folder, 'back');
      await minio.fGetObject('minio-bucket', `a/${name}`, back);
      expect((await readFile(back)).equals(await readFile(join(folder, name))), name).toBe(true);
    }
    await minio.removeObjects(
      'minio-bucket',
      AWKWARD_NAMES.map((name) => `a/${name}`),
    );
    expect(await names('a/')).toEqual([]);
  });

  it('uploads in parts, reads a range, copies, tags and presigns', async () => {
    const folder = await awkwardFolder();
    const bytes = randomBytes(12 * 1024 ** 2);
    await writeFile(join(folder, 'large.bin'), bytes);
    await minio.fPutObject('minio-bucket', 'large.bin', join(folder, 'large.bin'), { 'X-Amz-Meta-One': '1' });
    const stat = await minio.statObject('minio-bucket', 'large.bin');
    expect([stat.size, stat.metaData['one'], stat.etag.endsWith('-3')]).toEqual([bytes.length, '1', true]);
    const piece: Buffer[] = [];
    for await (const chunk of await minio.getPartialObject('minio-bucket', 'large.bin', 6_000_000, 1000))
      piece.push(chunk as Buffer);
    expect(Buffer.concat(piece).equals(bytes.subarray(6_000_000, 6_001_000))).toBe(true);
    await minio.copyObject('minio-bucket', 'copy of it', '/minio-bucket/large.bin');
    await minio.setObjectTagging('minio-bucket', 'copy of it', { kind: 'copy' });
    expect(await minio.getObjectTagging('minio-bucket', 'copy of it')).toEqual([{ Key: 'kind', Value: 'copy' }]);
    const address = await minio.presignedGetObject('minio-bucket', 'copy of it', 60);
    expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(bytes)).toBe(true);
    const put = await minio.presignedPutObject('minio-bucket', 'put by address', 60);
    expect((await fetch(put, { method: 'PUT', body: 'text' })).status).toBe(200);
  });

  it('creates the policy of a form that a browser can post', async () => {
    const policy = minio.newPostPolicy();
    policy.setBucket('minio-bucket');
    policy.setKeyStartsWith('form/');
    policy.setExpires(new Date(Date.now() + 60_000));
    policy.setContentLengthRange(1, 100);
    const { postURL, formData } = await minio.presignedPostPolicy(policy);
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...formData, key: 'form/posted' })) form.append(name, String(value));
    form.append('file', new Blob(['posted']), 'a.txt');
    expect((await fetch(postURL, { method: 'POST', body: form })).status).toBe(204);
    expect((await minio.statObject('minio-bucket', 'form/posted')).size).toBe(6);
  });
});
