import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';
import { startServe } from './start-serve.js';
import type { ServingCommand } from './start-serve.js';

let dataDir: string;
let service: ServingCommand;
let env: Record<string, string>;
let localFile: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-files-'));
  service = await startServe(dataDir, '--quiet');
  const { stdout } = await runCommand(['keys', 'create', '--data-dir', dataDir, '--json']);
  env = { SVC_BLOB_URL: service.url, SVC_API_KEY: (JSON.parse(stdout) as { api_key: string }).api_key };
  localFile = join(dataDir, 'häuser & co.txt');
  await writeFile(localFile, 'four');
});
afterAll(async () => {
  service.kill('SIGINT');
  await service.ended;
  await rm(dataDir, { recursive: true, force: true });
});

const runFiles = (...args: string[]) => runCommand(['files', ...args], env);

describe('svc-blob files', () => {
  it('put uploads a file into a folder under its own name', async () => {
    const { stdout } = await runFiles('put', localFile, 'put/', '--type', 'text/plain', '--metadata', 'a=b=c', '--json');

    expect(JSON.parse(stdout)).toMatchObject({
      path: 'put/häuser & co.txt',
      content_type: 'text/plain',
      metadata: { a: 'b=c' },
    });
  });

  it('put refuses to replace a file without --overwrite', async () => {
    await runFiles('put', localFile, 'existing.txt');

    const { status, stderr } = await runFiles('put', localFile, 'existing.txt');

    expect(status).toBe(1);
    expect(stderr).toContain('FILE_EXISTS');
  });

  it('ls lists folders and the files of a folder', async () => {
    await runFiles('put', localFile, 'docs/');

    expect((await runFiles('ls')).stdout).toContain('docs/\n');
    expect((await runFiles('ls', 'docs')).stdout).toContain('docs/häuser & co.txt\n');
  });

  it('get writes a file to standard output or to a local file', async () => {
    await runFiles('put', localFile, 'read.txt');
    const copy = join(dataDir, 'copy.txt');

    const toOutput = await runFiles('get', 'read.txt', '-');
    const toFile = await runFiles('get', 'read.txt', copy);

    expect(toOutput.stdout).toBe('four');
    expect(toFile.status).toBe(0);
    expect(await readFile(copy, 'utf8')).toBe('four');
  });

  it('mv and cp change the path of a file', async () => {
    await runFiles('put', localFile, 'first.txt');

    const moved = await runFiles('mv', 'first.txt', 'second.txt');
    const copied = await runFiles('cp', 'second.txt', 'third.txt');

    expect([moved.status, copied.status]).toEqual([0, 0]);
    expect((await runFiles('get', 'first.txt', '-')).stderr).toContain('there is no file first.txt');
    expect((await runFiles('get', 'second.txt', '-')).stdout).toBe('four');
    expect((await runFiles('get', 'third.txt', '-')).stdout).toBe('four');
  });

  it('link prints an address of the file', async () => {
    await runFiles('put', localFile, 'linked.txt');

    const { stdout } = await runFiles('link', 'linked.txt', '--expires-in', '60');

    const response = await fetch(stdout.trim());
    expect(await response.text()).toBe('four');
  });

  it('rm deletes the other files if one is missing, and fails', async () => {
    await runFiles('put', localFile, 'rm/a.txt');
    await runFiles('put', localFile, 'rm/b.txt');

    const { status, stdout, stderr } = await runFiles('rm', 'rm/a.txt', 'nothing.txt', 'rm/b.txt', '--json');

    expect(status).toBe(1);
    expect(stdout).toBe('{"path":"rm/a.txt","deleted":true}\n{"path":"rm/b.txt","deleted":true}\n');
    expect(stderr).toMatch(/^svc-blob: nothing\.txt: there is no such file\n[^]*1 of 3 files failed/m);
    expect((await runFiles('ls', '-r')).stdout).not.toContain('rm/');
  });
});
