import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { listObjects, createBucket, createTransfer, createFolder, s3Environment, writeFiles } from './s3-store.js';

describe('a transfer of a home directory with journals', () => {
  const runInHome = (HOME: string, ...args: string[]) => runCommand(args, { ...s3Environment(), HOME });
  /** Looks like the name of a journal folder. */
  const journalName = 'f00d'.repeat(8);

  it('does not upload the journals', async () => {
    const home = createFolder();
    const bucket = await createBucket();
    writeFiles(home, {
      'a.txt': 'a',
      [`photos/${journalName}/b`]: 'b',
      [`.local/state/svc-blob/${journalName}/lock`]: '',
    });
    const sync = () => runInHome(home, 'sync', home, `s3://${bucket}`, '--delete');
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 2 files') });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['a.txt', `photos/${journalName}/b`]);
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('already up to date') });
    expect(await runInHome(home, 'verify', home, `s3://${bucket}`)).toMatchObject({ status: 0 });
    expect(await runInHome(home, 'cp', '-r', home, `s3://${bucket}/copy`)).toMatchObject({ status: 0 });
    expect(await listObjects(createTransfer(), bucket, 'copy/')).toHaveLength(2);
  });

  it('ignores a relative XDG_STATE_HOME', async () => {
    const home = createFolder();
    writeFiles(home, { a: 'a' });
    const relative = { ...s3Environment(), HOME: home, XDG_STATE_HOME: 'relative' };
    expect(await runCommand(['sync', home, `s3://${await createBucket()}`], relative)).toMatchObject({ status: 0 });
    expect(readdirSync(join(home, '.local/state/svc-blob'))).toHaveLength(1);
    expect(existsSync('relative')).toBe(false);
  });

  it('neither overwrites nor deletes the journals', async () => {
    const [source, home] = [createFolder(), createFolder()];
    const bucket = await createBucket();
    writeFiles(source, { 'a.txt': 'a', [`.local/state/svc-blob/${journalName}/lock`]: 'of another machine' });
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    writeFiles(home, { 'old.txt': 'old' });
    const sync = () => runInHome(home, 'sync', `s3://${bucket}`, home, '--delete');
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('deleted 1') });
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('already up to date') });
    expect(existsSync(join(home, `.local/state/svc-blob/${journalName}`))).toBe(false);
  });
});
