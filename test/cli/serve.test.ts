import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';
import { startServe } from './start-serve.js';
import type { ServingCommand } from './start-serve.js';

let folder: string;
/** The data directory of `service`. */
let dataDir: string;
let service: ServingCommand;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-serve-'));
  dataDir = join(folder, 'data');
  service = await startServe(dataDir, '--quiet');
});
afterAll(async () => {
  service.kill('SIGINT');
  await service.ended;
  await rm(folder, { recursive: true, force: true });
});

describe('svc-blob serve', () => {
  const AWS_KEYS = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  /** Starts a second service. Later flags override the free ports and the data directory. */
  const serveSecond = (flags: string[], env: Record<string, string> = {}) => {
    const defaults = ['--port', '0', '--s3-port', '0', '--data-dir', join(folder, 'second')];
    return runCommand(['serve', ...defaults, ...flags], env);
  };

  it('names a port that is in use', async () => {
    const { port } = new URL(service.url);

    const { status, stderr } = await serveSecond(['--port', port]);

    expect(status).toBe(1);
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use: stop the other program, or choose another port`);
  });

  it('refuses the data directory of another service', async () => {
    const { status, stderr } = await serveSecond(['--data-dir', dataDir]);

    expect(status).toBe(1);
    expect(stderr).toContain('another service runs on');
  });

  it('names a database that does not respond, without its password', async () => {
    const { status, stderr } = await serveSecond(['--database-url', 'postgres://me:hidden@localhost:1/x']);

    expect(status).toBe(1);
    expect(stderr).toMatch(/DATABASE_URL cannot be opened: .*ECONNREFUSED/);
    expect(stderr).not.toContain('hidden');
  });

  it('names a store that does not respond', async () => {
    const { status, stderr } = await serveSecond(['--store', 's3://x?region=a&endpoint=http://localhost:1'], AWS_KEYS);

    expect(status).toBe(1);
    expect(stderr).toMatch(/BLOB_STORE cannot be used: .*ECONNREFUSED/);
  });

  it.each([
    ['--drain', '-1'],
    ['--drain', '601'],
    ['--connection-limits', 'total=0'],
    ['--connection-limits', 'all=3'],
    ['--activity-retention', '0'],
    ['--activity-retention', '36501'],
    ['--activity-retention', '1.5'],
  ])('refuses %s %s', async (flag, value) => {
    const { status, stderr } = await serveSecond([`${flag}=${value}`]);

    expect(status).toBe(2);
    expect(stderr).toContain(`got "${value}"`);
  });
});

describe('svc-blob serve --drain', () => {
  const startWithDrain = async () => startServe(await mkdtemp(join(folder, 'drain-')), '--quiet', '--drain', '600');
  const readyStatus = async (url: string) => (await fetch(`${url}/readyz`)).status;

  it('fails /readyz after SIGTERM, and stops at the second signal', async () => {
    const { url, kill, ended } = await startWithDrain();
    expect(await readyStatus(url)).toBe(200);

    kill('SIGTERM');
    await expect.poll(() => readyStatus(url)).toBe(503);
    kill('SIGTERM');

    expect(await ended).toBe(0);
  });

  it('does not wait after SIGINT', async () => {
    const { kill, ended } = await startWithDrain();

    kill('SIGINT');

    expect(await ended).toBe(0);
  });
});

describe('svc-blob ls', () => {
  const ENV = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'x' };

  it('explains that the port of the REST API is no S3 endpoint', async () => {
    const { status, stderr } = await runCommand(['ls', 's3://main', '--endpoint', service.url], ENV);

    expect(status).toBe(1);
    expect(stderr).toMatch(/is not an S3 endpoint[^]*port 9000/);
  });

  it('refuses an endpoint that is not an address', async () => {
    const { status, stderr } = await runCommand(['ls', 's3://main', '--endpoint', 'localhost'], ENV);

    expect(status).toBe(2);
    expect(stderr).toContain('must be an address such as https://');
  });
});
