import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cpCommand } from '../../server/cli/bulk/cp.js';
import { startCommand, runCommand } from './run-command.js';

const there = 's3://bucket/key';

describe('wrong use of a bulk command', () => {
  it.each([
    [['cp', 'a', there, '--recursiv'], /^unknown option '--recursiv'/],
    [['sync', 'a', there, '--concurrency', 'x'], /must be a number from 1 to 1024/],
    [['verify', 'a'], /^missing required argument 'location'/],
    [['cp', 'a', there, '--expires', 'day 7'], /must be a date/],
    [['cp', 'a', there, '--expires', '1'], /must be a date/],
    [['cp', 'a', there, '--expires', 'Thu, 31 Jan 2030 12:00:00 GMT\r\nX-A: 1'], /must be a date/],
    [['cp', 'a', there, '--expires', '2030-02-31'], /must be a date/],
    [['cp', 'a', there, '--expires', 'Thu, 31 Feb 2030 12:00:00 GMT'], /must be a date/],
    [['sync', 'a', there, '--exclude', ''], /It must not be empty/],
    [['rm', 's3://bucket'], /^s3:\/\/bucket: add -r/],
    [['mb', 's3://au'], /"au" is not a bucket name. A bucket name has 3 to 63 /],
    [['sync', 'package.json', 's3://bucket'], /^package\.json is a file: use cp$/],
    [['verify', 'package.json', 's3://bucket'], /^package\.json is a file: use its directory with --include$/],
  ])('%j is told by an event as well, with --json alone', async (args, message) => {
    const [plain, { stdout, ...rest }] = await Promise.all([runCommand(args), runCommand([...args, '--json'])]);
    expect(plain).toMatchObject({ status: 2, stdout: '' });
    expect(rest).toEqual({ status: 2, stderr: plain.stderr });
    expect(JSON.parse(stdout)).toEqual({
      type: 'error',
      code: 'InvalidOption',
      message: expect.stringMatching(message),
      status: 0,
      advice: expect.any(String),
    });
  });

  it.each([
    ['cat', there],
    ['cp', there, '-'],
  ])('is --json where the bytes of objects go: %s', async (...args) => {
    const { status, stderr } = await runCommand([...args, '--json']);
    expect(status).toBe(2);
    expect(stderr).toBe('svc-blob: --json cannot be used if objects are written to standard output\n');
  });

  it.each([
    [['cp', '--help'], 0],
    [['cp', 'a', there, '--recursiv', '--json'], 2],
    [['tokens', 'create', '--jso'], 2],
  ])('is told by the status where nobody reads what is said: %j', async (args, status) => {
    const child = startCommand(args);
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([status, null]);
  });

  it('is no date that is ISO 8601, or as HTTP has it', () => {
    for (const text of ['2030-01-31', '2030-01-31T12:00:00Z', '2030-01-31T12:00+01:00', 'Thu, 31 Jan 2030 12:00:00 GMT'])
      expect(() => cpCommand().exitOverride().parseOptions(['--expires', text])).not.toThrow();
  });

  it('is not what asks for help, nor a command whose --json is one answer', async () => {
    const help = await runCommand(['cp', '--json', '--help']);
    expect(help.status).toBe(0);
    expect(help.stdout).toMatch(/^Usage: /);
    expect(await runCommand(['tokens', 'create', '--jso', '--json'])).toMatchObject({ status: 2, stdout: '' });
  });
});
