import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { progressLines } from '../../server/cli/bulk/progress-view.js';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import { start, svcBlob } from '../cli/support.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  client,
  listUnfinishedUploads,
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3,
  s3Environment,
} from './s3-store.js';

const MiB = 1024 * 1024;
const state = createFolder();
const environment = (endpoint?: string) => ({ ...s3Environment(endpoint ?? s3.endpoint), XDG_STATE_HOME: state });
const svc = (...args: string[]) => svcBlob(args, environment());
const exit = (child: ReturnType<typeof start>) => new Promise((resolve) => child.once('exit', resolve));

describe('commands', () => {
  it('list uploads that nobody ended, and end them', async () => {
    const bucket = await createBucket();
    for (const Key of ['a/one', 'a/two', 'b']) await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
    const shown = await svc('ls', '--incomplete', `s3://${bucket}`);
    expect(shown.stdout.split('\n').map((line) => line.slice(21))).toEqual(['a/one', 'a/two', 'b', '']);
    const json = JSON.parse((await svc('ls', '--incomplete', '--json', `s3://${bucket}/b`)).stdout) as Record<string, unknown>;
    expect(json).toEqual({ key: 'b', uploadId: expect.any(String), initiated: expect.stringMatching(/^20.*Z$/) });

    // What was begun a moment ago may still be under way.
    expect(await svc('rm', '-r', '--incomplete', `s3://${bucket}`)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('nothing to do'),
    });
    const all = ['rm', '--incomplete', '--older-than', '0'];
    expect(await svc(...all, '-r', '-n', `s3://${bucket}/a`)).toMatchObject({ stderr: 'would delete 2 files\n' });
    expect(await svc(...all, '-r', `s3://${bucket}/a`, '--exclude', 'two')).toMatchObject({ stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual(['a/two', 'b']);
    expect(await svc(...all, `s3://${bucket}/b`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual(['a/two']);
    // As ls --incomplete does, and no object goes with them.
    expect(await svc(...all, `s3://${bucket}`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('that never began say no more than why', async () => {
    const bucket = await createBucket();
    const overlap = await svc('sync', `s3://${bucket}`, `s3://${bucket}/x`);
    expect(overlap).toMatchObject({ status: 2, stderr: expect.stringMatching(/^svc-blob: InvalidOption: s3:\/\/.* overlap/) });
    const missing = await svc('cp', `s3://${bucket}/nope`, createFolder());
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('Check the name') });
  });

  it('without a home directory, or one that can be written to, say what they need it for and go on', async () => {
    const bucket = await createBucket();
    const file = join(createFolder(), 'a');
    writeFileSync(file, 'a');
    const homeless = (...args: string[]) => svcBlob(args, { ...s3Environment(), HOME: '' });
    const copied = await homeless('cp', file, `s3://${bucket}`);
    expect(copied).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /^svc-blob: continuing without a journal: There is no home.*\n.*--state-dir.*\ncopied 1 file/,
      ),
    });
    expect(existsSync('.local')).toBe(false);
    // Below a file there can be no folder.
    const shut = { ...s3Environment(), HOME: file };
    expect(await svcBlob(['sync', dirname(file), `s3://${bucket}/x`], shut)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('continuing without a journal: The journal of this run cannot be written to'),
    });
    expect(await svcBlob(['cp', file, `s3://${bucket}`, '-q'], shut)).toMatchObject({ status: 0, stderr: '' });
    const said = await svcBlob(['cp', file, `s3://${bucket}`, '--state-dir', join(file, 'j')], shut);
    expect(said).toMatchObject({ status: 1, stderr: expect.stringMatching(/JournalUnwritable: .*\n.*--state-dir/) });
    expect(await homeless('cp', file, `s3://${bucket}`, '--state-dir', createFolder())).toMatchObject({ status: 0 });
    expect(await homeless('ls', `s3://${bucket}`)).toMatchObject({ status: 0 });
  });

  it('list buckets', async () => {
    const bucket = await createBucket();
    const { stdout, status } = await svc('ls');
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}${bucket}$`, 'm'));
  });

  it('end when they are told to, whoever keeps them waiting', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    writeFileSync(join(folder, 'big'), randomBytes(9 * MiB));
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    for (const args of [
      ['cp', '-', `s3://${bucket}/in`, '--json'],
      ['cp', '--files-from', '-', folder, `s3://${bucket}/x`, '--json'],
      ['rm', '--files-from', '-', `s3://${bucket}`, '--json'],
      ['cat', `s3://${bucket}/big`],
    ]) {
      // What it says first, its progress or the object, shows that it is at work; the rest is not taken.
      const child = start(args, environment(), 'pipe');
      await new Promise((resolve) => child.stdout.once('data', resolve));
      child.stdout.pause();
      child.kill('SIGTERM');
      expect([args[0], await exit(child)]).toEqual([args[0], 130]);
    }
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('promise to go on where they stopped only where they do', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    const file = join(folder, 'big');
    writeFileSync(file, randomBytes(9 * MiB));
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ path: /big/, fault: { delay: 60_000 } });
    const [promised, none] = ['Run the same command again. It resumes where it stopped.\n', 'Run the same command again.\n'];
    for (const [args, advised] of [
      [['cp', file, `s3://${bucket}`], promised],
      [['cp', '-r', `s3://${bucket}`, createFolder()], promised],
      [['cp', '--no-resume', file, `s3://${bucket}`], none],
      [['cat', `s3://${bucket}/big`], none],
      [['cp', `s3://${bucket}/big`, '-'], none],
    ] as const) {
      const child = start([...args], environment(proxy.url));
      let said = '';
      child.stderr.on('data', (text) => (said += text));
      const asked = () => proxy.requests.filter(({ path }) => path.includes('big')).length;
      const before = asked();
      while (asked() === before) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill('SIGINT');
      expect([args, await new Promise((resolve) => child.once('close', resolve))]).toEqual([args, 130]);
      expect([args, said.slice(said.indexOf('svc-blob: '))]).toEqual([
        args,
        `svc-blob: Aborted: The transfer was stopped.\n${advised}`,
      ]);
    }
    const nowhere = { ...environment('http://127.0.0.1:1'), AWS_REGION: 'us-east-1' };
    for (const [args, goesOn] of [
      [['cat', `s3://${bucket}/big`], false],
      [['cp', '-r', folder, `s3://${bucket}`], true],
    ] as const) {
      const { stderr } = await svcBlob([...args, '--retries', '1'], nowhere);
      expect(stderr).toContain('then run the same command again.');
      expect([args, stderr.includes('It resumes where it stopped.')]).toEqual([args, goesOn]);
    }
  }, 60_000);

  it('say that they ended early, and how much is left', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    for (let i = 0; i < 300; i++) writeFileSync(join(folder, `f${i}`), 'x');
    const wrong = { ...environment(), AWS_SECRET_ACCESS_KEY: 'wrong' };
    const told = await svcBlob(['cp', '-r', folder, `s3://${bucket}`], wrong);
    expect(told).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^1 failed; stopped by SignatureDoesNotMatch, 299 files not done$/m),
    });
    const { stdout } = await svcBlob(['cp', '-r', folder, `s3://${bucket}`, '--json'], wrong);
    const summary = JSON.parse(stdout.trim().split('\n').at(-1)!) as unknown;
    expect(summary).toMatchObject({ type: 'summary', failed: 1, ended: 'SignatureDoesNotMatch', undone: 299 });
  });

  it('say what had failed when they are stopped', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    for (const name of ['bad', 'slow']) writeFileSync(join(folder, name), name);
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ path: /bad$/, fault: { respond: { status: 403 } } });
    proxy.on({ path: /slow$/, fault: { delay: 60_000 } });
    for (const [flag, told] of [
      ['-q', /Failed:\n {2}AccessDenied[^]* {4}bad\n/],
      ['--json', /"type":"summary".*"failed":1/],
    ] as const) {
      const child = start(['cp', '-r', folder, `s3://${bucket}`, flag], environment(proxy.url));
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
      const before = proxy.requests.length;
      while (proxy.requests.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
      await new Promise((resolve) => setTimeout(resolve, 200));
      child.kill('SIGTERM');
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
      expect(said).toMatch(told);
    }
  });

  it('take a pattern or an address that cannot be for wrong use', async () => {
    const bad = await svc('cp', '-r', state, 's3://bucket', '--exclude', '[a');
    expect(bad).toMatchObject({ status: 2, stderr: expect.stringContaining("--exclude <glob>' argument '[a' is invalid") });
    expect(await svc('ls', 's3://bucket', '--endpoint', 'localhost:9000')).toMatchObject({ status: 2 });
    expect(await svc('rm', '-r', 's3://bucket', '--older-than', '1d')).toMatchObject({ status: 2 });
    expect(await svc('rm', '-r', '--incomplete', 's3://bucket', '--older-than', '1 day')).toMatchObject({ status: 2 });
  });

  it('say that nothing can be written to standard output', async () => {
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
      env: { PATH: process.env['PATH'], ...environment() },
    });
    let said = '';
    child.stderr!.on('data', (text) => (said += text));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    closeSync(full);
    expect(said).toMatch(/cannot write to standard output: .*ENOSPC/);
  });

  it('hold bytes to so many a second, either way', async () => {
    const place = { bucket: await createBucket(), prefix: '' };
    const [source, target] = [createFolder(), createFolder()];
    writeFileSync(join(source, 'a'), randomBytes(4_000_000));
    const bulk = createTransfer({ bandwidth: 2_000_000 });
    for (const move of [() => bulk.upload(walk(source), place), () => bulk.download(place, new FolderTarget(target))]) {
      const began = performance.now();
      expect(await move()).toMatchObject({ files: 1, failed: 0 });
      // The last piece, of half a megabyte at most, is not waited for, nor what is made up for.
      expect(performance.now() - began).toBeGreaterThan(1400);
    }
  });

  it('say in a dry run what --no-clobber would spare', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    await svc('cp', '-r', folder, `s3://${bucket}`);
    writeFileSync(join(folder, 'b'), 'b');
    const dry = await svc('cp', '-r', folder, `s3://${bucket}`, '--no-clobber', '-n');
    expect(dry).toMatchObject({ status: 0, stdout: 'would have uploaded b (1 B)\n' });
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(1);
  });
});

describe('what a terminal shows', () => {
  it('keeps a name of wide characters on its line', () => {
    const active = [
      { name: '写'.repeat(60), bytes: 1, size: 10 * MiB, bytesPerSecond: 1 },
      { name: `${'e\u0301'.repeat(10)}.bin`, bytes: 1, size: 10 * MiB, bytesPerSecond: 1 },
    ];
    const counts = { files: 0, bytes: 2, skipped: 0, failed: 0, totalFiles: 2, totalBytes: 20 * MiB, planned: true };
    const speeds = { bytesPerSecond: 1, filesPerSecond: 0, secondsLeft: 1, concurrency: 1, elapsedMs: 1 };
    const [, , wide, marked] = progressLines({ ...counts, ...speeds, active }, 79);
    expect(wide!.length + wide!.match(/写/g)!.length).toBe(79);
    expect(marked!.length - 10).toBe(79);
  });

  it('is numbers rather than a bar where there is room for one of them', () => {
    const counts = { files: 30, bytes: 5 * MiB, skipped: 0, failed: 0, totalFiles: 32, totalBytes: 10 * MiB, planned: true };
    const speeds = { bytesPerSecond: MiB, filesPerSecond: 0, secondsLeft: 5, concurrency: 1, elapsedMs: 1 };
    const [narrow, usual] = [39, 79].map((width) => progressLines({ ...counts, ...speeds, active: [] }, width));
    expect(narrow).toEqual([' 50 %  30/32 files', '5.0 MiB/10.0 MiB  1.0 MiB/s  5.0 s left']);
    expect(usual![0]).toMatch(/^█+░+ {2}50 % {2}30\/32 files$/);
  });

  it('is time left, speed and failures before anything else, however much there is to do', () => {
    const counts = { files: 60_225, bytes: 153 * 1024 * MiB, skipped: 0, failed: 12, totalFiles: 100_000, planned: true };
    const speeds = { bytesPerSecond: 110 * MiB, filesPerSecond: 50, secondsLeft: 8291, concurrency: 32, elapsedMs: 1 };
    for (const width of [39, 79, 119]) {
      const text = progressLines({ ...counts, totalBytes: 1023 * 1024 * MiB, ...speeds, active: [] }, width).join('\n');
      expect(text).toContain('12 failed');
      expect(text).toMatch(/110 MiB\/s {2}2:18:11 h left$/);
    }
  });
});
