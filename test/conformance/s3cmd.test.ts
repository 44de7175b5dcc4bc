import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { awkwardFolder, debianTool, digests, runTool } from './tools.js';

const s3cmd = debianTool('s3cmd');

describe.skipIf(s3cmd === undefined)('s3cmd', () => {
  let endpoint: TestEndpoint;
  let run: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
    const { accessKeyId, secretAccessKey } = endpoint.pair;
    const flags = [
      `--access_key=${accessKeyId}`,
      `--secret_key=${secretAccessKey}`,
      `--host=${endpoint.host}`,
      `--host-bucket=${endpoint.host}`,
    ];
    run = (...args) => runTool(s3cmd!, ['--config=/dev/null', '--no-ssl', '--no-progress', ...flags, ...args]);
  });
  afterAll(() => endpoint.stop());

  it('syncs a folder with unusual names and a large file in both directions', async () => {
    const folder = await awkwardFolder();
    const back = `${folder}-back`;
    await writeFile(join(folder, 'large.bin'), randomBytes(12 * 1024 ** 2));
    await run('mb', 's3://cmd-bucket');
    await run('sync', '--multipart-chunk-size-mb=5', `${folder}/`, 's3://cmd-bucket/awkward/');
    await run('sync', 's3://cmd-bucket/awkward/', `${back}/`);
    expect(await digests(back)).toEqual(await digests(folder));
    expect(await run('info', 's3://cmd-bucket/awkward/large.bin')).toContain('File size: 12582912');
    expect(await run('du', 's3://cmd-bucket')).toMatch(/^\s*\d+\s+\d+ objects/);
    await run('cp', 's3://cmd-bucket/awkward/plain.txt', 's3://cmd-bucket/copied.txt');
    await run('del', '--recursive', '--force', 's3://cmd-bucket');
    await run('rb', 's3://cmd-bucket');
  }, 120_000);
});
