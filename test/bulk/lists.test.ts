import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHashedNames, sortedNamesFrom } from '../../server/cli/bulk/name-list.js';
import { withSession } from '../../server/cli/bulk/session.js';
import type { Session } from '../../server/cli/bulk/session.js';
import { start, svcBlob } from '../cli/support.js';
import { client, listed, newBucket, newBulk, newFolder, s3Environment } from './engine.js';

const state = newFolder();

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
const svc = (...args: string[]) => svcBlob(args, { ...s3Environment(), XDG_STATE_HOME: state });

describe('--files-from', () => {
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

  it('may begin with the mark that Windows puts before a text', async () => {
    writeFileSync(list, '\uFEFFa\r\nb\r\n');
    expect(await svc('cp', '--files-from', list, folder, `s3://${bucket}/m`)).toMatchObject({ status: 0 });
    expect(await there('m/')).toEqual(['m/a', 'm/b']);
  });

  it('takes nothing for gone that is behind a link which leads nowhere just now', async () => {
    await put('x/a', 'x/linked', 'x/far/b');
    symlinkSync('/nowhere/at/all', join(folder, 'linked'));
    symlinkSync('/nowhere/at/all', join(folder, 'far'));
    names('a', 'linked', 'far/b');
    const told = await svc('sync', folder, `s3://${bucket}/x`, '--files-from', list, '--delete');
    expect(told).toMatchObject({ status: 1, stderr: expect.stringContaining('SourceUnreadable') });
    expect(await there()).toEqual(['x/a', 'x/far/b', 'x/linked']);
  });

  it('of a sync leaves alone what it does not name, on both sides', async () => {
    names('sub/c', 'b', join(folder, 'a'), 'never', 'b');
    const up = ['sync', folder, `s3://${bucket}/x`, '--files-from', list];
    expect(await svc(...up)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 3 files') });
    expect(await there()).toEqual(['x/a', 'x/b', 'x/sub/c']);
    await put('x/unnamed', 'x/never');
    rmSync(join(folder, 'b'));
    expect(await svc(...up, '--delete')).toMatchObject({ status: 0, stderr: 'deleted 2 files; 2 files already up to date\n' });
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

  it('may be as find writes it, for every way', async () => {
    const found = (from: string) => writeFileSync(list, execFileSync('find', ['.'], { cwd: from }));
    await put('x/a', 'x/b', 'x/sub/c');
    writeFileSync(list, './a\n././b\n.//sub/./c\n');
    const target = newFolder();
    const from = `s3://${bucket}/x`;
    for (const args of [
      ['cp', from, target],
      ['sync', from, join(target, 'synced')],
      ['cp', from, `s3://${bucket}/y`],
      ['sync', from, `s3://${bucket}/z`],
    ])
      expect([args, await svc(...args, '--files-from', list)]).toMatchObject([
        args,
        { status: 0, stderr: expect.stringContaining('copied 3 files') },
      ]);
    const all = ['a', 'b', 'sub', 'sub/c'];
    expect(readdirSync(join(target, 'synced'), { recursive: true }).sort()).toEqual(all);
    expect(await there('y/')).toEqual(['y/a', 'y/b', 'y/sub/c']);
    expect(await there('z/')).toEqual(['z/a', 'z/b', 'z/sub/c']);
    // The place itself is in it as well, and directories.
    found(join(target, 'synced'));
    expect(await svc('sync', from, target, '--files-from', list)).toMatchObject({ status: 0 });
  }, 60_000);

  it('of rm is taken to the letter: ./a is not a', async () => {
    await put('x/a', 'x/b', 'x/sub/c');
    names('./a', 'sub/./c', '.', 'b');
    const told = await svc('rm', `s3://${bucket}/x`, '--files-from', list);
    expect(told).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('deleted 1 file, if they existed; 3 failed'),
    });
    expect(told.stderr).toContain('x/./a');
    expect(await there()).toEqual(['x/a', 'x/sub/c']);
  });

  it('fails where a name of it can be none', async () => {
    await put('x/a');
    const unsafe = { status: 1, stderr: expect.stringContaining('NameUnsafe') };
    const from = `s3://${bucket}/x`;
    names('sub/.', 'a');
    expect(await svc('sync', from, folder, '--files-from', list)).toMatchObject(unsafe);
    expect(await svc('sync', from, `s3://${bucket}/y`, '--files-from', list)).toMatchObject(unsafe);
    names(join(folder, 'a'));
    expect(await svc('sync', from, folder, '--files-from', list)).toMatchObject(unsafe);
    names('b/..', 'a', 'n'.repeat(1100));
    const removed = await svc('rm', from, '--files-from', list);
    expect(removed).toMatchObject({
      ...unsafe,
      stderr: expect.stringContaining('deleted 1 file, if they existed; 2 failed'),
    });
    expect(await there()).toEqual([]);
  }, 60_000);

  it('of a sync names nothing outside of its places', async () => {
    names('../etc/passwd');
    const outside = { status: 1, stderr: expect.stringMatching(/is not below[^]*\nRemove it from the list/) };
    expect(await svc('sync', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(outside);
    expect(await svc('sync', `s3://${bucket}`, folder, '--files-from', list)).toMatchObject(outside);
  });

  it('whose names end in a zero byte is not taken for another', async () => {
    writeFileSync(list, 'a\0b\nc\0');
    const refused = { status: 2, stderr: expect.stringContaining('Add -0.') };
    expect(await svc('rm', `s3://${bucket}`, '--files-from', list)).toMatchObject(refused);
    expect(await svc('cp', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(refused);
    expect(await there()).toEqual([]);
  });

  it('of a sync that deletes is not believed where the source has nothing of it', async () => {
    await put('x/a', 'x/b');
    const up = (from: string, ...more: string[]) =>
      svc('sync', from, `s3://${bucket}/x`, '--files-from', list, '--delete', ...more);
    const gone = join(folder, 'not-mounted');
    names(join(gone, 'a'), join(gone, 'b'));
    const unread = { status: 1, stderr: expect.stringContaining('NotDeleted') };
    expect(await up(gone)).toMatchObject(unread);
    expect(await up(gone, '--max-delete', '2')).toMatchObject(unread);
    const refused = { status: 1, stderr: expect.stringContaining('TooMuchToDelete') };
    mkdirSync(gone);
    expect(await up(gone)).toMatchObject(refused);
    names('a', 'b');
    const from = `s3://${bucket}/typo`;
    expect(await svc('sync', from, folder, '--files-from', list, '--delete')).toMatchObject(refused);
    expect(await svc('sync', from, `s3://${bucket}/x`, '--files-from', list, '--delete')).toMatchObject(refused);
    expect(readdirSync(folder)).toEqual(['a', 'b', 'not-mounted', 'sub', 'unnamed']);
    expect(await there()).toEqual(['x/a', 'x/b']);
    names(join(gone, 'a'), join(gone, 'b'));
    expect(await up(gone, '--max-delete', '2')).toMatchObject({ status: 0 });
    expect(await there()).toEqual([]);
  });

  it('of a sync that deletes spares what lies behind a link', async () => {
    const outside = newFolder();
    writeFileSync(join(outside, 'precious'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    mkdirSync(join(folder, 'z'));
    symlinkSync(outside, join(folder, 'z', 'deep'));
    symlinkSync(folder, `${list}-folder`);
    await put('x/a');
    names('a', 'b', 'link/precious', 'sub/c', 'z/deep/precious');
    const down = ['sync', `s3://${bucket}/x`, `${list}-folder`, '--files-from', list, '--delete'];
    expect(await svc(...down)).toMatchObject({ status: 0, stderr: expect.stringContaining('deleted 2 files') });
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readdirSync(folder)).toEqual(['a', 'link', 'sub', 'unnamed', 'z']);
  });

  it('leaves links out where that is said', async () => {
    const outside = newFolder();
    writeFileSync(join(outside, 'x'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'x'), join(folder, 'to-x'));
    names('a', 'link/x', 'to-x');
    const skip = [folder, `s3://${bucket}`, '--files-from', list, '--symlinks', 'skip'];
    expect(await svc('cp', ...skip)).toMatchObject({ status: 0 });
    expect(await svc('sync', ...skip)).toMatchObject({ status: 0 });
    expect(await there()).toEqual(['a']);
    expect(await svc('cp', ...skip.slice(0, -2))).toMatchObject({ status: 0 });
    expect(await there()).toEqual(['a', 'link/x', 'to-x']);
  });

  it('copies within the store what it names, and replaces nothing with --no-clobber', async () => {
    await put('x/a', 'x/b', 'x/sub/c');
    names('sub/c', 'a');
    const within = ['cp', `s3://${bucket}/x`, `s3://${bucket}/y`, '--files-from', list];
    expect(await svc(...within)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 2 files') });
    expect(await there('y/')).toEqual(['y/a', 'y/sub/c']);
    expect(await svc(...within, '--no-clobber')).toMatchObject({
      status: 0,
      stderr: '2 files skipped because the target exists\n',
    });
  });

  it('takes no name twice, uploading or downloading', async () => {
    names('a', './a', 'b');
    const twice = { status: 1, stderr: expect.stringMatching(/named twice[^]* Name it once\.\n/) };
    expect(await svc('cp', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(twice);
    expect(await there()).toEqual(['a', 'b']);
    names('a', 'a');
    const target = newFolder();
    expect(await svc('cp', `s3://${bucket}`, target, '--files-from', list)).toMatchObject(twice);
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('a');
  });

  it('may name directories, which are passed over, and what is gone with one', async () => {
    const find = execFileSync('find', ['.'], { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
    expect(find).toEqual(expect.arrayContaining(['.', './sub', './sub/c']));
    names(...find.map((name) => join(folder, name)));
    const [from, to] = [folder, `s3://${bucket}/x`];
    const told = { status: 0, stderr: expect.stringContaining('skipped sub: no regular file') };
    expect(await svc('cp', from, to, '-v', '--files-from', list)).toMatchObject(told);
    expect(await there()).toEqual(['x/a', 'x/b', 'x/sub/c', 'x/unnamed']);
    rmSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(folder, 'sub'), 'a file by now');
    const synced = { status: 0, stderr: expect.stringContaining('deleted 1 file') };
    expect(await svc('sync', from, to, '--files-from', list, '--delete')).toMatchObject(synced);
    expect(await there()).toEqual(['x/a', 'x/b', 'x/sub', 'x/unnamed']);
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('that comes by a pipe ends with the run: %s', async (signal) => {
    execFileSync('mkfifo', [list]);
    const writer = openSync(list, 'r+');
    writeSync(writer, `${join(folder, 'a')}\n`);
    const args = ['cp', folder, `s3://${bucket}`, '--files-from', list, '--json'];
    const child = start(args, { ...s3Environment(), XDG_STATE_HOME: state });
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([130, null]);
    closeSync(writer);
  });

  it('leaves nothing open that it was remembered in', async () => {
    const open = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).includes('.svc-'));
    const before = open().length;
    writeFileSync(list, Array.from({ length: 300_000 }, (_, at) => `${at}\n`).join(''));
    const work = async (session: Session) => {
      await sortedNamesFrom(session, { file: list, signal: undefined, zero: false }, undefined, () => true);
      const known = createHashedNames(session);
      for (let at = 0; at < 600_000; at++) known.add(`${at}`);
      expect(open()).toHaveLength(before + 2);
    };
    await withSession({ endpoint: 'http://127.0.0.1:1', signRequest: false }, work);
    expect(open()).toHaveLength(before);
  });

  it('or -r is what filters go with', async () => {
    const wrong = { status: 2, stderr: expect.stringContaining('--include and --exclude need -r') };
    expect(await svc('cp', join(folder, 'a'), `s3://${bucket}/a`, '--exclude', 'a')).toMatchObject(wrong);
    expect(await svc('cp', `s3://${bucket}/a`, folder, '--include', 'a')).toMatchObject(wrong);
    expect(await svc('rm', `s3://${bucket}/a`, '--include', 'a')).toMatchObject(wrong);
    await put('x/a', 'x/b');
    names('a', 'b');
    expect(await svc('rm', `s3://${bucket}/x`, '--files-from', list, '--exclude', 'b')).toMatchObject({ status: 0 });
    expect(await there()).toEqual(['x/b']);
  });

  it('is none of what comes from standard input', async () => {
    names('a');
    for (const more of [['--files-from', list], ['-r']])
      expect(await svc('cp', '-', `s3://${bucket}/a`, ...more)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('standard input is one object'),
      });
  });
});
