import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { FolderTarget } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { commandEnvironment, runSvcBlob } from './run-command.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

describe('a prefix without objects', () => {
  let bucket: string;
  beforeAll(async () => {
    bucket = await createBucket();
    for (const Key of ['x/a.txt', 'x-old/b', 'marked/'])
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.from(Key.endsWith('/') ? '' : 'four') }));
  });
  const urlOf = (prefix: string) => `s3://${bucket}/${prefix}`;
  const fails = (stderr: RegExp) => ({ status: 1, stderr: expect.stringMatching(stderr) });

  it('fails cp, verify, du and ls', async () => {
    const target = createFolder();
    const missing = fails(new RegExp(`NothingThere: .*there is nothing below s3://${bucket}/[^]*Check the name`, 'i'));
    for (const args of [
      ['cp', '-r', urlOf('nope'), target],
      ['cp', '-r', '-n', urlOf('nope'), target],
      ['cp', '-r', urlOf('nope/'), urlOf('to/')],
      ['verify', target, urlOf('nope')],
      ['du', urlOf('nope')],
      // Other keys begin with x-, but x- is no folder.
      ['du', urlOf('x-')],
    ])
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject(missing);
    expect(await runSvcBlob('ls', urlOf('nope'))).toMatchObject(
      fails(new RegExp(`NothingThere: No key of s3://${bucket} begins with nope\\.\nCheck the name`)),
    );
    expect(readdirSync(target)).toEqual([]);
  });

  it('gives sync and rm nothing to do, but fails sync --delete', async () => {
    const target = createFolder();
    writeFileSync(join(target, 'kept'), '');
    const nothingToDo = (stderr: string) => ({ status: 0, stderr: `nothing to do: ${stderr}\n` });
    expect(await runSvcBlob('sync', urlOf('nope'), target)).toMatchObject(
      nothingToDo('the source is empty, or the filters exclude everything'),
    );
    expect(await runSvcBlob('rm', '-r', urlOf('nope'))).toMatchObject(nothingToDo('nothing matches'));
    expect(await runSvcBlob('sync', urlOf('nope'), target, '--delete')).toMatchObject(fails(/TooMuchToDelete/));
    expect(readdirSync(target)).toEqual(['kept']);
  });

  it('is reported as an object if one has that key', async () => {
    const target = createFolder();
    for (const args of [
      ['cp', '-r', urlOf('x/a.txt'), target],
      ['cp', '-r', urlOf('x/a.txt'), urlOf('to')],
      ['rm', '-r', urlOf('x/a.txt')],
    ])
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('InvalidOption: x/a.txt is an object, not a prefix: leave -r out.\n'),
      });
    expect(await runSvcBlob('verify', target, urlOf('x/a.txt'))).toMatchObject({ status: 2 });
    expect(await listObjects(createTransfer(), bucket, 'x/')).toHaveLength(1);
    expect(JSON.parse((await runSvcBlob('du', urlOf('x/a.txt'), '--json')).stdout)).toEqual({
      prefix: urlOf('x/a.txt'),
      objects: 1,
      bytes: 4,
    });
  });

  it('is accepted if it is an empty bucket, a marked folder or excluded by a filter', async () => {
    const [target, empty] = [createFolder(), `s3://${await createBucket()}`];
    for (const args of [
      ['cp', '-r', empty, target],
      ['verify', target, empty],
      ['ls', empty],
      ['du', empty],
      ['cp', '-r', urlOf('marked'), target],
      ['cp', '-r', urlOf('x'), target, '--exclude', '*'],
      ['ls', urlOf('x/'), '--exclude', '*'],
    ])
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({ status: 0 });
  });
});

describe('a missing or forbidden object', () => {
  let bucket: string;
  let bucketUrl: string;
  const target = createFolder();
  beforeAll(async () => {
    bucketUrl = `s3://${(bucket = await createBucket())}/`;
    for (const Key of ['big', 'mix/a', 'mix/b']) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  });
  const commandsFor = (object: string) => [
    ['cp', object, `${target}/`],
    ['cp', object, '-'],
    ['cat', object],
    ['cp', object, `${bucketUrl}copy`],
  ];

  it('is reported with the reason, although a response to HEAD has no body', async () => {
    const wrongSecret = { ...commandEnvironment(), AWS_SECRET_ACCESS_KEY: 'x' };
    for (const args of commandsFor(`${bucketUrl}big`))
      expect(await runCommand(args, wrongSecret), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/SignatureDoesNotMatch: [^]*The secret access key does not match/),
      });
    for (const args of commandsFor(`s3://${bucket}-none/big`))
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(new RegExp(`NoSuchBucket: There is no bucket ${bucket}-none\\.[^]*Create the bucket`)),
      });
    expect(await runSvcBlob('sync', bucketUrl, `s3://${bucket}-away`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`NoSuchBucket: There is no bucket ${bucket}-away.\n`),
    });
    expect(await runSvcBlob('cp', `${bucketUrl}nope`, target)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/NoSuchKey: There is no object nope\.\n/),
    });
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused if the argument is a bucket', async () => {
    for (const args of [
      ['cat', bucketUrl],
      ['cat', `s3://${bucket}`],
      ['cp', bucketUrl, '-'],
    ])
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(new RegExp(`s3://${bucket} is a bucket\\. Give a key in it`)),
      });
  });

  it('is reported as a prefix if keys begin with it', async () => {
    for (const [args, advice] of [
      [['cp', `${bucketUrl}mix`, target], ': add -r'],
      [['cp', `${bucketUrl}mix`, `${bucketUrl}copy`], ': add -r'],
      [['cp', `${bucketUrl}mix`, '-'], ''],
      [['cat', `${bucketUrl}mix/`], ''],
    ] as const)
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(new RegExp(`NoSuchKey: There is no object mix/?; mix/ is a prefix${advice}\\.\n`)),
      });
  });

  it('whose key ends in a slash can be copied to a named file, unless it is an empty marker', async () => {
    for (const [Key, Body] of [
      ['slash/bytes/', 'bytes'],
      ['slash/mark/', ''],
    ] as const)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    const folder = createFolder();
    const cp = (key: string, to: string, ...more: string[]) =>
      runSvcBlob('cp', `${bucketUrl}slash/${key}`, join(folder, to), ...more);
    for (const more of [['--dry-run'], []]) {
      expect(await cp('bytes/', 'file', ...more)).toMatchObject({ status: 0 });
      expect(await cp('mark/', 'mark', ...more)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('marks a folder. Add -r'),
      });
      expect(await cp('', 'none', ...more)).toMatchObject({ status: 1, stderr: expect.stringContaining('a prefix: add -r') });
    }
    expect(await cp('bytes/', '')).toMatchObject({ status: 2, stderr: expect.stringContaining('name a target file') });
    expect(readdirSync(folder)).toEqual(['file']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('bytes');
  });

  it('costs one listing for the whole transfer, and existing objects cost none', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const from = { bucket, prefix: '' };
    const countListings = () => proxy.requests.filter(({ path }) => path.includes('list-type')).length;
    expect(await bulk.download(from, new FolderTarget(createFolder()), { paths: ['big', 'mix/a'] })).toMatchObject({ files: 2 });
    expect(countListings()).toBe(0);
    const paths = Array.from({ length: 50 }, (_, i) => `none${i}`);
    const missing = { files: 0, failed: 50, failures: paths.map(() => ({ code: 'NoSuchKey' })) };
    expect(await bulk.download(from, new FolderTarget(target), { paths })).toMatchObject(missing);
    expect(countListings()).toBe(1);
    proxy.on({ path: /list-type/, fault: { respond: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } } });
    expect(await bulk.download(from, new FolderTarget(target), { paths })).toMatchObject(missing);
    expect(countListings()).toBe(2);
    proxy.on({ method: 'HEAD', fault: { respond: { status: 403 } } });
    const refused = { files: 0, failures: [{ code: 'AccessDenied', message: 'The store responded with status 403.' }] };
    expect(await bulk.downloadExact({ bucket, prefix: 'big' }, new FolderTarget(target), 'big')).toMatchObject(refused);
    // If the bucket does not exist, one failure is enough for the whole list.
    const ended = await createTransfer().download({ bucket: `${bucket}-none`, prefix: '' }, new FolderTarget(target), { paths });
    expect(ended).toMatchObject({ ended: 'NoSuchBucket', failures: [{ code: 'NoSuchBucket' }] });
    expect(readdirSync(target)).toEqual([]);
    bulk.close();
  });
});

describe('a key that looks like a pattern', () => {
  it('is taken literally, and fails with advice on --include if no object has it', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    const bucketUrl = `s3://${bucket}/`;
    const keys = ['d/a.txt', 'd/b.txt', 'd/sub/c.txt', 'd/it*self.txt', 'd/b.bin'];
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }));
    const pattern = `--include '/*.txt' (without its leading slash, the pattern matches at any depth).`;
    const expectAdvice = async (args: string[], command: string) =>
      expect(await runSvcBlob(...args), args.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`svc-blob ${command} ${pattern}`),
      });
    await Promise.all([
      expectAdvice(['rm', `${bucketUrl}d/*.txt`], `rm -r ${bucketUrl}d/`),
      expectAdvice(['rm', '-r', `${bucketUrl}d/*.txt`], `rm -r ${bucketUrl}d/`),
      expectAdvice(['sync', `${bucketUrl}d/*.txt`, 'my copy'], `sync ${bucketUrl}d/ 'my copy'`),
      expectAdvice(['cp', `${bucketUrl}d/*.txt`, folder], `cp -r ${bucketUrl}d/ ${folder}`),
      expectAdvice(['cp', `${bucketUrl}d/*.txt`, '-'], `ls -r ${bucketUrl}d/`),
      expectAdvice(['cp', join(folder, '*.txt'), bucketUrl], `cp -r ${folder}/ ${bucketUrl}`),
    ]);
    await Promise.all([
      expectAdvice(['cat', `${bucketUrl}d/*.txt`], `ls -r ${bucketUrl}d/`),
      expectAdvice(['ls', `${bucketUrl}*.txt`], `ls -r ${bucketUrl}`),
      expectAdvice(['du', `${bucketUrl}d/*.txt`], `du ${bucketUrl}d/`),
      expectAdvice(['verify', folder, `${bucketUrl}d/*.txt`], `verify ${folder} ${bucketUrl}d/`),
    ]);
    const lastEvent = (await runSvcBlob('rm', `${bucketUrl}d/?.txt`, '--json')).stdout.trim().split('\n').at(-1)!;
    expect(JSON.parse(lastEvent)).toMatchObject({
      type: 'error',
      code: 'NothingThere',
      advice: expect.stringContaining("'/?.txt'"),
    });
    expect(await listObjects(createTransfer(), bucket)).toHaveLength(keys.length);
    // The advice works, and an existing key with such characters can be deleted.
    expect(await runSvcBlob('rm', `${bucketUrl}d/it*self.txt`)).toMatchObject({ status: 0, stderr: 'deleted 1 file\n' });
    expect(await runSvcBlob('rm', '-r', `${bucketUrl}d/`, '--include', '/*.txt')).toMatchObject({
      status: 0,
      stderr: 'deleted 2 files\n',
    });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['d/b.bin', 'd/sub/c.txt']);
    expect(await runSvcBlob('rm', `${bucketUrl}gone.txt`)).toMatchObject({ status: 0, stderr: '1 file not found\n' });
  });

  it('and was expanded by the shell is reported as too many arguments', async () => {
    expect(await runSvcBlob('cp', 'a.txt', 'b.txt', 's3://bucket/')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^svc-blob: cp takes one source and one target, not 3 arguments: .*-r and --include/),
    });
  });
});

describe('svc-blob du', () => {
  it('counts objects in a folder, not those whose keys only begin with its name', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    for (const name of ['cons', 'cons2', 'cons-old']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'f'), name);
    }
    await runSvcBlob('cp', '-r', folder, `s3://${bucket}`);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'cons//g', Body: 'g' }));
    const du = await runSvcBlob('du', `s3://${bucket}/cons`, '--depth', '1', '--json');
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
