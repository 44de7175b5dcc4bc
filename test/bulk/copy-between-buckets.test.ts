import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { ObjectProperties, Place } from '../../src/bulk/types.js';
import { client, createBucket, createFolder, createTransfer } from './s3-store.js';

const MiB = 1024 * 1024;

const put = (Bucket: string, Key: string, Body: string | Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body }));

describe('BulkTransfer.copy', () => {
  it('replaces the given properties and keeps the others', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    const source = createFolder();
    writeFileSync(join(source, 'big'), randomBytes(6 * MiB));
    writeFileSync(join(source, 'page'), '<p>');
    const sourceProperties = { contentType: 'text/html', cacheControl: 'no-cache', metadata: { colour: 'dark', team: 'ops' } };
    await bulk.upload(walk(source), { bucket, prefix: 'in/' }, { properties: sourceProperties });
    const copy = (prefix: string, properties: ObjectProperties) =>
      bulk.copy({ bucket, prefix: 'in/' }, { bucket, prefix }, { properties, multipartThreshold: 5 * MiB });
    expect(await copy('class/', { storageClass: 'STANDARD' })).toMatchObject({ files: 2, failures: [] });
    expect(await copy('cache/', { cacheControl: 'max-age=9', metadata: { team: 'dev' } })).toMatchObject({ files: 2 });
    expect(await copy('in/', { contentType: 'text/plain' })).toMatchObject({ files: 2, failures: [] });
    for (const name of ['page', 'big']) {
      const head = (prefix: string) => client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + name }));
      const mtime = expect.stringMatching(/^\d+\.\d{9}$/);
      expect(await head('class/')).toMatchObject({
        ContentType: 'text/html',
        CacheControl: 'no-cache',
        Metadata: { colour: 'dark', team: 'ops', mtime },
      });
      expect(await head('cache/')).toMatchObject({
        ContentType: 'text/html',
        CacheControl: 'max-age=9',
        Metadata: { colour: 'dark', team: 'dev', mtime },
      });
      expect(await head('in/')).toMatchObject({
        ContentType: 'text/plain',
        CacheControl: 'no-cache',
        Metadata: { colour: 'dark', team: 'ops', mtime },
      });
    }
  });

  it('refuses a target inside the source', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    await put(bucket, 'q/a', 'a');
    const [outer, inner] = ['q/', 'q/z/'].map((prefix) => ({ bucket, prefix })) as [Place, Place];
    const overlap = { code: 'InvalidOption', message: expect.stringContaining(`s3://${bucket}/`) };
    await expect(bulk.copy(outer, inner)).rejects.toMatchObject(overlap);
    await expect(bulk.copy({ bucket, prefix: '' }, inner)).rejects.toMatchObject(overlap);
    await expect(bulk.syncWithin(inner, outer, { delete: true })).rejects.toMatchObject(overlap);
    expect(await bulk.copy(outer, { bucket, prefix: 'qq/' })).toMatchObject({ files: 1, failed: 0 });
  });

  it('copies objects to another bucket, whole and in parts', async () => {
    const bucket = await createBucket();
    const other = await createBucket();
    const bulk = createTransfer();
    const source = createFolder();
    writeFileSync(join(source, 'big'), randomBytes(12 * MiB));
    writeFileSync(join(source, 'a b+c'), 'x');
    await bulk.upload(walk(source), { bucket, prefix: 'in/' });
    expect(await bulk.copy({ bucket, prefix: 'in/' }, { bucket: other, prefix: 'out/' })).toMatchObject({ files: 2, failed: 0 });
    expect(
      await bulk.copy({ bucket, prefix: 'in/' }, { bucket: other, prefix: 'parts/' }, { multipartThreshold: MiB }),
    ).toMatchObject({ files: 2 });
    for (const prefix of ['out/', 'parts/'])
      expect(await bulk.verify(() => walk(source, { sorted: true }), { bucket: other, prefix })).toMatchObject({
        files: 2,
        failed: 0,
      });
  });
});
