import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { svcBlob } from '../cli/support.js';
import { client, listObjects, createBucket, createTransfer, s3Environment } from './s3-store.js';

describe('copies from a prefix to one above it', () => {
  let bucket: string;
  let bulk: BulkTransfer;
  beforeEach(async () => {
    bucket = await createBucket();
    bulk = createTransfer();
  });
  const place = (prefix: string) => ({ bucket, prefix });
  /** Objects whose bytes tell where they were. */
  const put = async (...keys: string[]) => {
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  };
  const contents = async () => {
    const found: Record<string, string> = {};
    for (const { key } of await listObjects(bulk, bucket)) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      found[key] = await Body!.transformToString();
    }
    return found;
  };

  it('replace nothing that is still to be copied, and say so in a dry run', async () => {
    const deep = Array.from({ length: 8 }, (_, i) => `ov/${'s/'.repeat(i + 1)}x`);
    await put(...deep, 'ov/s/sx', 'ov/s/y');
    const before = await contents();
    const refused = deep.slice(1).sort();
    for (const options of [{ dryRun: true }, {}, { paths: ['s/s/x', 'x', 's/x', 'y', 'sx'] }]) {
      const summary = await bulk.copy(place('ov/s/'), place('ov/'), options);
      const wanted = 'paths' in options ? ['ov/s/s/s/x', 'ov/s/s/x'] : refused;
      expect(summary).toMatchObject({ files: 3, failed: wanted.length });
      expect(summary.failures.map(({ name }) => name).sort()).toEqual(wanted);
      for (const { code, message } of summary.failures)
        expect([code, message]).toEqual(['InvalidOption', expect.stringContaining('Copy to another prefix first')]);
      if ('dryRun' in options) expect(await contents()).toEqual(before);
    }
    expect(await contents()).toEqual({ ...before, 'ov/x': 'ov/s/x', 'ov/sx': 'ov/s/sx', 'ov/y': 'ov/s/y' });
  });

  it('go all the way where nothing meets, and where names but begin alike', async () => {
    await put('a/sub/x', 'a/sub/t/sub/y', 'a/subs');
    const before = await contents();
    expect(await bulk.copy(place('a/sub/'), place('a/'))).toMatchObject({ files: 2, failed: 0 });
    expect(await contents()).toEqual({ ...before, 'a/x': 'a/sub/x', 'a/t/sub/y': 'a/sub/t/sub/y' });
    // Without slashes, prefixes are the beginnings of keys: p+p would become p.
    await put('p', 'pp', 'pq');
    const summary = await bulk.copy(place('p'), place(''), { filter: (path) => path !== '' });
    expect(summary).toMatchObject({ files: 1, failures: [{ name: 'pp', code: 'InvalidOption' }] });
    expect(await contents()).toMatchObject({ p: 'p', pp: 'pp', q: 'pq' });
  });

  it('by the command end with status 1 and one reason for all', async () => {
    await put('ov/s/x', 'ov/s/s/x', 'ov/s/s/s/x');
    const { status, stderr } = await svcBlob(['cp', '-r', `s3://${bucket}/ov/s`, `s3://${bucket}/ov`], s3Environment());
    expect(status).toBe(1);
    expect(stderr.split('InvalidOption: … would be copied below ov/s/, which is being copied.')).toHaveLength(2);
    for (const [from, to] of [
      ['ov/s', 'elsewhere'],
      ['elsewhere', 'ov'],
    ])
      expect(await svcBlob(['cp', '-r', `s3://${bucket}/${from}`, `s3://${bucket}/${to}`], s3Environment())).toMatchObject({
        status: 0,
      });
    expect(await contents()).toMatchObject({ 'ov/x': 'ov/s/x', 'ov/s/x': 'ov/s/s/x', 'ov/s/s/x': 'ov/s/s/s/x' });
  });

  it('are known by a bucket that is written in capitals, where it is the name of a host', async () => {
    const hosts = createTransfer({ endpoint: 'http://localhost:1', pathStyle: false });
    const [low, high] = ['main', 'MAIN'] as const;
    const overlap = { code: 'InvalidOption', message: expect.stringContaining('overlap') };
    await expect(hosts.copy({ bucket: low, prefix: 'a/' }, { bucket: high, prefix: 'a/b/' })).rejects.toMatchObject(overlap);
    await expect(hosts.syncWithin({ bucket: high, prefix: 'a/b/' }, { bucket: low, prefix: 'a/' }, {})).rejects.toMatchObject(
      overlap,
    );
  });

  it('pass over the empty object that marks the folder itself, which a bucket has not', async () => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'd/', Body: new Uint8Array() }));
    await put('d/x');
    for (const options of [{ dryRun: true }, {}])
      expect(await bulk.copy(place('d/'), place(''), options)).toMatchObject({ files: 1, failed: 0 });
    // Elsewhere it marks that folder.
    expect(await bulk.copy(place('d/'), place('e/'))).toMatchObject({ files: 2, failed: 0 });
    expect((await listObjects(bulk, bucket)).map(({ key }) => key)).toEqual(['d/', 'd/x', 'e/', 'e/x', 'x']);
    // One with bytes is somebody's file.
    await put('d/');
    expect(await bulk.copy(place('d/'), place(''))).toMatchObject({ files: 1, failures: [{ code: 'NameUnsafe' }] });
  });
});
