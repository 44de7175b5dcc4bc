import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startCommand, runCommand } from '../cli/run-command.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3, s3Environment } from './s3-store.js';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { commandEnvironment, runSvcBlob } from './run-command.js';

const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('svc-blob', () => {
  it('copies, syncs, verifies, lists, sums up, prints and deletes a folder', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'a.txt'), 'hello');
    writeFileSync(join(folder, 'sub/b.log'), 'log');
    const bucket = await createBucket();
    const target = `s3://${bucket}/x`;
    expect(
      await runSvcBlob('cp', '-r', folder, target, '--exclude', '*.log', '--cache-control', 'no-cache', '--metadata', 'team=ops'),
    ).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^copied 1 file \(5 B in /),
    });
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'x/a.txt' }));
    expect(head).toMatchObject({ ContentType: 'text/plain', CacheControl: 'no-cache', Metadata: { team: 'ops' } });

    const dry = await runSvcBlob('sync', folder, target, '--dry-run');
    expect(dry).toMatchObject({ status: 0, stdout: 'would upload x/sub/b.log (3 B)\n' });
    const synced = await runSvcBlob('sync', folder, target, '--json');
    expect(parseLines(synced.stdout).filter((line) => line['type'] !== 'progress')).toMatchObject([
      { type: 'skipped', name: 'x/a.txt' },
      { type: 'done', action: 'upload', name: 'x/sub/b.log', size: 3 },
      { type: 'summary', files: 1, skipped: 1, failed: 0 },
    ]);
    expect(await runSvcBlob('verify', folder, target)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('verified 2 files'),
    });

    for (const all of [['ls'], ['ls', 's3://']])
      expect((await runSvcBlob(...all)).stdout.split('\n').map((line) => line.slice(21))).toContain(bucket);
    const ls = await runSvcBlob('ls', `${target}/`);
    expect(ls.stdout.split('\n').map((line) => line.slice(20).trim())).toEqual(['DIR  x/sub/', '5  x/a.txt', '']);
    expect(parseLines((await runSvcBlob('ls', '-r', target, '--json')).stdout)).toMatchObject([
      { key: 'x/a.txt', size: 5 },
      { key: 'x/sub/b.log' },
    ]);
    expect(parseLines((await runSvcBlob('du', target, '--json')).stdout)).toMatchObject([{ objects: 2, bytes: 8 }]);
    expect(await runSvcBlob('cat', `${target}/a.txt`)).toMatchObject({ status: 0, stdout: 'hello', stderr: '' });

    writeFileSync(join(folder, 'a.txt'), 'hullo');
    const unequal = await runSvcBlob('verify', folder, target);
    expect(unequal.status).toBe(1);
    expect(unequal.stderr).toMatch(/Failed:\n {2}NotEqual: .*\n {2}Copy the file again.*\n {4}a\.txt\n/);
    expect(await runSvcBlob('rm', '-r', target)).toMatchObject({ status: 0, stderr: 'deleted 2 files\n' });
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  });

  it('du sums up each level, with and without a trailing slash', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'sub/deep'), { recursive: true });
    writeFileSync(join(folder, 'a'), 'a');
    writeFileSync(join(folder, 'sub/b'), new Uint8Array(1536));
    writeFileSync(join(folder, 'sub/deep/c'), 'c');
    const bucket = await createBucket();
    const target = `s3://${bucket}/x`;
    await runSvcBlob('cp', '-r', folder, target);
    for (const place of [target, `${target}/`]) {
      const du = await runSvcBlob('du', place, '--depth', '1', '--json', '--exclude', '/a');
      expect(parseLines(du.stdout)).toEqual([
        { prefix: place, objects: 2, bytes: 1537 },
        { prefix: `${target}/sub`, objects: 2, bytes: 1537 },
      ]);
    }
    expect(parseLines((await runSvcBlob('du', target, '--json')).stdout)).toEqual([{ prefix: target, objects: 3, bytes: 1538 }]);
    // A single object is selected by its key, as in ls.
    for (const [pattern, objects] of [
      ['b', 1],
      ['c', 0],
    ] as const) {
      const summary = parseLines((await runSvcBlob('du', `${target}/sub/b`, '--json', '--include', pattern)).stdout);
      expect(summary).toMatchObject([{ prefix: `${target}/sub/b`, objects }]);
    }
    expect((await runSvcBlob('ls', '-r', '--human', `${target}/sub/b`)).stdout).toContain('1.5 KiB');
  });

  it('verify --symlinks skip ignores links that sync skipped', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    symlinkSync('nowhere', join(folder, 'broken'));
    const target = `s3://${await createBucket()}/x`;
    expect(await runSvcBlob('sync', folder, target, '--symlinks', 'skip')).toMatchObject({ status: 0 });
    expect(await runSvcBlob('verify', folder, target)).toMatchObject({ status: 1 });
    expect(await runSvcBlob('verify', folder, target, '--symlinks', 'skip')).toMatchObject({ status: 0 });
  });

  it('sync --no-times leaves modification times alone, and -v names skipped special files', async () => {
    const [folder, download] = [createFolder(), createFolder()];
    writeFileSync(join(folder, 'a'), 'a');
    utimesSync(join(folder, 'a'), 1_000_000_000, 1_000_000_000);
    execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'unwanted')]);
    const target = `s3://${await createBucket()}/x`;
    for (const args of [['cp', '-r'], ['sync']]) {
      const up = await runSvcBlob(...args, folder, target, '-v', '--exclude', 'unwanted');
      expect(up).toMatchObject({ status: 0, stderr: expect.stringContaining('skipped pipe: not a regular file\n') });
      expect(up.stderr).not.toContain('unwanted');
    }
    expect(await runSvcBlob('sync', target, download, '--no-times')).toMatchObject({ status: 0 });
    expect(statSync(join(download, 'a')).mtimeMs).toBeGreaterThan(1_000_000_000_000);
  });

  it('sync --dry-run sends no HEAD for files that an earlier sync recorded', async () => {
    const folder = createFolder();
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), name);
    await using proxy = await startFaultProxy(s3.endpoint);
    const bucket = await createBucket();
    const sync = (...flags: string[]) => runCommand(['sync', folder, `s3://${bucket}`, ...flags], commandEnvironment(proxy.url));
    expect(await sync()).toMatchObject({ status: 0 });
    writeFileSync(join(folder, 'c'), 'c');
    proxy.on({ method: 'HEAD', fault: { respond: { status: 403 } } });
    for (let run = 0; run < 2; run++)
      expect(await sync('--dry-run')).toMatchObject({
        status: 0,
        stdout: 'would upload c (1 B)\n',
        stderr: expect.stringContaining('2 files already up to date'),
      });
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('2 files already up to date') });
  });

  it('rm deletes the listed keys except those that a filter excludes', async () => {
    const folder = createFolder();
    for (const name of ['a.txt', 'b.log', 'c.txt', 'unnamed']) writeFileSync(join(folder, name), name);
    const bucket = await createBucket();
    await runSvcBlob('cp', '-r', folder, `s3://${bucket}/x`);
    const list = join(createFolder(), 'list');
    writeFileSync(list, 'a.txt\nb.log\nc.txt\n');
    // Patterns match names below the prefix, as in cp.
    const rm = await runSvcBlob(
      'rm',
      '-r',
      `s3://${bucket}/x`,
      '--files-from',
      list,
      '--exclude',
      '*.log',
      '--exclude',
      '/c.txt',
    );
    expect(rm).toMatchObject({ status: 0, stderr: 'deleted 1 file, if they existed\n' });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['x/b.log', 'x/c.txt', 'x/unnamed']);
  });

  it('rm reports whether the object existed', async () => {
    const bucket = await createBucket();
    const file = join(createFolder(), 'a');
    writeFileSync(file, 'a');
    await runSvcBlob('cp', file, `s3://${bucket}/a`);
    const rm = (...args: string[]) => runSvcBlob('rm', ...args);
    expect(await rm('-n', `s3://${bucket}/a`)).toMatchObject({ status: 0, stdout: 'would delete a (1 B)\n' });
    expect(await rm(`s3://${bucket}/a`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    for (const dry of [[], ['-n']])
      expect(await rm(`s3://${bucket}/a`, ...dry)).toMatchObject({ status: 0, stdout: '', stderr: '1 file not found\n' });
    const { stdout } = await rm(`s3://${bucket}/a`, '--json');
    expect(parseLines(stdout).filter((line) => line['type'] !== 'progress')).toMatchObject([
      { type: 'skipped', action: 'delete', name: 'a', reason: 'does not exist' },
      { type: 'summary', deleted: 0, skipped: 1, failed: 0 },
    ]);
    const missingBucket = await rm(`s3://${bucket}-not/a`);
    expect(missingBucket).toMatchObject({ status: 1, stderr: expect.stringContaining('NoSuchBucket') });
  });

  it('cp reads standard input and writes standard output', async () => {
    const bucket = await createBucket();
    const bytes = randomBytes(9_000_000);
    const child = spawn(process.execPath, ['dist/cli.js', 'cp', '-', `s3://${bucket}/in`], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { PATH: process.env['PATH'], ...s3Environment() },
    });
    child.stdin.end(bytes);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const target = join(createFolder(), 'out');
    expect(await runSvcBlob('cp', `s3://${bucket}/in`, target)).toMatchObject({ status: 0 });
    expect(readFileSync(target).equals(bytes)).toBe(true);
    expect(await runSvcBlob('cp', `s3://${bucket}/in`, '-')).toMatchObject({ status: 0, stderr: '' });
    const dry = await runSvcBlob('cp', `s3://${bucket}/in`, '-', '--dry-run');
    expect(dry).toMatchObject({ status: 0, stdout: 'would download in (8.6 MiB)\n' });
  });

  it('cp reads a named pipe like standard input, except in a list', async () => {
    const folder = createFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const bucket = await createBucket();
    const copying = runSvcBlob('cp', pipe, `s3://${bucket}/k`);
    spawn('sh', ['-c', 'echo hello > "$0"', pipe], { stdio: 'ignore' });
    expect(await copying).toMatchObject({ status: 0 });
    expect(await runSvcBlob('cat', `s3://${bucket}/k`)).toMatchObject({ status: 0, stdout: 'hello\n' });
    writeFileSync(join(folder, 'list'), 'pipe\n');
    writeFileSync(join(folder, 'one'), '1');
    expect(await runSvcBlob('cp', '-r', join(folder, 'one'), `s3://${bucket}/below/`)).toMatchObject({ status: 0 });
    expect(await listObjects(createTransfer(), bucket, 'below/')).toMatchObject([{ key: 'below/one' }]);
    const listing = await runSvcBlob('cp', '--files-from', join(folder, 'list'), folder, `s3://${bucket}/l`);
    expect(listing).toMatchObject({ status: 1, stderr: expect.stringContaining('is not a regular file') });
  });

  it('cp continues when its event output is closed, and ends when its data output is closed', async () => {
    const env = commandEnvironment();
    const runAndCloseStdout = (...args: string[]): Promise<number | null> => {
      const child = startCommand(args, env);
      child.stdout.once('data', () => child.stdout.destroy());
      child.stderr.resume();
      return new Promise((resolve) => child.once('close', resolve));
    };
    const runAndCloseStderr = (...args: string[]): Promise<number | null> => {
      const child = startCommand(args, env);
      child.stdout.resume();
      child.stderr.once('data', () => child.stderr.destroy());
      return new Promise((resolve) => child.once('close', resolve));
    };
    const folder = createFolder();
    for (let i = 0; i < 100; i++) writeFileSync(join(folder, `${i}`), 'x');
    writeFileSync(join(folder, 'big'), randomBytes(9_000_000));
    const bucket = await createBucket();
    expect(await runAndCloseStdout('cp', '-r', folder, `s3://${bucket}/x`, '--json', '--concurrency', '1')).toBe(0);
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(101);
    expect(await runAndCloseStderr('cp', '-r', folder, `s3://${bucket}/y`, '-v', '--concurrency', '1')).toBe(0);
    expect(await listObjects(createTransfer(), bucket, 'y/')).toHaveLength(101);
    expect(await runAndCloseStdout('cat', `s3://${bucket}/x/big`)).toBe(0);
    expect(await runAndCloseStdout('cp', `s3://${bucket}/x/big`, '-')).toBe(141);
  });

  it('exits with 2 for wrong use and with 1 for failures, and prints advice', async () => {
    const folder = createFolder();
    const wrongUses = [
      ['cp', folder, '/tmp/x'],
      ['cp', folder, 's3://a/b'],
      ['cp', folder, 's3://bucket/b', '-r', '--part-size', '1MiB'],
      ['sync', folder, 's3://bucket', '--size-only', '--checksum'],
      ['rm', 's3://bucket'],
      ['cp', '-r', 's3://bucket/q', 's3://bucket/q/z'],
      ['sync', 's3://bucket/q/z', 's3://bucket/q', '--delete'],
      ['cp', 's3://bucket/q', folder, '--storage-class', 'STANDARD'],
      ['cp', '-r', 's3://bucket/q', folder, '--symlinks', 'skip'],
      ['cp', 's3://bucket/q', '-', '--integrity', 'md5'],
      ['cp', 's3://bucket/q', 's3://bucket/z', '--part-size', '8MiB'],
      ['sync', 's3://bucket/q', folder, '--tags', 'a=b'],
      ['sync', 's3://bucket/q', 's3://other/q', '--no-times'],
      ['ls', folder],
      // An unset variable of a script must not select the current folder.
      ['sync', 's3://bucket/q', '', '--delete', '--max-delete', '9'],
      ['cp', '-r', '', 's3://bucket/q'],
      ['cp', '-r', folder, 's3://bucket/q', '--state-dir', ''],
      ['cp', folder, 's3://bucket/b', '--no-such-flag'],
    ];
    const statuses = wrongUses.map(async (args) => `${args.join(' ')}: ${(await runSvcBlob(...args)).status}`);
    expect(await Promise.all(statuses)).toEqual(wrongUses.map((args) => `${args.join(' ')}: 2`));
    const missing = await runSvcBlob('cp', join(folder, 'none'), 's3://bucket/key');
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('Check that the file exists') });
    const bucket = await runSvcBlob('cp', '-r', 'src/protocol', 's3://no-such-bucket-here/');
    expect(bucket).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Create the bucket (svc-blob mb), or check its name'),
    });
    const unknownKey = await runCommand(['ls', 's3://bucket'], { ...s3Environment(), AWS_ACCESS_KEY_ID: 'nobody' });
    expect(unknownKey).toMatchObject({ status: 1, stderr: expect.stringContaining('does not know this access key') });
  });

  it('reads credentials, endpoint and region from a profile', async () => {
    const home = createFolder();
    mkdirSync(join(home, '.aws'));
    writeFileSync(
      join(home, '.aws/credentials'),
      `[ops]\naws_access_key_id = ${s3.accessKeyId}\naws_secret_access_key = ${s3.secretAccessKey}\n`,
    );
    writeFileSync(
      join(home, '.aws/config'),
      `[profile ops]\nregion = ${s3.region}\nservices = here\n\n[services here]\ns3 =\n  endpoint_url = ${s3.endpoint}\n`,
    );
    const bucket = await createBucket();
    expect(await runCommand(['ls', `s3://${bucket}`], { HOME: home, AWS_PROFILE: 'ops' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await runCommand(['ls', `s3://${bucket}`, '--profile', 'ops'], { HOME: home })).toMatchObject({ status: 0 });
    expect(await runCommand(['ls', `s3://${bucket}`, '--profile', 'other'], { HOME: home })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no profile other'),
    });
  });
});
