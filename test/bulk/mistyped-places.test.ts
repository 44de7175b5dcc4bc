import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { FolderTarget } from '../../src/bulk/node/index.js';
import { svcBlob } from '../cli/support.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3, s3Environment } from './s3-store.js';

const state = createFolder();
const svc = (...args: string[]) => svcBlob(args, { ...s3Environment(), XDG_STATE_HOME: state });

describe('a place with nothing below it', () => {
  let bucket: string;
  beforeAll(async () => {
    bucket = await createBucket();
    for (const Key of ['x/a.txt', 'x-old/b', 'marked/'])
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.from(Key.endsWith('/') ? '' : 'four') }));
  });
  const there = (prefix: string) => `s3://${bucket}/${prefix}`;
  const nothing = (stderr: RegExp) => ({ status: 1, stderr: expect.stringMatching(stderr) });

  it('fails what was to come from it, and what asks for it', async () => {
    const target = createFolder();
    const missing = nothing(new RegExp(`NothingThere: .*there is nothing below s3://${bucket}/[^]*Check the name`, 'i'));
    for (const args of [
      ['cp', '-r', there('nope'), target],
      ['cp', '-r', '-n', there('nope'), target],
      ['cp', '-r', there('nope/'), there('to/')],
      ['verify', target, there('nope')],
      ['du', there('nope')],
      // Its name is but the beginning of others.
      ['du', there('x-')],
    ])
      expect(await svc(...args), args.join(' ')).toMatchObject(missing);
    expect(await svc('ls', there('nope'))).toMatchObject(
      nothing(new RegExp(`NothingThere: No key of s3://${bucket} begins with nope\\.\nCheck the name`)),
    );
    expect(readdirSync(target)).toEqual([]);
  }, 60_000);

  it('says so where nothing is to be done then, and leaves the target of a sync as it is', async () => {
    const target = createFolder();
    writeFileSync(join(target, 'kept'), '');
    const idle = (stderr: string) => ({ status: 0, stderr: `nothing to do: ${stderr}\n` });
    expect(await svc('sync', there('nope'), target)).toMatchObject(
      idle('the source is empty, or the filters exclude everything'),
    );
    expect(await svc('rm', '-r', there('nope'))).toMatchObject(idle('nothing matches'));
    expect(await svc('sync', there('nope'), target, '--delete')).toMatchObject(nothing(/TooMuchToDelete/));
    expect(readdirSync(target)).toEqual(['kept']);
  });

  it('is told to be an object, if it is one', async () => {
    const target = createFolder();
    for (const args of [
      ['cp', '-r', there('x/a.txt'), target],
      ['cp', '-r', there('x/a.txt'), there('to')],
      ['rm', '-r', there('x/a.txt')],
    ])
      expect(await svc(...args), args.join(' ')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('InvalidOption: x/a.txt is an object, and nothing lies below it: leave -r out.\n'),
      });
    expect(await svc('verify', target, there('x/a.txt'))).toMatchObject({ status: 2 });
    expect(await listObjects(createTransfer(), bucket, 'x/')).toHaveLength(1);
    expect(JSON.parse((await svc('du', there('x/a.txt'), '--json')).stdout)).toEqual({
      prefix: there('x/a.txt'),
      objects: 1,
      bytes: 4,
    });
  }, 60_000);

  it('may be a bucket, a folder that was marked, and what a filter leaves out', async () => {
    const [target, empty] = [createFolder(), `s3://${await createBucket()}`];
    for (const args of [
      ['cp', '-r', empty, target],
      ['verify', target, empty],
      ['ls', empty],
      ['du', empty],
      ['cp', '-r', there('marked'), target],
      ['cp', '-r', there('x'), target, '--exclude', '*'],
      ['ls', there('x/'), '--exclude', '*'],
    ])
      expect(await svc(...args), args.join(' ')).toMatchObject({ status: 0 });
  }, 60_000);
});

describe('an object that cannot be had', () => {
  let bucket: string;
  let at: string;
  const target = createFolder();
  beforeAll(async () => {
    at = `s3://${(bucket = await createBucket())}/`;
    for (const Key of ['big', 'mix/a', 'mix/b']) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  });
  const waysOf = (object: string) => [
    ['cp', object, `${target}/`],
    ['cp', object, '-'],
    ['cat', object],
    ['cp', object, `${at}copy`],
  ];

  it('is told by what keeps it from that, which the answer to a HEAD has no body to say', async () => {
    const wrong = { ...s3Environment(), XDG_STATE_HOME: state, AWS_SECRET_ACCESS_KEY: 'x' };
    for (const args of waysOf(`${at}big`))
      expect(await svcBlob(args, wrong), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/SignatureDoesNotMatch: [^]*The secret access key does not match/),
      });
    for (const args of waysOf(`s3://${bucket}-none/big`))
      expect(await svc(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(new RegExp(`NoSuchBucket: There is no bucket ${bucket}-none\\.[^]*Create the bucket`)),
      });
    expect(await svc('sync', at, `s3://${bucket}-away`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`NoSuchBucket: There is no bucket ${bucket}-away.\n`),
    });
    expect(await svc('cp', `${at}nope`, target)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/NoSuchKey: There is no object nope\.\n/),
    });
    expect(readdirSync(target)).toEqual([]);
  }, 60_000);

  it('is asked for by its key, where a bucket is named', async () => {
    for (const args of [
      ['cat', at],
      ['cat', `s3://${bucket}`],
      ['cp', at, '-'],
    ])
      expect(await svc(...args), args.join(' ')).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(new RegExp(`s3://${bucket} is a bucket: name a key in it`)),
      });
  }, 60_000);

  it('is told to be a prefix, if it is one', async () => {
    for (const [args, advised] of [
      [['cp', `${at}mix`, target], ': add -r'],
      [['cp', `${at}mix`, `${at}copy`], ': add -r'],
      [['cp', `${at}mix`, '-'], ''],
      [['cat', `${at}mix/`], ''],
    ] as const)
      expect(await svc(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(new RegExp(`NoSuchKey: There is no object mix/?; mix/ is a prefix${advised}\\.\n`)),
      });
  }, 60_000);

  it('because its key ends in a slash is had as a file, unless it is but the mark of a folder', async () => {
    for (const [Key, Body] of [
      ['slash/bytes/', 'bytes'],
      ['slash/mark/', ''],
    ] as const)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    const folder = createFolder();
    const cp = (key: string, to: string, ...more: string[]) => svc('cp', `${at}slash/${key}`, join(folder, to), ...more);
    for (const more of [['--dry-run'], []]) {
      expect(await cp('bytes/', 'file', ...more)).toMatchObject({ status: 0 });
      expect(await cp('mark/', 'mark', ...more)).toMatchObject({ status: 1, stderr: expect.stringContaining('folder: add -r') });
      expect(await cp('', 'none', ...more)).toMatchObject({ status: 1, stderr: expect.stringContaining('a prefix: add -r') });
    }
    expect(await cp('bytes/', '')).toMatchObject({ status: 2, stderr: expect.stringContaining('name a target file') });
    expect(readdirSync(folder)).toEqual(['file']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('bytes');
  }, 60_000);

  it('costs one more question in all, which may be refused, and one that can be had costs none', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const from = { bucket, prefix: '' };
    const questions = () => proxy.requests.filter(({ path }) => path.includes('list-type')).length;
    expect(await bulk.download(from, new FolderTarget(createFolder()), { paths: ['big', 'mix/a'] })).toMatchObject({ files: 2 });
    expect(questions()).toBe(0);
    const paths = Array.from({ length: 50 }, (_, i) => `none${i}`);
    const missing = { files: 0, failed: 50, failures: paths.map(() => ({ code: 'NoSuchKey' })) };
    expect(await bulk.download(from, new FolderTarget(target), { paths })).toMatchObject(missing);
    expect(questions()).toBe(1);
    proxy.on({ path: /list-type/, fault: { respond: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } } });
    expect(await bulk.download(from, new FolderTarget(target), { paths })).toMatchObject(missing);
    expect(questions()).toBe(2);
    proxy.on({ method: 'HEAD', fault: { respond: { status: 403 } } });
    const refused = { files: 0, failures: [{ code: 'AccessDenied', message: 'The store answered 403.' }] };
    expect(await bulk.downloadExact({ bucket, prefix: 'big' }, new FolderTarget(target), 'big')).toMatchObject(refused);
    // Of a list of what lies in a bucket that is not there, one failure tells it.
    const ended = await createTransfer().download({ bucket: `${bucket}-none`, prefix: '' }, new FolderTarget(target), { paths });
    expect(ended).toMatchObject({ ended: 'NoSuchBucket', failures: [{ code: 'NoSuchBucket' }] });
    expect(readdirSync(target)).toEqual([]);
    bulk.close();
  }, 60_000);
});

describe('a name that looks like a pattern', () => {
  it('is taken to the letter; where nothing has it, the command fails and says how a pattern is said', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    const at = `s3://${bucket}/`;
    const keys = ['d/a.txt', 'd/b.txt', 'd/sub/c.txt', 'd/it*self.txt', 'd/b.bin'];
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }));
    const pattern = `--include '/*.txt' (without the leading slash, it matches at any depth).`;
    const fails = async (args: string[], command: string) =>
      expect(await svc(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`svc-blob ${command} ${pattern}`),
      });
    await Promise.all([
      fails(['rm', `${at}d/*.txt`], `rm -r ${at}d/`),
      fails(['rm', '-r', `${at}d/*.txt`], `rm -r ${at}d/`),
      fails(['sync', `${at}d/*.txt`, 'my copy'], `sync ${at}d/ 'my copy'`),
      fails(['cp', `${at}d/*.txt`, folder], `cp -r ${at}d/ ${folder}`),
      fails(['cp', `${at}d/*.txt`, '-'], `ls -r ${at}d/`),
      fails(['cp', join(folder, '*.txt'), at], `cp -r ${folder}/ ${at}`),
    ]);
    await Promise.all([
      fails(['cat', `${at}d/*.txt`], `ls -r ${at}d/`),
      fails(['ls', `${at}*.txt`], `ls -r ${at}`),
      fails(['du', `${at}d/*.txt`], `du ${at}d/`),
      fails(['verify', folder, `${at}d/*.txt`], `verify ${folder} ${at}d/`),
    ]);
    const told = (await svc('rm', `${at}d/?.txt`, '--json')).stdout.trim().split('\n').at(-1)!;
    expect(JSON.parse(told)).toMatchObject({ type: 'error', code: 'NothingThere', advice: expect.stringContaining("'/?.txt'") });
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(keys.length);
    // What was said deletes what was meant, and a key of such letters is one as any other.
    expect(await svc('rm', `${at}d/it*self.txt`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await svc('rm', '-r', `${at}d/`, '--include', '/*.txt')).toMatchObject({ status: 0, stderr: 'deleted 2 files\n' });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['d/b.bin', 'd/sub/c.txt']);
    expect(await svc('rm', `${at}gone.txt`)).toMatchObject({ status: 0, stderr: '1 file not found\n' });
  }, 120_000);

  it('and of which the shell made many names is told as that', async () => {
    expect(await svc('cp', 'a.txt', 'b.txt', 's3://bucket/')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^svc-blob: cp takes one source and one target, not 3 arguments: .*-r and --include/),
    });
  });
});

describe('svc-blob du', () => {
  it('counts what lies below a folder, and not what but begins with its name', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    for (const name of ['cons', 'cons2', 'cons-old']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'f'), name);
    }
    await svc('cp', '-r', folder, `s3://${bucket}`);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'cons//g', Body: 'g' }));
    const du = await svc('du', `s3://${bucket}/cons`, '--depth', '1', '--json');
    expect(
      du.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { prefix: `s3://${bucket}/cons`, objects: 2, bytes: 5 },
      { prefix: `s3://${bucket}/cons/`, objects: 1, bytes: 1 },
    ]);
  });
});
