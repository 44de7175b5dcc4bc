import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, svcBlob } from '../cli/support.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3, s3Environment } from './s3-store.js';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';

const svc = (...args: string[]) => svcBlob(args, { ...s3Environment(), XDG_STATE_HOME: state });
const state = createFolder();
const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('svc-blob over S3', () => {
  it('copies, lists, sums up, verifies, compares and deletes', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'a.txt'), 'hello');
    writeFileSync(join(folder, 'sub/b.log'), 'log');
    const bucket = await createBucket();
    const there = `s3://${bucket}/x`;
    expect(
      await svc('cp', '-r', folder, there, '--exclude', '*.log', '--cache-control', 'no-cache', '--metadata', 'team=ops'),
    ).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^copied 1 file \(5 B in /),
    });
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'x/a.txt' }));
    expect(head).toMatchObject({ ContentType: 'text/plain', CacheControl: 'no-cache', Metadata: { team: 'ops' } });

    const dry = await svc('sync', folder, there, '--dry-run');
    expect(dry).toMatchObject({ status: 0, stdout: 'would have uploaded x/sub/b.log (3 B)\n' });
    const synced = await svc('sync', folder, there, '--json');
    expect(lines(synced.stdout).filter((line) => line['type'] !== 'progress')).toMatchObject([
      { type: 'skipped', name: 'x/a.txt' },
      { type: 'done', action: 'upload', name: 'x/sub/b.log', size: 3 },
      { type: 'summary', files: 1, skipped: 1, failed: 0 },
    ]);
    expect(await svc('verify', folder, there)).toMatchObject({ status: 0, stderr: expect.stringContaining('verified 2 files') });

    for (const all of [['ls'], ['ls', 's3://']])
      expect((await svc(...all)).stdout.split('\n').map((line) => line.slice(21))).toContain(bucket);
    const ls = await svc('ls', `${there}/`);
    expect(ls.stdout.split('\n').map((line) => line.slice(20).trim())).toEqual(['DIR  x/sub/', '5  x/a.txt', '']);
    expect(lines((await svc('ls', '-r', there, '--json')).stdout)).toMatchObject([
      { key: 'x/a.txt', size: 5 },
      { key: 'x/sub/b.log' },
    ]);
    expect(lines((await svc('du', there, '--json')).stdout)).toMatchObject([{ objects: 2, bytes: 8 }]);
    expect(await svc('cat', `${there}/a.txt`)).toMatchObject({ status: 0, stdout: 'hello', stderr: '' });

    writeFileSync(join(folder, 'a.txt'), 'hullo');
    const wrong = await svc('verify', folder, there);
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/Failed:\n {2}NotEqual: .*\n {2}Copy it again.*\n {4}a\.txt\n/);
    expect(await svc('rm', '-r', there)).toMatchObject({ status: 0, stderr: 'deleted 2 files\n' });
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  });

  it('sums up level by level, however the place is written, in sizes for people', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'sub/deep'), { recursive: true });
    writeFileSync(join(folder, 'a'), 'a');
    writeFileSync(join(folder, 'sub/b'), new Uint8Array(1536));
    writeFileSync(join(folder, 'sub/deep/c'), 'c');
    const bucket = await createBucket();
    const there = `s3://${bucket}/x`;
    await svc('cp', '-r', folder, there);
    for (const place of [there, `${there}/`]) {
      const du = await svc('du', place, '--depth', '1', '--json', '--exclude', '/a');
      expect(lines(du.stdout)).toEqual([
        { prefix: place, objects: 2, bytes: 1537 },
        { prefix: `${there}/sub`, objects: 2, bytes: 1537 },
      ]);
    }
    expect(lines((await svc('du', there, '--json')).stdout)).toEqual([{ prefix: there, objects: 3, bytes: 1538 }]);
    // One object, by its name as ls takes it.
    for (const [pattern, objects] of [
      ['b', 1],
      ['c', 0],
    ] as const) {
      const one = lines((await svc('du', `${there}/sub/b`, '--json', '--include', pattern)).stdout);
      expect(one).toMatchObject([{ prefix: `${there}/sub/b`, objects }]);
    }
    expect((await svc('ls', '-r', '--human', `${there}/sub/b`)).stdout).toContain('1.5 KiB');
  });

  it('verifies without the links that a sync left out', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    symlinkSync('nowhere', join(folder, 'broken'));
    const there = `s3://${await createBucket()}/x`;
    expect(await svc('sync', folder, there, '--symlinks', 'skip')).toMatchObject({ status: 0 });
    expect(await svc('verify', folder, there)).toMatchObject({ status: 1 });
    expect(await svc('verify', folder, there, '--symlinks', 'skip')).toMatchObject({ status: 0 });
  });

  it('leaves times as they come when a sync is told so, and says what is no file', async () => {
    const [folder, target] = [createFolder(), createFolder()];
    writeFileSync(join(folder, 'a'), 'a');
    utimesSync(join(folder, 'a'), 1_000_000_000, 1_000_000_000);
    execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'unwanted')]);
    const there = `s3://${await createBucket()}/x`;
    for (const args of [['cp', '-r'], ['sync']]) {
      const up = await svc(...args, folder, there, '-v', '--exclude', 'unwanted');
      expect(up).toMatchObject({ status: 0, stderr: expect.stringContaining('skipped pipe: no regular file\n') });
      expect(up.stderr).not.toContain('unwanted');
    }
    expect(await svc('sync', there, target, '--no-times')).toMatchObject({ status: 0 });
    expect(statSync(join(target, 'a')).mtimeMs).toBeGreaterThan(1_000_000_000_000);
  });

  it('asks for no object in a dry run of what a sync before it knows', async () => {
    const folder = createFolder();
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), name);
    await using proxy = await startFaultProxy(s3.endpoint);
    const bucket = await createBucket();
    const sync = (...flags: string[]) =>
      svcBlob(['sync', folder, `s3://${bucket}`, ...flags], { ...s3Environment(proxy.url), XDG_STATE_HOME: state });
    expect(await sync()).toMatchObject({ status: 0 });
    writeFileSync(join(folder, 'c'), 'c');
    proxy.on({ method: 'HEAD', fault: { respond: { status: 403 } } });
    for (let again = 0; again < 2; again++)
      expect(await sync('--dry-run')).toMatchObject({
        status: 0,
        stdout: 'would have uploaded c (1 B)\n',
        stderr: expect.stringContaining('2 files already up to date'),
      });
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('2 files already up to date') });
  });

  it('deletes what a list names, and spares what a filter leaves out of it', async () => {
    const folder = createFolder();
    for (const name of ['a.txt', 'b.log', 'c.txt', 'unnamed']) writeFileSync(join(folder, name), name);
    const bucket = await createBucket();
    await svc('cp', '-r', folder, `s3://${bucket}/x`);
    const list = join(createFolder(), 'list');
    writeFileSync(list, 'a.txt\nb.log\nc.txt\n');
    // A pattern sees names below the prefix, as in cp.
    const rm = await svc('rm', '-r', `s3://${bucket}/x`, '--files-from', list, '--exclude', '*.log', '--exclude', '/c.txt');
    expect(rm).toMatchObject({ status: 0, stderr: 'deleted 1 file, if they existed\n' });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['x/b.log', 'x/c.txt', 'x/unnamed']);
  });

  it('says of one object whether there was one to delete', async () => {
    const bucket = await createBucket();
    const file = join(createFolder(), 'a');
    writeFileSync(file, 'a');
    await svc('cp', file, `s3://${bucket}/a`);
    const rm = (...args: string[]) => svc('rm', ...args);
    expect(await rm('-n', `s3://${bucket}/a`)).toMatchObject({ status: 0, stdout: 'would have deleted a (1 B)\n' });
    expect(await rm(`s3://${bucket}/a`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    for (const dry of [[], ['-n']])
      expect(await rm(`s3://${bucket}/a`, ...dry)).toMatchObject({ status: 0, stdout: '', stderr: '1 file not found\n' });
    const { stdout } = await rm(`s3://${bucket}/a`, '--json');
    expect(lines(stdout).filter((line) => line['type'] !== 'progress')).toMatchObject([
      { type: 'skipped', action: 'delete', name: 'a', reason: 'not there' },
      { type: 'summary', deleted: 0, skipped: 1, failed: 0 },
    ]);
    const nowhere = await rm(`s3://${bucket}-not/a`);
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining('NoSuchBucket') });
  });

  it('reads standard input and writes standard output', async () => {
    const bucket = await createBucket();
    const bytes = randomBytes(9_000_000);
    const child = spawn(process.execPath, ['dist/cli.js', 'cp', '-', `s3://${bucket}/in`], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { PATH: process.env['PATH'], ...s3Environment() },
    });
    child.stdin.end(bytes);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const target = join(createFolder(), 'out');
    expect(await svc('cp', `s3://${bucket}/in`, target)).toMatchObject({ status: 0 });
    expect(readFileSync(target).equals(bytes)).toBe(true);
    expect(await svc('cp', `s3://${bucket}/in`, '-')).toMatchObject({ status: 0, stderr: '' });
    const dry = await svc('cp', `s3://${bucket}/in`, '-', '--dry-run');
    expect(dry).toMatchObject({ status: 0, stdout: 'would have downloaded in (8.6 MiB)\n' });
  });

  it('reads a pipe that has a name as it reads standard input, takes none for a file of a list, and one file with -r', async () => {
    const folder = createFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const bucket = await createBucket();
    const copying = svc('cp', pipe, `s3://${bucket}/k`);
    spawn('sh', ['-c', 'echo hello > "$0"', pipe], { stdio: 'ignore' });
    expect(await copying).toMatchObject({ status: 0 });
    expect(await svc('cat', `s3://${bucket}/k`)).toMatchObject({ status: 0, stdout: 'hello\n' });
    writeFileSync(join(folder, 'list'), 'pipe\n');
    writeFileSync(join(folder, 'one'), '1');
    expect(await svc('cp', '-r', join(folder, 'one'), `s3://${bucket}/below/`)).toMatchObject({ status: 0 });
    expect(await listObjects(createTransfer(), bucket, 'below/')).toMatchObject([{ key: 'below/one' }]);
    const listing = await svc('cp', '--files-from', join(folder, 'list'), folder, `s3://${bucket}/l`);
    expect(listing).toMatchObject({ status: 1, stderr: expect.stringContaining('is not a regular file') });
  });

  it('goes on when nobody reads its events any more; what only prints ends there', async () => {
    const env = { ...s3Environment(), XDG_STATE_HOME: state };
    const unread = (...args: string[]): Promise<number | null> => {
      const child = start(args, env);
      child.stdout.once('data', () => child.stdout.destroy());
      child.stderr.resume();
      return new Promise((resolve) => child.once('close', resolve));
    };
    const unheard = (...args: string[]): Promise<number | null> => {
      const child = start(args, env);
      child.stdout.resume();
      child.stderr.once('data', () => child.stderr.destroy());
      return new Promise((resolve) => child.once('close', resolve));
    };
    const folder = createFolder();
    for (let at = 0; at < 100; at++) writeFileSync(join(folder, `${at}`), 'x');
    writeFileSync(join(folder, 'big'), randomBytes(9_000_000));
    const bucket = await createBucket();
    expect(await unread('cp', '-r', folder, `s3://${bucket}/x`, '--json', '--concurrency', '1')).toBe(0);
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(101);
    expect(await unheard('cp', '-r', folder, `s3://${bucket}/y`, '-v', '--concurrency', '1')).toBe(0);
    expect(await listObjects(createTransfer(), bucket, 'y/')).toHaveLength(101);
    expect(await unread('cat', `s3://${bucket}/x/big`)).toBe(0);
    expect(await unread('cp', `s3://${bucket}/x/big`, '-')).toBe(141);
  });

  it('ends with 2 for wrong use and with 1 for what failed, and says what to do', async () => {
    const folder = createFolder();
    const wrong = [
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
      // Variables of a script that nobody set: not the folder it happens to run in.
      ['sync', 's3://bucket/q', '', '--delete', '--max-delete', '9'],
      ['cp', '-r', '', 's3://bucket/q'],
      ['cp', '-r', folder, 's3://bucket/q', '--state-dir', ''],
      ['cp', folder, 's3://bucket/b', '--no-such-flag'],
    ];
    const statuses = wrong.map(async (args) => `${args.join(' ')}: ${(await svc(...args)).status}`);
    expect(await Promise.all(statuses)).toEqual(wrong.map((args) => `${args.join(' ')}: 2`));
    const missing = await svc('cp', join(folder, 'none'), 's3://bucket/key');
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('Check that it exists') });
    const bucket = await svc('cp', '-r', 'src/protocol', 's3://no-such-bucket-here/');
    expect(bucket).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Make the bucket (svc-blob mb), or check its name'),
    });
    const nobody = await svcBlob(['ls', 's3://bucket'], { ...s3Environment(), AWS_ACCESS_KEY_ID: 'nobody' });
    expect(nobody).toMatchObject({ status: 1, stderr: expect.stringContaining('does not know this access key') });
  });

  it('finds credentials, address and region in a profile', async () => {
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
    expect(await svcBlob(['ls', `s3://${bucket}`], { HOME: home, AWS_PROFILE: 'ops' })).toMatchObject({ status: 0, stderr: '' });
    expect(await svcBlob(['ls', `s3://${bucket}`, '--profile', 'ops'], { HOME: home })).toMatchObject({ status: 0 });
    expect(await svcBlob(['ls', `s3://${bucket}`, '--profile', 'other'], { HOME: home })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no profile other'),
    });
  });
});
