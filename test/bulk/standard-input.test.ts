import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { COMMAND_PATH } from '../cli/run-command.js';
import { listObjects, createBucket, createTransfer, createFolder, s3Environment } from './s3-store.js';

/** Runs the command with a file or device as its standard input. */
async function runWithInput(path: string, ...args: string[]): Promise<{ status: unknown; stderr: string }> {
  const input = openSync(path, 'r');
  const child = spawn(process.execPath, [COMMAND_PATH, ...args], {
    stdio: [input, 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], ...s3Environment(), XDG_STATE_HOME: createFolder() },
  });
  closeSync(input);
  const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  return { status: status as unknown, stderr };
}

/** Creates a block device with these bytes. @returns its path, or undefined without the right */
function createDisk(bytes: Uint8Array): string | undefined {
  const file = join(createFolder(), 'image');
  writeFileSync(file, bytes);
  try {
    return execFileSync('losetup', ['--find', '--show', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

describe('standard input', () => {
  it('can be a block device, which cp also accepts by its path', async ({ skip }) => {
    const bytes = randomBytes(9 * 1024 * 1024);
    const disk = createDisk(bytes);
    if (disk === undefined) return skip('only root may create block devices');
    try {
      const bucket = await createBucket();
      expect(await runWithInput(disk, 'cp', '-', `s3://${bucket}/read`)).toMatchObject({ status: 0 });
      expect(await runWithInput('/dev/null', 'cp', disk, `s3://${bucket}/named`)).toMatchObject({ status: 0 });
      for (const prefix of ['read', 'named']) {
        const stored: Uint8Array[] = [];
        for await (const piece of createTransfer().read({ bucket, prefix })) stored.push(piece.slice());
        expect(Buffer.concat(stored).equals(bytes)).toBe(true);
      }
    } finally {
      execFileSync('losetup', ['--detach', disk]);
    }
  });

  it('is refused if it is a directory, as source and as list', async () => {
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
      expect([args, await runWithInput(folder, ...args)]).toMatchObject([args, refused]);
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  });
});
