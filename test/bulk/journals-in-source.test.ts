import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { runCommand } from '../cli/run-command.js';
import { client, listObjects, createBucket, createTransfer, createFolder, s3Environment, writeFiles } from './s3-store.js';

describe('journals inside the transferred folder', () => {
  it.each(['state', '..state'])('are ignored by sync and verify if --state-dir is %s', async (name) => {
    const [bucket, tree] = [await createBucket(), createFolder()];
    writeFiles(tree, { a: 'a' });
    const run = (...args: string[]) => runCommand([...args, '--state-dir', join(tree, name)], s3Environment());
    expect(await run('sync', tree, `s3://${bucket}`)).toMatchObject({ status: 0 });
    expect(readdirSync(join(tree, name))).toHaveLength(1);
    expect((await listObjects(createTransfer(), bucket)).map(({ key }) => key)).toEqual(['a']);
    expect(await run('verify', tree, `s3://${bucket}`)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^verified 1 file \(/),
    });
  });

  it('are skipped with a message if --files-from names them', async () => {
    const [bucket, tree, list] = [await createBucket(), createFolder(), join(createFolder(), 'list')];
    writeFiles(tree, { a: 'a' });
    const state = join(tree, 'state');
    // Through the link, the state folder has another path.
    const link = join(createFolder(), 'link');
    symlinkSync(tree, link);
    const run = (...args: string[]) => runCommand([...args, '--files-from', list, '-v', '--state-dir', state], s3Environment());
    const listKeys = async () => (await listObjects(createTransfer(), bucket)).map(({ key }) => key);
    writeFileSync(list, `${tree}/a\n`);
    for (const root of [tree, link]) {
      const target = `s3://${bucket}/${root === tree ? 'tree' : 'link'}`;
      writeFileSync(list, `${root}/a\n`);
      expect(await run('sync', root, target)).toMatchObject({ status: 0 });
      const [name] = readdirSync(state);
      const journalFile = `state/${name}/lock`;
      writeFileSync(list, [`${root}/a`, `${root}/${journalFile}`].join('\n'));
      // This transfer creates the listed journal again.
      rmSync(state, { recursive: true });
      const skipped = { status: 0, stderr: expect.stringContaining(`skipped ${journalFile}: a journal of svc-blob\n`) };
      expect(await run('sync', root, target)).toMatchObject(skipped);
      expect(await run('cp', root, target)).toMatchObject(skipped);
    }
    expect(await listKeys()).toEqual(['link/a', 'tree/a']);

    // A download does not overwrite the journal of the transfer itself.
    const [name] = readdirSync(state);
    const journalFile = `state/${name}/settled.bin`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `tree/${journalFile}`, Body: 'no journal' }));
    writeFileSync(list, ['a', journalFile].join('\n'));
    const before = readFileSync(join(tree, journalFile));
    const skipped = { status: 0, stderr: expect.stringContaining(`skipped ${journalFile}: a journal of svc-blob\n`) };
    expect(await run('cp', `s3://${bucket}/tree`, tree)).toMatchObject(skipped);
    expect(await run('sync', `s3://${bucket}/tree`, tree)).toMatchObject(skipped);
    expect(readFileSync(join(tree, journalFile))).toEqual(before);
  });
});
