import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpCommand } from '../../server/cli/bulk/cp.js';
import { runCommand, startCommand } from './run-command.js';

const OBJECT = 's3://bucket/key';
const dataDir = mkdtempSync(join(tmpdir(), 'svc-usage-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('invalid use of a bulk command', () => {
  it.each([
    [['cp', 'a', OBJECT, '--recursiv'], /^unknown option '--recursiv'/],
    [['sync', 'a', OBJECT, '--concurrency', 'x'], /must be a number from 1 to 1024/],
    [['verify', 'a'], /^missing required argument 'location'/],
    [['cp', 'a', OBJECT, '--expires', 'day 7'], /must be a date/],
    [['cp', 'a', OBJECT, '--expires', '1'], /must be a date/],
    [['cp', 'a', OBJECT, '--expires', 'Thu, 31 Jan 2030 12:00:00 GMT\r\nX-A: 1'], /must be a date/],
    [['cp', 'a', OBJECT, '--expires', '2030-02-31'], /must be a date/],
    [['cp', 'a', OBJECT, '--expires', 'Thu, 31 Feb 2030 12:00:00 GMT'], /must be a date/],
    [['sync', 'a', OBJECT, '--exclude', ''], /It must not be empty/],
    [['rm', 's3://bucket'], /^s3:\/\/bucket: add -r/],
    [['mb', 's3://au'], /"au" is not a bucket name. A bucket name has 3 to 63 /],
    [['sync', 'package.json', 's3://bucket'], /^package\.json is a file: use cp$/],
    [['verify', 'package.json', 's3://bucket'], /^package\.json is a file: use its directory with --include$/],
  ])('prints one error event with --json, and the same message as without: %j', async (args, message) => {
    const [plain, { stdout, ...json }] = await Promise.all([runCommand(args), runCommand([...args, '--json'])]);

    expect(plain).toMatchObject({ status: 2, stdout: '' });
    expect(json).toEqual({ status: 2, stderr: plain.stderr });
    expect(JSON.parse(stdout)).toEqual({
      type: 'error',
      code: 'InvalidOption',
      message: expect.stringMatching(message),
      status: 0,
      advice: expect.any(String),
    });
  });

  it.each([
    ['cat', OBJECT],
    ['cp', OBJECT, '-'],
  ])('includes --json if the contents of objects are the output: svc-blob %s %s', async (...args) => {
    const { status, stderr } = await runCommand([...args, '--json']);

    expect(status).toBe(2);
    expect(stderr).toBe('svc-blob: --json cannot be used if objects are written to standard output\n');
  });

  it('prints no error event if the arguments also ask for help', async () => {
    const { status, stdout } = await runCommand(['cp', '--json', '--help']);

    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: /);
  });
});

describe('invalid use of a service command', () => {
  it.each([
    [['nonsense'], 'unknown command'],
    [['keys', 'create', '--nonsense'], 'unknown option'],
    [['keys', 'create', '--preset', 'all'], '--preset must be one of'],
    [['keys', 'create', '--scopes', 'blob:fly'], '`scopes` must be among'],
    [['keys', 'create', '--name', 'x'.repeat(41)], '1 to 40'],
    [['keys', 'create', '--allowed-ips', 'home'], '`allowed_ips` must contain IP'],
    [['serve', '--port', 'high'], '--port must be a number from 0 to 65535; got "high"'],
    [['serve', '--public-url', 'blob.example.com'], 'must begin with https://'],
    [['serve', '--trusted-proxy', '10.0.0.0/33'], 'an IP address or a range'],
    [['serve', '--scan', 'http://127.0.0.1:3310'], '--scan (SCAN) must be clamd://host:port'],
    [['serve', '--scan-unavailable', 'maybe'], '--scan-unavailable (SCAN_UNAVAILABLE) must be block or allow'],
    [['serve', '--database-url', 'mysql://x/y'], 'begins with postgres://'],
    [['keys', 'list', '--data-dir', '/nowhere/data'], '/nowhere/data contains no data'],
    [['tokens', 'create'], 'set --url or SVC_BLOB_URL'],
    [['tokens', 'create'], 'set SVC_API_KEY or --api-key-file'],
    [['tokens', 'create', '--url', 'http://x', '--api-key', 'k', '--max-size', 'big'], '--max-size must be a number'],
  ])('ends with status 2 and names the problem: %j', async (args, message) => {
    const { status, stdout, stderr } = await runCommand(args, { DATA_DIR: dataDir });

    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('prints no error event with --json', async () => {
    const outcome = await runCommand(['tokens', 'create', '--jso', '--json']);

    expect(outcome).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('svc-blob with a closed output', () => {
  it.each([
    [['cp', '--help'], 0],
    [['cp', 'a', OBJECT, '--recursiv', '--json'], 2],
    [['tokens', 'create', '--jso'], 2],
  ])('still ends with the exit status of %j', async (args, status) => {
    const child = startCommand(args);
    child.stdout.destroy();
    child.stderr.destroy();

    expect(await once(child, 'exit')).toEqual([status, null]);
  });
});

describe('svc-blob cp --expires', () => {
  it.each(['2030-01-31', '2030-01-31T12:00:00Z', '2030-01-31T12:00+01:00', 'Thu, 31 Jan 2030 12:00:00 GMT'])(
    'accepts the date %s',
    (date) => {
      const parse = () => cpCommand().exitOverride().parseOptions(['--expires', date]);

      expect(parse).not.toThrow();
    },
  );
});

describe('svc-blob --endpoint-url', () => {
  it('sets the endpoint as --endpoint does', async () => {
    const settings = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' };

    const outcome = await runCommand(['ls', '--endpoint-url', 'http://127.0.0.1:1', '--retries', '1'], settings);

    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('127.0.0.1:1: connect ECONNREFUSED') });
  });
});
