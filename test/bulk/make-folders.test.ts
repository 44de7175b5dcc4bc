import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolders } from '../../src/bulk/node/files/make-folders.js';

const root = mkdtempSync(join(tmpdir(), 'folders-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('makeFolders', () => {
  it('creates missing parents and accepts existing folders', () => {
    for (let run = 1; run <= 2; run++) makeFolders(join(root, 'a/b/c'), 0o700);
    for (const folder of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, folder)).mode & 0o777).toBe(0o700);
    symlinkSync('a', join(root, 'link'));
    makeFolders(join(root, 'link'));
    makeFolders(join(root, 'link/d'));
    expect(existsSync(join(root, 'a/d'))).toBe(true);
    makeFolders('/');
  });

  it('throws if a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolders(join(root, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => makeFolders(join(root, 'file/a/b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it.skipIf(process.platform !== 'linux')('fails for targets and journals if the file system refuses', () => {
    // A separate process can be killed if it loops without end.
    const script = `
      import { DiskJournal, FolderTarget } from './src/bulk/node/index.ts';
      for (const make of [
        () => new FolderTarget('/proc/x').makeDirectory('y'),
        () => new FolderTarget('/proc/x').open('y/z', false),
        () => new DiskJournal('/proc/x/y', { keepSettled: false }),
      ]) try { make(); } catch (error) { console.log(error.code); }`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      timeout: 60_000,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    });
    expect(stdout).toBe('TargetUnwritable\nTargetUnwritable\nJournalUnwritable\n');
  });
});
