import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { svcBlob } from '../cli/support.js';
import { client, listed, newBucket, newBulk, newFolder, s3, s3Environment } from './engine.js';

const state = newFolder();
const svc = (...args: string[]) => svcBlob(args, { ...s3Environment(), XDG_STATE_HOME: state });

describe.skipIf(s3 === undefined)('--files-from', () => {
  let folder: string;
  let bucket: string;
  let list: string;
  beforeEach(async () => {
    folder = newFolder();
    mkdirSync(join(folder, 'sub'));
    for (const name of ['a', 'b', 'sub/c', 'unnamed']) writeFileSync(join(folder, name), name);
    bucket = await newBucket();
    list = join(newFolder(), 'list');
  });
  const names = (...all: string[]) => writeFileSync(list, all.map((name) => `${name}\n`).join(''));
  const there = async (prefix = '') => (await listed(newBulk(), bucket, prefix)).map(({ key }) => key);

  const put = (...keys: string[]) =>
    Promise.all(keys.map((Key) => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))));

  it('of a sync leaves alone what it does not name, on both sides', async () => {
    names('sub/c', 'b', join(folder, 'a'), 'never', 'b');
    const up = ['sync', folder, `s3://${bucket}/x`, '--files-from', list];
    expect(await svc(...up)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 3 files') });
    expect(await there()).toEqual(['x/a', 'x/b', 'x/sub/c']);
    await put('x/unnamed', 'x/never');
    rmSync(join(folder, 'b'));
    expect(await svc(...up, '--delete')).toMatchObject({ status: 0, stderr: 'deleted 2 files; 2 files as they should be\n' });
    expect(await there()).toEqual(['x/a', 'x/sub/c', 'x/unnamed']);
  });

  it('of a sync works the other way', async () => {
    await put('x/a', 'x/b', 'x/sub/c', 'x/other');
    names('sub/c', 'b', 'a', 'never', 'b');
    const down = ['sync', `s3://${bucket}/x`, folder, '--files-from', list];
    writeFileSync(join(folder, 'never'), '');
    expect(await svc(...down, '--exclude', 'b', '--delete')).toMatchObject({ status: 0 });
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a', 'b', 'sub', 'sub/c', 'unnamed']);
    expect(['a', 'b', 'sub/c'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['x/a', 'b', 'x/sub/c']);
  });

  it('of a sync works within the store', async () => {
    await put('x/a', 'x/b', 'x/other', 'y/never', 'y/unnamed');
    names('b', 'a', 'never');
    const within = ['sync', `s3://${bucket}/x`, `s3://${bucket}/y`, '--files-from', list, '--delete'];
    expect(await svc(...within)).toMatchObject({ status: 0 });
    expect(await there('y/')).toEqual(['y/a', 'y/b', 'y/unnamed']);
  });

  it('of a sync names nothing outside of its places', async () => {
    names('../etc/passwd');
    const outside = { status: 1, stderr: expect.stringContaining('does not lie below') };
    expect(await svc('sync', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(outside);
    expect(await svc('sync', `s3://${bucket}`, folder, '--files-from', list)).toMatchObject(outside);
  });

  it('copies within the store what it names, and replaces nothing with --no-clobber', async () => {
    await put('x/a', 'x/b', 'x/sub/c');
    names('sub/c', 'a');
    const within = ['cp', `s3://${bucket}/x`, `s3://${bucket}/y`, '--files-from', list];
    expect(await svc(...within)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 2 files') });
    expect(await there('y/')).toEqual(['y/a', 'y/sub/c']);
    expect(await svc(...within, '--no-clobber')).toMatchObject({ status: 0, stderr: '2 files as they should be\n' });
  });

  it('takes no name twice, uploading or downloading', async () => {
    names('a', './a', 'b');
    const twice = { status: 1, stderr: expect.stringContaining('named twice') };
    expect(await svc('cp', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(twice);
    expect(await there()).toEqual(['a', 'b']);
    names('a', 'a');
    const target = newFolder();
    expect(await svc('cp', `s3://${bucket}`, target, '--files-from', list)).toMatchObject(twice);
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('a');
  });

  it('or -r is what filters go with', async () => {
    const wrong = { status: 2, stderr: expect.stringContaining('--include and --exclude go with -r') };
    expect(await svc('cp', join(folder, 'a'), `s3://${bucket}/a`, '--exclude', 'a')).toMatchObject(wrong);
    expect(await svc('cp', `s3://${bucket}/a`, folder, '--include', 'a')).toMatchObject(wrong);
  });
});
