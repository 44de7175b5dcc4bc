import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';
import { startServe } from './start-serve.js';
import type { ServingCommand } from './start-serve.js';

let dataDir: string;
let service: ServingCommand;
let env: Record<string, string>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-credentials-'));
  service = await startServe(dataDir, '--quiet');
  const { stdout } = await runCommand(['keys', 'create', '--data-dir', dataDir, '--json']);
  env = { SVC_BLOB_URL: service.url, SVC_API_KEY: (JSON.parse(stdout) as { api_key: string }).api_key };
});
afterAll(async () => {
  service.kill('SIGINT');
  await service.ended;
  await rm(dataDir, { recursive: true, force: true });
});

describe('svc-blob tokens', () => {
  const runTokens = (...args: string[]) => runCommand(['tokens', ...args], env);

  it('create prints the token', async () => {
    const { stdout } = await runTokens('create');

    expect(stdout).toMatch(/^svcup_[0-9a-f]{48}\n$/);
  });

  it('create prints the options of the token as JSON', async () => {
    const flags = ['--prefix', 'in', '--ext', 'txt,md', '--max-size', '1KiB', '--json'];

    const { stdout } = await runTokens('create', ...flags);

    expect(JSON.parse(stdout)).toMatchObject({ prefix: 'in', allowed_extensions: ['txt', 'md'], max_size: 1024 });
  });

  it('list shows the uses of a token', async () => {
    const created = await runTokens('create', '--json');
    const { token, id } = JSON.parse(created.stdout) as { token: string; id: string };
    const form = new FormData();
    form.append('file', new Blob(['x']), 'a.txt');
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${service.url}/v1/files`, { method: 'POST', body: form, headers });

    const { stdout } = await runTokens('list');

    expect(response.status).toBe(201);
    expect(stdout).toContain(`${id}\t1/1\t`);
  });

  it.each(['delete', 'revoke'])('%s ends a token', async (verb) => {
    const created = await runTokens('create', '--json');
    const { id } = JSON.parse(created.stdout) as { id: string };

    const { status } = await runTokens(verb, id);

    expect(status).toBe(0);
    expect((await runTokens('list')).stdout).toContain(`${id}\t0/1\trevoked\t`);
  });
});

describe('svc-blob s3-credentials', () => {
  const runCredentials = (...args: string[]) => runCommand(['s3-credentials', ...args], env);

  it('create prints a key pair, and list hides its secret', async () => {
    const created = await runCredentials('create', '--name', 'nas', '--read-only', '--json');
    const pair = JSON.parse(created.stdout) as { access_key_id: string; secret_access_key: string };

    const { stdout } = await runCredentials('list');

    expect(stdout).toContain(`${pair.access_key_id}\tread-only\t/\tnas`);
    expect(stdout).not.toContain(pair.secret_access_key);
  });

  it('create prints the four lines to export, with the endpoint beside the service', async () => {
    const { stdout } = await runCredentials('create', '--name', 'laptop');

    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^export AWS_ACCESS_KEY_ID=\w+$/),
      expect.stringMatching(/^export AWS_SECRET_ACCESS_KEY=[\w/+=-]+$/),
      'export AWS_REGION=us-east-1',
      `export AWS_ENDPOINT_URL=${service.url.replace(/:\d+$/, ':9000')}`,
      '',
    ]);
  });

  it('create quotes values that a shell would run', async () => {
    const { stdout } = await runCredentials('create', '--endpoint', "http://s3.test/$(id)'");

    expect(stdout).toContain("export AWS_ENDPOINT_URL='http://s3.test/$(id)'\\'''\n");
  });

  it('list shows when a key pair expires', async () => {
    const created = await runCredentials('create', '--name', 'page', '--expires-in', '900', '--json');
    const { expires_at } = JSON.parse(created.stdout) as { expires_at: string };

    const { stdout } = await runCredentials('list');

    expect(stdout).toContain(`page\tuntil ${expires_at}`);
  });

  it('delete removes a key pair', async () => {
    const created = await runCredentials('create', '--name', 'old', '--json');
    const { access_key_id } = JSON.parse(created.stdout) as { access_key_id: string };

    const { status } = await runCredentials('delete', access_key_id);

    expect(status).toBe(0);
    expect((await runCredentials('list')).stdout).not.toContain(access_key_id);
  });
});
