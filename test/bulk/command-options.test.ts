import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { commandEnvironment, runSvcBlob } from './run-command.js';
import {
  client,
  listUnfinishedUploads,
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3Environment,
} from './s3-store.js';

describe('svc-blob', () => {
  it('lists and deletes unfinished uploads with --incomplete', async () => {
    const bucket = await createBucket();
    for (const Key of ['a/one', 'a/two', 'b']) await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
    const listing = await runSvcBlob('ls', '--incomplete', `s3://${bucket}`);
    expect(listing.stdout.split('\n').map((line) => line.slice(21))).toEqual(['a/one', 'a/two', 'b', '']);
    const json = JSON.parse((await runSvcBlob('ls', '--incomplete', '--json', `s3://${bucket}/b`)).stdout) as Record<
      string,
      unknown
    >;
    expect(json).toEqual({ key: 'b', uploadId: expect.any(String), initiated: expect.stringMatching(/^20.*Z$/) });

    // An upload that began a moment ago may still be running.
    expect(await runSvcBlob('rm', '-r', '--incomplete', `s3://${bucket}`)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('nothing to do'),
    });
    const all = ['rm', '--incomplete', '--older-than', '0'];
    expect(await runSvcBlob(...all, '-r', '-n', `s3://${bucket}/a`)).toMatchObject({ stderr: 'would delete 2 files\n' });
    expect(await runSvcBlob(...all, '-r', `s3://${bucket}/a`, '--exclude', 'two')).toMatchObject({ stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual(['a/two', 'b']);
    expect(await runSvcBlob(...all, `s3://${bucket}/b`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual(['a/two']);
    // Without -r, a bucket selects all its unfinished uploads and no object.
    expect(await runSvcBlob(...all, `s3://${bucket}`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('prints only the reason if it cannot start', async () => {
    const bucket = await createBucket();
    const overlap = await runSvcBlob('sync', `s3://${bucket}`, `s3://${bucket}/x`);
    expect(overlap).toMatchObject({ status: 2, stderr: expect.stringMatching(/^svc-blob: InvalidOption: s3:\/\/.* overlap/) });
    const missing = await runSvcBlob('cp', `s3://${bucket}/nope`, createFolder());
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('Check the name') });
  });

  it('continues without a journal if there is no writable home directory', async () => {
    const bucket = await createBucket();
    const file = join(createFolder(), 'a');
    writeFileSync(file, 'a');
    const runWithoutHome = (...args: string[]) => runCommand(args, { ...s3Environment(), HOME: '' });
    const copied = await runWithoutHome('cp', file, `s3://${bucket}`);
    expect(copied).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /^svc-blob: continuing without a journal: There is no home.*\n.*--state-dir.*\ncopied 1 file/,
      ),
    });
    expect(existsSync('.local')).toBe(false);
    // No folder can be created below a file.
    const unwritableHome = { ...s3Environment(), HOME: file };
    expect(await runCommand(['sync', dirname(file), `s3://${bucket}/x`], unwritableHome)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('continuing without a journal: The journal of this run cannot be written to'),
    });
    expect(await runCommand(['cp', file, `s3://${bucket}`, '-q'], unwritableHome)).toMatchObject({ status: 0, stderr: '' });
    const refused = await runCommand(['cp', file, `s3://${bucket}`, '--state-dir', join(file, 'j')], unwritableHome);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/JournalUnwritable: .*\n.*--state-dir/) });
    expect(await runWithoutHome('cp', file, `s3://${bucket}`, '--state-dir', createFolder())).toMatchObject({ status: 0 });
    expect(await runWithoutHome('ls', `s3://${bucket}`)).toMatchObject({ status: 0 });
  });

  it('lists buckets', async () => {
    const bucket = await createBucket();
    const { stdout, status } = await runSvcBlob('ls');
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}${bucket}$`, 'm'));
  });

  it('refuses an invalid pattern, address or duration', async () => {
    const badPattern = await runSvcBlob('cp', '-r', createFolder(), 's3://bucket', '--exclude', '[a');
    expect(badPattern).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--exclude <glob>' argument '[a' is invalid"),
    });
    expect(await runSvcBlob('ls', 's3://bucket', '--endpoint', 'localhost:9000')).toMatchObject({ status: 2 });
    expect(await runSvcBlob('rm', '-r', 's3://bucket', '--older-than', '1d')).toMatchObject({ status: 2 });
    expect(await runSvcBlob('rm', '-r', '--incomplete', 's3://bucket', '--older-than', '1 day')).toMatchObject({ status: 2 });
  });

  it('reports that standard output is full', async () => {
    const bucket = await createBucket();
    await createTransfer().upload(
      [
        {
          path: 'a',
          size: null,
          stream: () =>
            (async function* () {
              yield new TextEncoder().encode('bytes');
            })(),
        },
      ],
      { bucket, prefix: '' },
    );
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['dist/cli.js', 'cat', `s3://${bucket}/a`], {
      stdio: ['ignore', full, 'pipe'],
      env: { PATH: process.env['PATH'], ...commandEnvironment() },
    });
    const stderr = text(child.stderr!);
    expect(await once(child, 'close')).toEqual([1, null]);
    closeSync(full);
    expect(await stderr).toMatch(/cannot write to standard output: .*ENOSPC/);
  });

  it('omits existing targets from a dry run with --no-clobber', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    await runSvcBlob('cp', '-r', folder, `s3://${bucket}`);
    writeFileSync(join(folder, 'b'), 'b');
    const dry = await runSvcBlob('cp', '-r', folder, `s3://${bucket}`, '--no-clobber', '-n');
    expect(dry).toMatchObject({ status: 0, stdout: 'would upload b (1 B)\n' });
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(1);
  });
});

describe('the bandwidth option', () => {
  it('limits uploads and downloads to the given rate', async () => {
    const place = { bucket: await createBucket(), prefix: '' };
    const [source, target] = [createFolder(), createFolder()];
    writeFileSync(join(source, 'a'), randomBytes(4_000_000));
    const bulk = createTransfer({ bandwidth: 2_000_000 });
    for (const move of [() => bulk.upload(walk(source), place), () => bulk.download(place, new FolderTarget(target))]) {
      const startedAt = performance.now();
      expect(await move()).toMatchObject({ files: 1, failed: 0 });
      // 2 s in theory. The limiter does not delay the last piece of up to 0.5 MB, and allows a short burst.
      expect(performance.now() - startedAt).toBeGreaterThan(1400);
    }
  });
});
