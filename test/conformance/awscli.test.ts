import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { awkwardFolder, debianTool, digests, runTool } from './tools.js';

const aws = debianTool('awscli', '/usr/bin/aws');

describe.skipIf(aws === undefined)('the AWS command line', () => {
  let endpoint: TestEndpoint;
  let run: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
    const { accessKeyId, secretAccessKey } = endpoint.pair;
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_DEFAULT_REGION: 'us-east-1' };
    run = (...args) => runTool(aws!, ['--endpoint-url', endpoint.url, '--no-cli-pager', ...args], env);
  });
  afterAll(() => endpoint.stop());

  it('syncs a folder with unusual names in both directions', async () => {
    const folder = await awkwardFolder();
    const back = `${folder}-back`;
    await run('s3', 'sync', folder, 's3://main/awkward');
    await run('s3', 'sync', 's3://main/awkward', back);
    expect(await digests(back)).toEqual(await digests(folder));
    // A second run copies nothing.
    expect(await run('s3', 'sync', folder, 's3://main/awkward', '--size-only')).toBe('');
  }, 120_000);

  it('creates a bucket, uploads a large file in parts, copies, lists and deletes it', async () => {
    const folder = await awkwardFolder(['plain.txt']);
    const file = join(folder, 'large.bin');
    await writeFile(file, randomBytes(20 * 1024 ** 2));
    await run('s3', 'mb', 's3://cli-bucket');
    await run('s3', 'cp', file, 's3://cli-bucket/large.bin');
    await run('s3', 'cp', 's3://cli-bucket/large.bin', 's3://cli-bucket/copy of it.bin');
    await run('s3', 'mv', 's3://cli-bucket/copy of it.bin', 's3://main/moved.bin');
    await run('s3', 'cp', 's3://main/moved.bin', join(folder, 'again.bin'));
    expect((await readFile(join(folder, 'again.bin'))).equals(await readFile(file))).toBe(true);
    expect(await run('s3', 'ls', 's3://cli-bucket', '--summarize')).toContain('Total Size: 20971520');
    const attributes = JSON.parse(
      await run(
        's3api',
        'get-object-attributes',
        '--bucket',
        'cli-bucket',
        '--key',
        'large.bin',
        '--object-attributes',
        'ObjectParts',
        'ObjectSize',
      ),
    ) as { ObjectSize: number; ObjectParts: { TotalPartsCount: number } };
    expect([attributes.ObjectSize, attributes.ObjectParts.TotalPartsCount]).toEqual([20_971_520, 3]);
    await run('s3', 'rm', 's3://cli-bucket', '--recursive');
    await run('s3', 'rb', 's3://cli-bucket');
    expect(await run('s3', 'ls')).not.toContain('cli-bucket');
  }, 120_000);

  it('presigns a URL that anyone can fetch', async () => {
    await run(
      's3api',
      'put-object',
      '--bucket',
      'main',
      '--key',
      'ü +%.txt',
      '--body',
      import.meta.filename,
      '--checksum-algorithm',
      'SHA256',
    );
    const address = (await run('s3', 'presign', 's3://main/ü +%.txt', '--expires-in', '60')).trim();
    expect(await (await fetch(address)).text()).toBe(await readFile(import.meta.filename, 'utf8'));
  }, 60_000);
});
