import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { svcBlob } from '../cli/support.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3Environment, writeFiles } from './s3-store.js';

describe('journals in the tree that is moved', () => {
  it('are no part of it for verify either, wherever --state-dir says that they lie', async () => {
    const [bucket, tree] = [await createBucket(), createFolder()];
    writeFiles(tree, { a: 'a' });
    const svc = (...args: string[]) => svcBlob([...args, '--state-dir', join(tree, 'state')], s3Environment());
    expect(await svc('sync', tree, `s3://${bucket}`)).toMatchObject({ status: 0 });
    expect(readdirSync(join(tree, 'state'))).toHaveLength(1);
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['a']);
    expect(await svc('verify', tree, `s3://${bucket}`)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^verified 1 file \(/),
    });
  });

  it('are passed over in a list as well, which is told', async () => {
    const [bucket, tree, list] = [await createBucket(), createFolder(), join(createFolder(), 'list')];
    writeFiles(tree, { a: 'a' });
    const state = join(tree, 'state');
    // The state folder is reached by another way than it is written.
    const link = join(createFolder(), 'link');
    symlinkSync(tree, link);
    const svc = (...args: string[]) => svcBlob([...args, '--files-from', list, '-v', '--state-dir', state], s3Environment());
    const keys = async () => (await listObjects(createTransfer(), bucket)).map(({ key }) => key);
    writeFileSync(list, `${tree}/a\n`);
    for (const root of [tree, link]) {
      const at = `s3://${bucket}/${root === tree ? 'tree' : 'link'}`;
      writeFileSync(list, `${root}/a\n`);
      expect(await svc('sync', root, at)).toMatchObject({ status: 0 });
      const [name] = readdirSync(state);
      const own = `state/${name}/lock`;
      writeFileSync(list, [`${root}/a`, `${root}/${own}`].join('\n'));
      // This run makes anew what the list names.
      rmSync(state, { recursive: true });
      const told = { status: 0, stderr: expect.stringContaining(`skipped ${own}: a journal of svc-blob\n`) };
      expect(await svc('sync', root, at)).toMatchObject(told);
      expect(await svc('cp', root, at)).toMatchObject(told);
    }
    expect(await keys()).toEqual(['link/a', 'tree/a']);

    // Nor do they come down over those of the run itself.
    const [name] = readdirSync(state);
    const own = `state/${name}/settled.bin`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `tree/${own}`, Body: 'no journal' }));
    writeFileSync(list, ['a', own].join('\n'));
    const before = readFileSync(join(tree, own));
    const told = { status: 0, stderr: expect.stringContaining(`skipped ${own}: a journal of svc-blob\n`) };
    expect(await svc('cp', `s3://${bucket}/tree`, tree)).toMatchObject(told);
    expect(await svc('sync', `s3://${bucket}/tree`, tree)).toMatchObject(told);
    expect(readFileSync(join(tree, own))).toEqual(before);
  }, 60_000);
});
