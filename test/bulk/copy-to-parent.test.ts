import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { client, listObjects, createBucket, createTransfer, s3Environment } from './s3-store.js';

describe('copying a prefix into its parent', () => {
  let bucket: string;
  let bulk: BulkTransfer;
  beforeEach(async () => {
    bucket = await createBucket();
    bulk = createTransfer();
  });
  const place = (prefix: string) => ({ bucket, prefix });
  /** Stores objects that contain their own keys. */
  const put = async (...keys: string[]) => {
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  };
  const readAll = async () => {
    const found: Record<string, string> = {};
    for (const { key } of await listObjects(bulk, bucket)) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      found[key] = await Body!.transformToString();
    }
    return found;
  };

  it('fails objects whose target lies inside the source, also in a dry run', async () => {
    const deep = Array.from({ length: 8 }, (_, i) => `ov/${'s/'.repeat(i + 1)}x`);
    await put(...deep, 'ov/s/sx', 'ov/s/y');
    const before = await readAll();
    const refused = deep.slice(1).sort();
    for (const options of [{ dryRun: true }, {}, { paths: ['s/s/x', 'x', 's/x', 'y', 'sx'] }]) {
      const summary = await bulk.copy(place('ov/s/'), place('ov/'), options);
      const expected = 'paths' in options ? ['ov/s/s/s/x', 'ov/s/s/x'] : refused;
      expect(summary).toMatchObject({ files: 3, failed: expected.length });
      expect(summary.failures.map(({ name }) => name).sort()).toEqual(expected);
      for (const { code, message } of summary.failures)
        expect([code, message]).toEqual(['InvalidOption', expect.stringContaining('Copy to another prefix first')]);
      if ('dryRun' in options) expect(await readAll()).toEqual(before);
    }
    expect(await readAll()).toEqual({ ...before, 'ov/x': 'ov/s/x', 'ov/sx': 'ov/s/sx', 'ov/y': 'ov/s/y' });
  });

  it('copies everything if no target is a source, and compares keys without slashes as plain prefixes', async () => {
    await put('a/sub/x', 'a/sub/t/sub/y', 'a/subs');
    const before = await readAll();
    expect(await bulk.copy(place('a/sub/'), place('a/'))).toMatchObject({ files: 2, failed: 0 });
    expect(await readAll()).toEqual({ ...before, 'a/x': 'a/sub/x', 'a/t/sub/y': 'a/sub/t/sub/y' });
    // A prefix without a slash matches the start of keys, so pp would become p.
    await put('p', 'pp', 'pq');
    const summary = await bulk.copy(place('p'), place(''), { filter: (path) => path !== '' });
    expect(summary).toMatchObject({ files: 1, failures: [{ name: 'pp', code: 'InvalidOption' }] });
    expect(await readAll()).toMatchObject({ p: 'p', pp: 'pp', q: 'pq' });
  });

  it('with svc-blob cp exits with 1 and prints the reason once', async () => {
    await put('ov/s/x', 'ov/s/s/x', 'ov/s/s/s/x');
    const { status, stderr } = await runCommand(['cp', '-r', `s3://${bucket}/ov/s`, `s3://${bucket}/ov`], s3Environment());
    expect(status).toBe(1);
    expect(stderr.split('InvalidOption: … would be copied below ov/s/, which is being copied.')).toHaveLength(2);
    for (const [from, to] of [
      ['ov/s', 'elsewhere'],
      ['elsewhere', 'ov'],
    ])
      expect(await runCommand(['cp', '-r', `s3://${bucket}/${from}`, `s3://${bucket}/${to}`], s3Environment())).toMatchObject({
        status: 0,
      });
    expect(await readAll()).toMatchObject({ 'ov/x': 'ov/s/x', 'ov/s/x': 'ov/s/s/x', 'ov/s/s/x': 'ov/s/s/s/x' });
  });

  it('is recognized if the bucket differs only in case and is part of the host name', async () => {
    const virtualHosted = createTransfer({ endpoint: 'http://localhost:1', pathStyle: false });
    const [lowerCase, upperCase] = ['main', 'MAIN'] as const;
    const overlap = { code: 'InvalidOption', message: expect.stringContaining('overlap') };
    await expect(
      virtualHosted.copy({ bucket: lowerCase, prefix: 'a/' }, { bucket: upperCase, prefix: 'a/b/' }),
    ).rejects.toMatchObject(overlap);
    await expect(
      virtualHosted.syncWithin({ bucket: upperCase, prefix: 'a/b/' }, { bucket: lowerCase, prefix: 'a/' }, {}),
    ).rejects.toMatchObject(overlap);
  });

  it('skips the folder marker if the target is the root of the bucket', async () => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'd/', Body: new Uint8Array() }));
    await put('d/x');
    for (const options of [{ dryRun: true }, {}])
      expect(await bulk.copy(place('d/'), place(''), options)).toMatchObject({ files: 1, failed: 0 });
    // In another prefix, it marks that folder.
    expect(await bulk.copy(place('d/'), place('e/'))).toMatchObject({ files: 2, failed: 0 });
    expect((await listObjects(bulk, bucket)).map(({ key }) => key)).toEqual(['d/', 'd/x', 'e/', 'e/x', 'x']);
    // A marker with content is a file of another program.
    await put('d/');
    expect(await bulk.copy(place('d/'), place(''))).toMatchObject({ files: 1, failures: [{ code: 'NameUnsafe' }] });
  });
});
