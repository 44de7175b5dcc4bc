import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { awkwardFolder, debianTool, digests, runTool } from './tools.js';

const restic = debianTool('restic');

describe.skipIf(restic === undefined)('restic', () => {
  let endpoint: TestEndpoint;
  let run: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
    const env = {
      AWS_ACCESS_KEY_ID: endpoint.pair.accessKeyId,
      AWS_SECRET_ACCESS_KEY: endpoint.pair.secretAccessKey,
      RESTIC_REPOSITORY: `s3:${endpoint.url}/backups/repository`,
      RESTIC_PASSWORD: 'a password',
    };
    run = (...args) => runTool(restic!, args, env);
  });
  afterAll(() => endpoint.stop());

  it('writes, checks, restores and prunes a repository', async () => {
    const folder = await awkwardFolder();
    await writeFile(join(folder, 'large.bin'), randomBytes(20 * 1024 ** 2));
    await run('init');
    await run('backup', folder);
    await writeFile(join(folder, 'plain.txt'), 'changed');
    await run('backup', folder);
    await run('check', '--read-data');
    const target = `${folder}-restored`;
    await run('restore', 'latest', '--target', target);
    expect(await digests(join(target, folder))).toEqual(await digests(folder));
    await run('forget', '--keep-last', '1', '--prune');
    await run('check');
  }, 120_000);
});
