import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../cli/support.js';
import { listObjects, createBucket, createTransfer, createFolder, s3Environment } from './s3-store.js';

/** The command with that as its standard input. */
async function withInput(path: string, ...args: string[]): Promise<{ status: unknown; stderr: string }> {
  const input = openSync(path, 'r');
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: [input, 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], ...s3Environment(), XDG_STATE_HOME: createFolder() },
  });
  closeSync(input);
  const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  return { status: status as unknown, stderr };
}

/** A disk that has these bytes; undefined where none can be had. */
function makeDisk(bytes: Uint8Array): string | undefined {
  const file = join(createFolder(), 'image');
  writeFileSync(file, bytes);
  try {
    return execFileSync('losetup', ['--find', '--show', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

describe('standard input', () => {
  it('that is a disk is read, and so is a disk by its name', async ({ skip }) => {
    const bytes = randomBytes(9 * 1024 * 1024);
    const disk = makeDisk(bytes);
    if (disk === undefined) return skip('disks are made by root');
    try {
      const bucket = await createBucket();
      expect(await withInput(disk, 'cp', '-', `s3://${bucket}/read`)).toMatchObject({ status: 0 });
      expect(await withInput('/dev/null', 'cp', disk, `s3://${bucket}/named`)).toMatchObject({ status: 0 });
      for (const prefix of ['read', 'named']) {
        const stored: Uint8Array[] = [];
        for await (const piece of createTransfer().read({ bucket, prefix })) stored.push(piece.slice());
        expect(Buffer.concat(stored).equals(bytes)).toBe(true);
      }
    } finally {
      execFileSync('losetup', ['--detach', disk]);
    }
  }, 60_000);

  it('that is a directory is refused, as bytes and as a list', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    writeFileSync(join(folder, 'a'), 'a');
    const place = `s3://${bucket}/k`;
    const refused = { status: 1, stderr: expect.stringContaining('SourceUnreadable') };
    for (const args of [
      ['cp', '-', place],
      ['cp', '--files-from', '-', folder, place],
      ['sync', '--files-from', '-', folder, place, '--delete'],
      ['rm', '--files-from', '-', place],
    ])
      expect([args, await withInput(folder, ...args)]).toMatchObject([args, refused]);
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  }, 60_000);
});
