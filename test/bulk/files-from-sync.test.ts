import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from './s3-store.js';
import { createListFixture } from './list-fixture.js';
import type { ListFixture } from './list-fixture.js';
import { runSvcBlob } from './run-command.js';

const findPaths = (folder: string): string => execFileSync('find', ['.'], { cwd: folder, encoding: 'utf8' });

let fixture: ListFixture;
beforeEach(async () => void (fixture = await createListFixture()));

describe('svc-blob sync --files-from', () => {
  it('uploads and deletes only listed files', async () => {
    const { folder, bucket, list, writeList, putObjects, listKeys } = fixture;
    writeList('sub/c', 'b', join(folder, 'a'), 'never', 'b');
    const upload = ['sync', folder, `s3://${bucket}/x`, '--files-from', list];
    expect(await runSvcBlob(...upload)).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 3 files') });
    expect(await listKeys()).toEqual(['x/a', 'x/b', 'x/sub/c']);
    await putObjects('x/unlisted', 'x/never');
    rmSync(join(folder, 'b'));
    const deleted = { status: 0, stderr: 'deleted 2 files; 2 files already up to date\n' };
    expect(await runSvcBlob(...upload, '--delete')).toMatchObject(deleted);
    expect(await listKeys()).toEqual(['x/a', 'x/sub/c', 'x/unlisted']);
  });

  it('downloads and deletes only listed files', async () => {
    const { folder, bucket, list, writeList, putObjects } = fixture;
    await putObjects('x/a', 'x/b', 'x/sub/c', 'x/other');
    writeList('sub/c', 'b', 'a', 'never', 'b');
    writeFileSync(join(folder, 'never'), '');
    const download = ['sync', `s3://${bucket}/x`, folder, '--files-from', list, '--exclude', 'b', '--delete'];
    expect(await runSvcBlob(...download)).toMatchObject({ status: 0 });
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a', 'b', 'sub', 'sub/c', 'unlisted']);
    expect(['a', 'b', 'sub/c'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['x/a', 'b', 'x/sub/c']);
  });

  it('copies and deletes only listed objects within the store', async () => {
    const { bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b', 'x/other', 'y/never', 'y/unlisted');
    writeList('b', 'a', 'never');
    const copy = ['sync', `s3://${bucket}/x`, `s3://${bucket}/y`, '--files-from', list, '--delete'];
    expect(await runSvcBlob(...copy)).toMatchObject({ status: 0 });
    expect(await listKeys('y/')).toEqual(['y/a', 'y/b', 'y/unlisted']);
  });

  it('and cp accept the paths that find prints, in every direction', async () => {
    const { bucket, list, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b', 'x/sub/c');
    writeFileSync(list, './a\n././b\n.//sub/./c\n');
    const target = createFolder();
    const synced = join(target, 'synced');
    const source = `s3://${bucket}/x`;
    for (const args of [
      ['cp', source, target],
      ['sync', source, synced],
      ['cp', source, `s3://${bucket}/y`],
      ['sync', source, `s3://${bucket}/z`],
    ])
      expect([args, await runSvcBlob(...args, '--files-from', list)]).toMatchObject([
        args,
        { status: 0, stderr: expect.stringContaining('copied 3 files') },
      ]);
    expect(readdirSync(synced, { recursive: true }).sort()).toEqual(['a', 'b', 'sub', 'sub/c']);
    expect(await listKeys('y/')).toEqual(['y/a', 'y/b', 'y/sub/c']);
    expect(await listKeys('z/')).toEqual(['z/a', 'z/b', 'z/sub/c']);
    // The output of find also contains the folder itself and directories.
    writeFileSync(list, findPaths(synced));
    expect(await runSvcBlob('sync', source, target, '--files-from', list)).toMatchObject({ status: 0 });
  });

  it('skips listed directories, and deletes objects whose directory has become a file', async () => {
    const { folder, bucket, list, writeList, listKeys } = fixture;
    const found = findPaths(folder).split('\n').filter(Boolean);
    expect(found).toEqual(expect.arrayContaining(['.', './sub', './sub/c']));
    writeList(...found.map((name) => join(folder, name)));
    const [source, target] = [folder, `s3://${bucket}/x`];
    const skipped = { status: 0, stderr: expect.stringContaining('skipped sub: not a regular file') };
    expect(await runSvcBlob('cp', source, target, '-v', '--files-from', list)).toMatchObject(skipped);
    expect(await listKeys()).toEqual(['x/a', 'x/b', 'x/sub/c', 'x/unlisted']);
    rmSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(folder, 'sub'), 'a file by now');
    const deleted = { status: 0, stderr: expect.stringContaining('deleted 1 file') };
    expect(await runSvcBlob('sync', source, target, '--files-from', list, '--delete')).toMatchObject(deleted);
    expect(await listKeys()).toEqual(['x/a', 'x/b', 'x/sub', 'x/unlisted']);
  });

  it('fails names that no file or key can have', async () => {
    const { folder, bucket, list, writeList, putObjects } = fixture;
    await putObjects('x/a');
    const unsafe = { status: 1, stderr: expect.stringContaining('NameUnsafe') };
    const source = `s3://${bucket}/x`;
    writeList('sub/.', 'a');
    expect(await runSvcBlob('sync', source, folder, '--files-from', list)).toMatchObject(unsafe);
    expect(await runSvcBlob('sync', source, `s3://${bucket}/y`, '--files-from', list)).toMatchObject(unsafe);
    writeList(join(folder, 'a'));
    expect(await runSvcBlob('sync', source, folder, '--files-from', list)).toMatchObject(unsafe);
  });

  it('refuses a path outside the source and target', async () => {
    const { folder, bucket, list, writeList } = fixture;
    writeList('../etc/passwd');
    const outside = { status: 1, stderr: expect.stringMatching(/is not below[^]*\nRemove it from the list/) };
    expect(await runSvcBlob('sync', folder, `s3://${bucket}`, '--files-from', list)).toMatchObject(outside);
    expect(await runSvcBlob('sync', `s3://${bucket}`, folder, '--files-from', list)).toMatchObject(outside);
  });
});

describe('svc-blob sync --files-from --delete', () => {
  it('deletes nothing behind a dangling symbolic link', async () => {
    const { folder, bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/linked', 'x/far/b');
    symlinkSync('/nowhere/at/all', join(folder, 'linked'));
    symlinkSync('/nowhere/at/all', join(folder, 'far'));
    writeList('a', 'linked', 'far/b');
    const outcome = await runSvcBlob('sync', folder, `s3://${bucket}/x`, '--files-from', list, '--delete');
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('SourceUnreadable') });
    expect(await listKeys()).toEqual(['x/a', 'x/far/b', 'x/linked']);
  });

  it('refuses to delete if the source does not exist, even within --max-delete', async () => {
    const { folder, bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b');
    const missing = join(folder, 'not-mounted');
    writeList(join(missing, 'a'), join(missing, 'b'));
    const sync = ['sync', missing, `s3://${bucket}/x`, '--files-from', list, '--delete'];
    const notDeleted = { status: 1, stderr: expect.stringContaining('NotDeleted') };
    expect(await runSvcBlob(...sync)).toMatchObject(notDeleted);
    expect(await runSvcBlob(...sync, '--max-delete', '2')).toMatchObject(notDeleted);
    expect(await listKeys()).toEqual(['x/a', 'x/b']);
  });

  it('refuses to delete if the source has none of the listed files, unless --max-delete allows it', async () => {
    const { folder, bucket, list, writeList, putObjects, listKeys } = fixture;
    await putObjects('x/a', 'x/b');
    const target = `s3://${bucket}/x`;
    const sync = (from: string, to: string, ...more: string[]) =>
      runSvcBlob('sync', from, to, '--files-from', list, '--delete', ...more);
    const tooMany = { status: 1, stderr: expect.stringContaining('TooMuchToDelete') };
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    writeList(join(empty, 'a'), join(empty, 'b'));
    expect(await sync(empty, target)).toMatchObject(tooMany);
    writeList('a', 'b');
    expect(await sync(`s3://${bucket}/typo`, folder)).toMatchObject(tooMany);
    expect(await sync(`s3://${bucket}/typo`, target)).toMatchObject(tooMany);
    expect(readdirSync(folder)).toEqual(['a', 'b', 'empty', 'sub', 'unlisted']);
    expect(await listKeys()).toEqual(['x/a', 'x/b']);
    writeList(join(empty, 'a'), join(empty, 'b'));
    expect(await sync(empty, target, '--max-delete', '2')).toMatchObject({ status: 0 });
    expect(await listKeys()).toEqual([]);
  });

  it('keeps files behind symbolic links of the target', async () => {
    const { folder, bucket, list, writeList, putObjects } = fixture;
    const outside = createFolder();
    writeFileSync(join(outside, 'precious'), 'x');
    symlinkSync(outside, join(folder, 'link'));
    mkdirSync(join(folder, 'z'));
    symlinkSync(outside, join(folder, 'z', 'deep'));
    symlinkSync(folder, `${list}-folder`);
    await putObjects('x/a');
    writeList('a', 'b', 'link/precious', 'sub/c', 'z/deep/precious');
    const download = ['sync', `s3://${bucket}/x`, `${list}-folder`, '--files-from', list, '--delete'];
    expect(await runSvcBlob(...download)).toMatchObject({ status: 0, stderr: expect.stringContaining('deleted 2 files') });
    expect(readdirSync(outside)).toEqual(['precious']);
    expect(readdirSync(folder)).toEqual(['a', 'link', 'sub', 'unlisted', 'z']);
  });
});
