import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, startCommand } from './run-command.js';
import { startServer } from './start-server.js';
import type { TestServer } from './start-server.js';

const KEY = `svc_live_${'b'.repeat(48)}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-secrets-'));
const keyFile = join(folder, 'key');
/** A service that records the credential of the last request. */
let service: TestServer;
let authorization: string | undefined;

beforeAll(async () => {
  writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
  service = await startServer((request, response) => {
    authorization = request.headers.authorization;
    response.end(JSON.stringify({ response: { files: [], prefixes: [], cursor: null } }));
  });
});
beforeEach(() => (authorization = undefined));
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

const listFiles = (args: string[], env: Record<string, string> = {}) =>
  runCommand(['files', 'ls', '--url', service.url, ...args], env);

describe('the API key', () => {
  it.each([
    { source: '--api-key-file', args: ['--api-key-file', keyFile], env: {} },
    { source: 'SVC_API_KEY_FILE', args: [], env: { SVC_API_KEY_FILE: keyFile } },
    { source: 'SVC_API_KEY', args: [], env: { SVC_API_KEY: KEY } },
  ])('is read from $source without a warning', async ({ args, env }) => {
    const outcome = await listFiles(args, env);

    expect(outcome).toMatchObject({ status: 0, stderr: '' });
    expect(authorization).toBe(`Bearer ${KEY}`);
  });

  it('is read from standard input with --api-key-file -', async () => {
    const child = startCommand(['files', 'ls', '--url', service.url, '--api-key-file', '-'], {}, 'pipe');
    child.stdin.end(`${KEY}\n`);

    expect(await once(child, 'close')).toEqual([0, null]);
    expect(authorization).toBe(`Bearer ${KEY}`);
  });

  it('is read from --api-key with a warning about the process list', async () => {
    const { status, stderr } = await listFiles(['--api-key', KEY]);

    expect(status).toBe(0);
    expect(authorization).toBe(`Bearer ${KEY}`);
    expect(stderr.match(/process list/g)).toHaveLength(1);
    expect(stderr).not.toContain(KEY);
  });

  it.each(['empty', 'missing'])('is refused if its file is %s', async (name) => {
    const path = join(folder, name);
    if (name === 'empty') writeFileSync(path, '\n');

    const outcome = await listFiles(['--api-key-file', path]);

    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining(path) });
  });

  it('is refused if both --api-key and --api-key-file state it', async () => {
    const outcome = await listFiles(['--api-key', KEY, '--api-key-file', keyFile]);

    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('not both') });
  });
});

describe('the address of the database', () => {
  it.each([
    ['causes a warning about the process list if it contains a password', 'postgres://user:secret@127.0.0.1:1/db', true],
    ['causes no warning without a password', 'postgres://user@127.0.0.1:1/db', false],
  ])('%s', async (_title, address, warns) => {
    const { stderr } = await runCommand(['keys', 'list', '--database-url', address]);

    expect(stderr.includes('process list')).toBe(warns);
  });

  it('is read from --database-url-file, and stays secret in messages', async () => {
    const file = join(folder, 'database');
    writeFileSync(file, 'mysql://user:secret@127.0.0.1:1/db');

    const outcome = await runCommand(['keys', 'list', '--database-url-file', file]);

    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('postgres://') });
    expect(outcome.stderr).not.toContain('secret');
  });
});
