import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';
import { startServe } from './start-serve.js';
import type { ServingCommand } from './start-serve.js';

let dataDir: string;
let service: ServingCommand;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-users-'));
  service = await startServe(dataDir, '--quiet');
}, 120_000);
afterAll(async () => {
  service.kill('SIGINT');
  await service.ended;
  await rm(dataDir, { recursive: true, force: true });
});

const runUsers = (...args: string[]) => runCommand(['users', ...args, '--data-dir', dataDir]);

const signIn = async (email: string, password: string): Promise<number> => {
  const response = await fetch(`${service.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.status;
};

describe('svc-blob serve without users', () => {
  it('writes the set-up link to a file that only its owner can read', async () => {
    const file = join(dataDir, 'setup-link');

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${service.url}/setup#[\\w-]{43}\n$`));
    expect((await fetch(`${service.url}/setup`)).status).toBe(200);
  });
});

describe('svc-blob users', () => {
  it('creates an administrator who can sign in to the running service, and closes the set-up', async () => {
    const { status, stdout } = await runUsers('create', '--email', 'ana@example.org', '--name', 'Ana', '--admin', '--json');

    expect(status).toBe(0);
    const created = JSON.parse(stdout) as { id: string; email: string; password: string };
    expect(created).toEqual({
      id: expect.stringMatching(/^user_/),
      email: 'ana@example.org',
      password: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(await signIn('ana@example.org', created.password)).toBe(201);
    expect((await fetch(`${service.url}/setup`)).status).toBe(404);
    const { stdout: list } = await runUsers('list');
    expect(list).toBe(`${created.id}\tenabled\tadministrator\tana@example.org\tAna\n`);
  }, 120_000);

  it('reads a password from a file, does not print it, and refuses a common one', async () => {
    const file = join(dataDir, 'password');
    await writeFile(file, 'violet anchor tunnel\n');
    const create = () => runUsers('create', '--email', 'ben@example.org', '--name', 'Ben', '--password-file', file, '--json');

    const { status, stdout } = await create();

    expect([status, JSON.parse(stdout)]).toEqual([0, { id: expect.any(String), email: 'ben@example.org' }]);
    expect(await signIn('ben@example.org', 'violet anchor tunnel')).toBe(201);
    expect(await create()).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('`email` belongs to another user'),
    });
    await writeFile(file, 'sunshine\n');
    expect(await create()).toMatchObject({ status: 2, stderr: expect.stringContaining('most common passwords') });
  }, 120_000);

  it('disables, enables, and resets the password of a user by email', async () => {
    await runUsers('create', '--email', 'carla@example.org', '--name', 'Carla', '--json');
    const { stdout } = await runUsers('reset-password', 'CARLA@example.org', '--json');
    const { password } = JSON.parse(stdout) as { password: string };

    expect(await signIn('carla@example.org', password)).toBe(201);
    expect((await runUsers('disable', 'carla@example.org')).stderr).toContain('is disabled now');
    expect(await signIn('carla@example.org', password)).toBe(401);
    expect((await runUsers('enable', 'carla@example.org')).stderr).toContain('is enabled now');
    expect(await signIn('carla@example.org', password)).toBe(201);
    expect(await runUsers('disable', 'nobody@example.org')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no user nobody@example.org'),
    });
  }, 120_000);

  it('prints an invitation whose link opens the page of the service', async () => {
    const { stdout } = await runUsers('invite', '--email', 'dora@example.org', '--public-url', 'https://files.example.org/');

    expect(stdout).toMatch(/^https:\/\/files\.example\.org\/invitation#[\w-]{43}\n$/);
  }, 60_000);
});
