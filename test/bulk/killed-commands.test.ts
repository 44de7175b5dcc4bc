import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import { build } from '../../scripts/build.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, listUnfinishedUploads, createBucket, createTransfer, createFolder, s3, s3Environment } from './s3-store.js';

const MiB = 1024 * 1024;
/** Four parts. The bandwidth limit lets a transfer run for a second and a half, in which it is killed. */
const LARGE = 15 * MiB + 17;
/** The number of kills. `npm run test:matrix` sets KILLS to 20. */
const KILLS = Number(process.env['KILLS'] ?? 2);

interface CommandResult {
  killed: boolean;
  status: number | null;
  stderr: string;
}

/** Runs the command. Sends SIGKILL after this many milliseconds. */
function runCommand(args: string[], endpoint: string, killAfter?: number): Promise<CommandResult> {
  const env = { PATH: process.env['PATH'], ...s3Environment(endpoint) };
  const child = spawn(process.execPath, ['dist/cli.js', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve) => {
    child.once('close', (status, signal) => {
      clearTimeout(timer);
      resolve({ killed: signal === 'SIGKILL', status, stderr });
    });
  });
}

describe('a killed transfer', () => {
  beforeAll(() => build({ ifStale: true }), 120_000);

  it(
    `completes after ${KILLS} kills, and every object equals its source`,
    async () => {
      const folder = createFolder();
      const state = createFolder();
      mkdirSync(join(folder, 'small'));
      for (let i = 0; i < 60; i++) writeFileSync(join(folder, 'small', `f${i}`), randomBytes(20_000));
      for (const name of ['one', 'two', 'three']) writeFileSync(join(folder, name), randomBytes(LARGE));
      const bucket = await createBucket();
      const args = [
        'cp',
        '-r',
        folder,
        `s3://${bucket}/in`,
        '--part-size',
        '5MiB',
        '--bwlimit',
        '30MiB',
        '--state-dir',
        state,
        '-q',
      ];
      let kills = 0;
      for (let runs = 0; kills < KILLS; runs++) {
        const result = await runCommand(args, s3.endpoint, 80 + Math.random() * 900);
        if (result.killed) kills++;
        else {
          expect(result).toMatchObject({ status: 0, stderr: '' });
          // The command was done. The next run needs new work.
          writeFileSync(join(folder, ['one', 'two', 'three'][runs % 3]!), randomBytes(LARGE));
        }
      }
      expect(await runCommand(args, s3.endpoint)).toEqual({ killed: false, status: 0, stderr: '' });
      expect(await createTransfer().verify(() => walk(folder, { sorted: true }), { bucket, prefix: 'in/' })).toMatchObject({
        files: 63,
        failed: 0,
      });
      expect(await listUnfinishedUploads(bucket)).toEqual([]);
      expect(readdirSync(state)).toEqual([]);
    },
    240_000 + KILLS * 5_000,
  );

  it('resumes with the stored parts, and excludes a second process', async () => {
    const folder = createFolder();
    const state = createFolder();
    writeFileSync(join(folder, 'big'), randomBytes(40 * MiB));
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    const args = [
      'cp',
      join(folder, 'big'),
      `s3://${bucket}/`,
      '--part-size',
      '5MiB',
      '--concurrency',
      '2',
      '--retries',
      '2',
      '--state-dir',
      state,
      '-q',
    ];
    const countParts = (): number =>
      proxy.requests.filter((seen) => seen.method === 'PUT' && seen.path.includes('partNumber') && seen.status === 200).length;
    const slow = proxy.on({ method: 'PUT', skip: 5, fault: { bytesPerSecond: 20_000 } });
    const first = runCommand(args, proxy.url);
    await expect.poll(countParts).toBeGreaterThanOrEqual(5);
    const second = await runCommand(args, proxy.url);
    // A second process refuses the same transfer.
    expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('JournalLocked') });
    proxy.offline();
    expect(await first).toMatchObject({ status: 1 });
    proxy.online();
    slow.remove();
    const before = countParts();
    expect(await runCommand(args, proxy.url)).toMatchObject({ status: 0 });
    expect(countParts() - before).toBeLessThanOrEqual(8 - 5);
    expect(await createTransfer().verify(() => walk(folder), { bucket, prefix: '' })).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('aborts unfinished uploads of files that changed or disappeared', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    for (const name of ['gone', 'other', 'stays']) writeFileSync(join(folder, name), randomBytes(12 * MiB));
    const state = createFolder();
    const journal = () => new DiskJournal(join(state, 'j'), { keepSettled: false });
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const options = { partSize: 5 * MiB, retry: { tries: 1 } };
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await bulk.upload(walk(folder), { bucket, prefix: '' }, { ...options, journal: journal() })).toMatchObject({
      failed: 3,
    });
    expect((await listUnfinishedUploads(bucket)).sort()).toEqual(['gone', 'other', 'stays']);
    refused.remove();
    writeFileSync(join(folder, 'other'), randomBytes(11 * MiB));
    const rest = () => [...walk(folder)].filter((file) => file.path !== 'gone');
    expect(await bulk.upload(rest(), { bucket, prefix: '' }, { ...options, journal: journal() })).toMatchObject({
      files: 2,
      failed: 0,
    });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
    expect(existsSync(join(state, 'j'))).toBe(false);
  });

  it('never joins parts of two versions of a file with equal size and time', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    const path = join(folder, 'big');
    writeFileSync(path, randomBytes(23 * MiB));
    utimesSync(path, 1_600_000_000, 1_600_000_000);
    const state = createFolder();
    await using proxy = await startFaultProxy(s3.endpoint);
    const refused = proxy.on({ method: 'PUT', path: /partNumber=4/, fault: { respond: { status: 500 } } });
    const transfer = () =>
      createTransfer({ endpoint: proxy.url }).upload(
        walk(folder),
        { bucket, prefix: '' },
        { partSize: 5 * MiB, retry: { tries: 1 }, journal: new DiskJournal(join(state, 'j'), { keepSettled: false }) },
      );
    expect(await transfer()).toMatchObject({ failed: 1 });
    refused.remove();
    writeFileSync(path, randomBytes(23 * MiB));
    utimesSync(path, 1_600_000_000, 1_600_000_000);
    expect(await transfer()).toMatchObject({ files: 1, failed: 0 });
    expect(await createTransfer().verify(() => walk(folder), { bucket, prefix: '' })).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('sends files again whose objects were deleted or replaced', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), name);
    const state = createFolder();
    const journal = () => new DiskJournal(join(state, 'j'), { keepSettled: false });
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const refused = proxy.on({ method: 'PUT', path: /\/d$/, fault: { respond: { status: 403 } } });
    const transfer = () => bulk.upload(walk(folder), { bucket, prefix: '' }, { journal: journal() });
    expect(await transfer()).toMatchObject({ files: 3, failed: 1 });
    refused.remove();
    await createTransfer().delete({ bucket, prefix: '' }, { keys: ['b'] });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'longer' }));
    expect(await transfer()).toMatchObject({ files: 3, skipped: 1, failed: 0 });
    expect(await createTransfer().verify(() => walk(folder, { sorted: true }), { bucket, prefix: '' })).toMatchObject({
      files: 4,
      failed: 0,
    });
  });

  it('fetches files again that were emptied, changed or deleted after the download', async () => {
    const bucket = await createBucket();
    const [folder, target, state] = [createFolder(), createFolder(), createFolder()];
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(folder, name), name);
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const refused = proxy.on({ method: 'GET', path: /\/e$/, fault: { respond: { status: 403 } } });
    const transfer = () =>
      bulk.download({ bucket, prefix: '' }, new FolderTarget(target), {
        journal: new DiskJournal(join(state, 'j'), { keepSettled: false }),
      });
    expect(await transfer()).toMatchObject({ files: 4, failed: 1 });
    refused.remove();
    const { atime, mtime } = statSync(join(target, 'a'));
    writeFileSync(join(target, 'a'), '');
    utimesSync(join(target, 'a'), atime, mtime);
    writeFileSync(join(target, 'b'), 'x');
    rmSync(join(target, 'c'));
    expect(await transfer()).toMatchObject({ files: 4, skipped: 1, failures: [] });
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(readFileSync(join(target, name), 'utf8')).toBe(name);
  });

  it('resumes a download with the ranges that are still intact on disk', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    const bytes = randomBytes(41 * MiB);
    writeFileSync(join(folder, 'big'), bytes);
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const target = createFolder();
    const journal = () => new DiskJournal(join(target, '../', `${target.split('/').pop()}-j`), { keepSettled: false });
    const refused = proxy.on({ method: 'GET', path: /\/big$/, skip: 3, fault: { respond: { status: 500 } } });
    const options = { retry: { tries: 1 }, concurrency: 1 };
    expect(
      await bulk.download({ bucket, prefix: '' }, new FolderTarget(target), { ...options, journal: journal() }),
    ).toMatchObject({ failed: 1 });
    refused.remove();
    const [partial] = readdirSync(target);
    // A sync ignores the partial file.
    expect([...walk(target)]).toEqual([]);
    expect([...walk(target, { sorted: true })]).toEqual([]);
    // A power cut may damage the file, so recorded ranges are read back before they are used.
    const fd = openSync(join(target, partial!), 'r+');
    writeSync(fd, 'rubbish', 9 * MiB);
    closeSync(fd);
    const before = proxy.requests.length;
    expect(
      await bulk.download({ bucket, prefix: '' }, new FolderTarget(target), { ...options, journal: journal() }),
    ).toMatchObject({ files: 1, failed: 0 });
    expect(proxy.requests.slice(before).filter((seen) => seen.method === 'GET' && seen.path.endsWith('/big'))).toHaveLength(4);
    expect(readdirSync(target)).toEqual(['big']);
    expect(readFileSync(join(target, 'big')).equals(bytes)).toBe(true);
  });
});
