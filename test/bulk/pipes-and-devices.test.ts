import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startCommand, runCommandProcess } from '../cli/run-command.js';
import { fileSource } from '../../src/bulk/node/index.js';
import { commandEnvironment, runSvcBlobProcess } from './run-command.js';
import { client, createBucket, createTransfer, createFolder } from './s3-store.js';

/** Creates a device, since a test must not replace those of the machine. @returns false without the right */
function makeDevice(path: string, ...what: string[]): boolean {
  try {
    execFileSync('mknod', [path, ...what], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the process handles SIGHUP. During its start, the signal would kill it. */
function handlesHangups(pid: number): boolean {
  const [, caught] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}

describe('svc-blob cp to a special file', () => {
  const body = Buffer.alloc(17 * 1024 * 1024, 'words ');
  let from: string;
  let to: string;
  beforeAll(async () => {
    const bucket = await createBucket();
    from = `s3://${bucket}/x`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'x/large', Body: body }));
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'x/small', Body: 'few' }));
  });

  it('writes into a pipe', async () => {
    const pipe = join(createFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [name, bytes] of Object.entries({ large: body, small: Buffer.from('few') })) {
      const copying = runSvcBlobProcess('cp', `${from}/${name}`, pipe);
      const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
      expect((await buffer(reader.stdout)).equals(bytes)).toBe(true);
      expect(await copying).toMatchObject({ status: 0, stderr: '' });
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it('writes into a device and a link to a device', async ({ skip }) => {
    to = createFolder();
    // The same device numbers as /dev/null and /dev/full.
    const [nullDevice, full, link] = ['null', 'full', 'link'].map((name) => join(to, name)) as [string, string, string];
    if (!makeDevice(nullDevice, 'c', '1', '3') || !makeDevice(full, 'c', '1', '7')) return skip('only root may create devices');
    symlinkSync(nullDevice, link);
    for (const device of [nullDevice, link])
      expect(await runSvcBlobProcess('cp', `${from}/large`, device)).toMatchObject({ status: 0 });
    const refused = { status: 1, stderr: expect.stringContaining('TargetUnwritable: ') };
    expect(await runSvcBlobProcess('cp', `${from}/small`, full)).toMatchObject(refused);
    const journals = { ...commandEnvironment(), XDG_STATE_HOME: createFolder() };
    expect(await runCommandProcess(['cp', `${from}/small`, nullDevice], journals)).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(journals.XDG_STATE_HOME)).toEqual([]);
    const jsonRefused = {
      status: 2,
      stderr: expect.stringContaining('--json cannot be used if an object is written to a pipe or a device'),
    };
    expect(await runSvcBlobProcess('cp', `${from}/small`, nullDevice, '--json')).toMatchObject(jsonRefused);
    expect([nullDevice, full].every((device) => lstatSync(device).isCharacterDevice())).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('fails if the reader of a pipe closes it, and stops waiting for a reader on SIGHUP', async () => {
    const pipe = join(createFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const copying = runSvcBlobProcess('cp', `${from}/large`, pipe);
    await once(spawn('head', ['-c', '10', pipe], { stdio: 'ignore' }), 'close');
    expect(await copying).toMatchObject({ status: 1, stderr: expect.stringContaining('TargetUnwritable: write EPIPE') });
    const waiting = startCommand(['cp', `${from}/large`, pipe], commandEnvironment());
    const ended = once(waiting, 'close');
    await vi.waitFor(() => expect(handlesHangups(waiting.pid!)).toBe(true), 30_000);
    waiting.kill('SIGHUP');
    expect(await ended).toEqual([130, null]);
  });

  it('refuses sockets and block devices, and never replaces them', async () => {
    to = createFolder();
    const socket = join(to, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    const nameTaken = { status: 1, stderr: expect.stringContaining(`NameTaken: ${socket} is not a regular file`) };
    expect(await runSvcBlobProcess('cp', `${from}/small`, socket)).toMatchObject(nameTaken);
    expect(lstatSync(socket).isSocket()).toBe(true);
    server.close();
    const block = join(to, 'block');
    // No driver handles this device number, so nothing can be written.
    if (!makeDevice(block, 'b', '240', '0')) return;
    expect(await runSvcBlobProcess('cp', `${from}/small`, block)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('NameTaken'),
    });
    expect(lstatSync(block).isBlockDevice()).toBe(true);
  });

  it.each(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])('writes to standard output: %s', async (path) => {
    expect(await runSvcBlobProcess('cp', `${from}/small`, path)).toMatchObject({ status: 0, stdout: 'few' });
  });

  it('reports a name that is too long for the disk', async () => {
    const long = { status: 1, stderr: expect.stringContaining('NameUnsafe: The name is too long for this disk.') };
    expect(await runSvcBlobProcess('cp', `${from}/small`, join(createFolder(), 'n'.repeat(300)))).toMatchObject(long);
  });

  it('keeps a pipe in the target folder and downloads the other files', async () => {
    to = createFolder();
    for (const name of ['small', 'large']) execFileSync('mkfifo', [join(to, name)]);
    await client.send(new PutObjectCommand({ Bucket: from.split('/')[2]!, Key: 'x/other', Body: 'more' }));
    const { status, stdout } = await runSvcBlobProcess('cp', '-r', from, to, '--json');
    expect(status).toBe(1);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; code?: string; name?: string });
    const failed = events.filter(({ type }) => type === 'failed').map(({ name, code }) => [name, code]);
    expect(failed.sort()).toEqual([
      ['x/large', 'NameTaken'],
      ['x/small', 'NameTaken'],
    ]);
    expect(['small', 'large'].every((name) => lstatSync(join(to, name)).isFIFO())).toBe(true);
    expect(readFileSync(join(to, 'other'), 'utf8')).toBe('more');
  });
});

describe.skipIf(process.platform === 'win32')('a source file that has become a pipe', () => {
  // A blocking open would stop the process, with its signal handlers, until a program writes to the pipe.
  it('fails at once', async () => {
    const path = join(createFolder(), 'file');
    writeFileSync(path, 'bytes');
    const source = fileSource(path, 'k');
    rmSync(path);
    execFileSync('mkfifo', [path]);
    // Ends a blocked open, so that the test fails instead of hanging.
    const writer = spawn('sh', ['-c', 'sleep 5; : > "$0"', path]);
    const summary = await createTransfer().upload([source], { bucket: await createBucket(), prefix: 'k' }, { exact: true });
    writer.kill();
    expect(summary.failures).toMatchObject([{ code: 'SourceUnreadable', message: `${path} is not a regular file.` }]);
  });
});
