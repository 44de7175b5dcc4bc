import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCommand, runCommand } from './run-command.js';

const KEY = `svc_live_${'b'.repeat(48)}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-secrets-'));
const keyFile = join(folder, 'key');
let url: string;
let authorization: string | undefined;

const server = createServer((request, response) => {
  authorization = request.headers.authorization;
  response.end(JSON.stringify({ response: { files: [], prefixes: [], cursor: null } }));
});

beforeAll(async () => {
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  { name: 'a flag that names a file', args: ['--api-key-file', keyFile], env: {} },
  { name: 'a variable that names a file', args: [], env: { SVC_API_KEY_FILE: keyFile } },
  { name: 'a variable', args: [], env: { SVC_API_KEY: KEY } },
])('the API key comes from $name, without a warning', async ({ args, env }) => {
  authorization = undefined;
  expect(await runCommand(['files', 'ls', '--url', url, ...args], env)).toMatchObject({ status: 0, stderr: '' });
  expect(authorization).toBe(`Bearer ${KEY}`);
});

it('the API key comes from standard input for --api-key-file -', async () => {
  authorization = undefined;
  const child = startCommand(['files', 'ls', '--url', url, '--api-key-file', '-'], {}, 'pipe');
  child.stdin.end(`${KEY}\n`);
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(authorization).toBe(`Bearer ${KEY}`);
});

it('a missing or empty key file is wrong use and names the file', async () => {
  const empty = join(folder, 'empty');
  writeFileSync(empty, '\n');
  for (const path of [empty, join(folder, 'missing')]) {
    const outcome = await runCommand(['files', 'ls', '--url', url, '--api-key-file', path]);
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining(path) });
  }
});

it('a flag and a file together are wrong use', async () => {
  expect(await runCommand(['files', 'ls', '--url', url, '--api-key', KEY, '--api-key-file', keyFile])).toMatchObject({
    status: 2,
  });
});

it('a database address warns only when it holds a password', async () => {
  const list = (address: string) => runCommand(['keys', 'list', '--database-url', address]);
  expect((await list('postgres://user:secret@127.0.0.1:1/db')).stderr).toContain('process list');
  expect((await list('postgres://user@127.0.0.1:1/db')).stderr).not.toContain('process list');
});

it('a database address in a file is used', async () => {
  const file = join(folder, 'database');
  writeFileSync(file, 'mysql://user:secret@127.0.0.1:1/db');
  const outcome = await runCommand(['keys', 'list', '--database-url-file', file]);
  expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('postgres://') });
  expect(outcome.stderr).not.toContain('secret');
});
