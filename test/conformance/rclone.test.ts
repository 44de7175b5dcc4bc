import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { awkwardFolder, debianTool, digests, runTool } from './tools.js';

const rclone = debianTool('rclone');

describe.skipIf(rclone === undefined)('rclone', () => {
  let endpoint: TestEndpoint;
  let run: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
    const env = {
      RCLONE_CONFIG_HERE_TYPE: 's3',
      RCLONE_CONFIG_HERE_PROVIDER: 'Other',
      RCLONE_CONFIG_HERE_ENDPOINT: endpoint.url,
      RCLONE_CONFIG_HERE_ACCESS_KEY_ID: endpoint.pair.accessKeyId,
      RCLONE_CONFIG_HERE_SECRET_ACCESS_KEY: endpoint.pair.secretAccessKey,
    };
    run = (...args) => runTool(rclone!, ['--s3-chunk-size=5Mi', '--s3-upload-cutoff=6Mi', '--retries=1', ...args], env);
  });
  afterAll(() => endpoint.stop());

  it('copies and checks a folder with unusual names and a large file in both directions', async () => {
    const folder = await awkwardFolder();
    const back = `${folder}-back`;
    await writeFile(join(folder, 'large.bin'), randomBytes(12 * 1024 ** 2));
    await run('copy', folder, 'here:rclone-bucket/awkward');
    await run('check', '--download', folder, 'here:rclone-bucket/awkward');
    await run('copy', 'here:rclone-bucket/awkward', back);
    expect(await digests(back)).toEqual(await digests(folder));
    expect(await run('sync', '-v', folder, 'here:rclone-bucket/awkward')).toBe('');
    await run('moveto', 'here:rclone-bucket/awkward/plain.txt', 'here:rclone-bucket/awkward/renamed äöü.txt');
    expect(await run('lsf', 'here:rclone-bucket/awkward')).toContain('renamed äöü.txt');
    await run('purge', 'here:rclone-bucket');
  }, 120_000);
});
