import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCommand } from '../cli/run-command.js';
import { createFolder } from './s3-store.js';
import { createListFixture } from './list-fixture.js';
import type { ListFixture } from './list-fixture.js';
import { commandEnvironment, runSvcBlobProcess } from './run-command.js';

let fixture: ListFixture;
beforeEach(async () => void (fixture = await createListFixture()));

describe('svc-blob cp --files-from', () => {
  it('reads a list with a byte order mark and Windows line ends', async () => {
    const { folder, bucket, list, listKeys } = fixture;
    writeFileSync(list, '\uFEFFa\r\nb\r\n');
    expect(await runSvcBlobProcess('cp', '--files-from', list, folder, `s3://${bucket}/m`)).toMatchObject({ status: 0 });
    expect(await listKeys('m/')).toEqual(['m/a', 'm/b']);
  });

  it('uploads files behind symbolic links, and skips them with --symlinks skip', async () => {
    const { folder, bucket, list, writeList, listKeys } = fixture;
    const outside = createFolder();
    writeFileSync(join(outside, 'x'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'x'), join(folder, 'to-x'));
    writeList('a', 'link/x', 'to-x');
    const follow = [folder, `s3://${bucket}`, '--files-from', list];
    const skip = [...follow, '--symlinks', 'skip'];
    expect(await runSvcBlobProcess('cp', ...skip)).toMatchObject({ status: 0 });
    expect(await runSvcBlobProcess('sync', ...skip)).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual(['a']);
    expect(await runSvcBlobProcess('cp', ...follow)).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual(['a', 'link/x', 'to-x']);
  });

  it('copies the listed objects within the store, and skips existing targets with --no-clobber', async () => {
    const { bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b', 'x/sub/c');
    writeList('sub/c', 'a');
    const copy = ['cp', `s3://${bucket}/x`, `s3://${bucket}/y`, '--files-from', list];
    expect(await runSvcBlobProcess(...copy)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 2 files') });
    expect(await listKeys('y/')).toEqual(['y/a', 'y/sub/c']);
    expect(await runSvcBlobProcess(...copy, '--no-clobber')).toMatchObject({
      status: 0,
      stderr: '2 files skipped because the target exists\n',
    });
  });

  it('fails a name that the list contains twice', async () => {
    const { folder, bucket, list, writeList, listKeys } = fixture;
    const namedTwice = { status: 1, stderr: expect.stringMatching(/given twice[^]* Give it only once\.\n/) };
    writeList('a', './a', 'b');
    expect(await runSvcBlobProcess('cp', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(namedTwice);
    expect(await listKeys()).toEqual(['a', 'b']);
    writeList('a', 'a');
    const target = createFolder();
    expect(await runSvcBlobProcess('cp', `s3://${bucket}`, target, '--files-from', list)).toMatchObject(namedTwice);
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('a');
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('stops reading the list from a pipe on %s', async (signal) => {
    const { folder, bucket, list } = fixture;
    execFileSync('mkfifo', [list]);
    const writer = openSync(list, 'r+');
    writeSync(writer, `${join(folder, 'a')}\n`);
    const child = startCommand(['cp', folder, `s3://${bucket}`, '--files-from', list, '--json'], commandEnvironment());
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([130, null]);
    closeSync(writer);
  });

  it('is refused for an upload from standard input, as is -r', async () => {
    const { bucket, list, writeList } = fixture;
    writeList('a');
    for (const more of [['--files-from', list], ['-r']])
      expect(await runSvcBlobProcess('cp', '-', `s3://${bucket}/a`, ...more)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('standard input is one object'),
      });
  });
});

describe('svc-blob --files-from', () => {
  it('asks for -0 if zero bytes separate the names of the list', async () => {
    const { folder, bucket, list, listKeys } = fixture;
    writeFileSync(list, 'a\0b\nc\0');
    const refused = { status: 2, stderr: expect.stringContaining('Add -0.') };
    expect(await runSvcBlobProcess('rm', `s3://${bucket}`, '--files-from', list)).toMatchObject(refused);
    expect(await runSvcBlobProcess('cp', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(refused);
    expect(await listKeys()).toEqual([]);
  });

  it('or -r is required for --include and --exclude', async () => {
    const { folder, bucket, list, writeList, putObjects, listKeys } = fixture;
    const refused = { status: 2, stderr: expect.stringContaining('--include and --exclude need -r') };
    expect(await runSvcBlobProcess('cp', join(folder, 'a'), `s3://${bucket}/a`, '--exclude', 'a')).toMatchObject(refused);
    expect(await runSvcBlobProcess('cp', `s3://${bucket}/a`, folder, '--include', 'a')).toMatchObject(refused);
    expect(await runSvcBlobProcess('rm', `s3://${bucket}/a`, '--include', 'a')).toMatchObject(refused);
    await putObjects('x/a', 'x/b');
    writeList('a', 'b');
    const excludeB = ['--files-from', list, '--exclude', 'b'];
    expect(await runSvcBlobProcess('rm', `s3://${bucket}/x`, ...excludeB)).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual(['x/b']);
  });
});

describe('svc-blob rm --files-from', () => {
  it('treats names as exact keys: ./a does not delete a', async () => {
    const { bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b', 'x/sub/c');
    writeList('./a', 'sub/./c', '.', 'b');
    const removed = await runSvcBlobProcess('rm', `s3://${bucket}/x`, '--files-from', list);
    expect(removed).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('deleted 1 file, if they existed; 3 failed'),
    });
    expect(removed.stderr).toContain('x/./a');
    expect(await listKeys()).toEqual(['x/a', 'x/sub/c']);
  });

  it('fails names that no key can have, and deletes the others', async () => {
    const { bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a');
    writeList('b/..', 'a', 'n'.repeat(1100));
    const removed = await runSvcBlobProcess('rm', `s3://${bucket}/x`, '--files-from', list);
    expect(removed.status).toBe(1);
    expect(removed.stderr).toContain('NameUnsafe');
    expect(removed.stderr).toContain('deleted 1 file, if they existed; 2 failed');
    expect(await listKeys()).toEqual([]);
  });
});
