import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import { svcBlob } from '../cli/support.js';
import { listObjects, createBucket, createTransfer, createFolder, s3Environment, writeFiles } from './s3-store.js';

describe('a home directory, in which the journals lie', () => {
  const inHome = (HOME: string, ...args: string[]) => svcBlob(args, { ...s3Environment(), HOME });
  /** As the folders of journals are named. */
  const name = 'f00d'.repeat(8);

  it('goes up without them, once, and is what the store has', async () => {
    const home = createFolder();
    const bucket = await createBucket();
    writeFiles(home, {
      'a.txt': 'a',
      [`photos/${name}/b`]: 'b',
      [`.local/state/svc-blob/${name}/lock`]: '',
    });
    const sync = () => inHome(home, 'sync', home, `s3://${bucket}`, '--delete');
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('copied 2 files') });
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['a.txt', `photos/${name}/b`]);
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('already up to date') });
    expect(await inHome(home, 'verify', home, `s3://${bucket}`)).toMatchObject({ status: 0 });
    expect(await inHome(home, 'cp', '-r', home, `s3://${bucket}/copy`)).toMatchObject({ status: 0 });
    expect(await listObjects(createTransfer(), bucket, 'copy/')).toHaveLength(2);
  }, 60_000);

  it('has them at their usual place where the variable for it is relative, which is to be ignored', async () => {
    const home = createFolder();
    writeFiles(home, { a: 'a' });
    const relative = { ...s3Environment(), HOME: home, XDG_STATE_HOME: 'relative' };
    expect(await svcBlob(['sync', home, `s3://${await createBucket()}`], relative)).toMatchObject({ status: 0 });
    expect(readdirSync(join(home, '.local/state/svc-blob'))).toHaveLength(1);
    expect(existsSync('relative')).toBe(false);
  });

  it('keeps them when it is made what the store has, whatever that may hold', async () => {
    const [source, home] = [createFolder(), createFolder()];
    const bucket = await createBucket();
    writeFiles(source, { 'a.txt': 'a', [`.local/state/svc-blob/${name}/lock`]: 'of another machine' });
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    writeFiles(home, { 'old.txt': 'old' });
    const sync = () => inHome(home, 'sync', `s3://${bucket}`, home, '--delete');
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('deleted 1') });
    expect(await sync()).toMatchObject({ status: 0, stderr: expect.stringContaining('already up to date') });
    expect(existsSync(join(home, `.local/state/svc-blob/${name}`))).toBe(false);
  }, 60_000);
});
