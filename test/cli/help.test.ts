import { expect, it } from 'vitest';
import { runCommand } from './run-command.js';

it('help of a command is its own', async () => {
  for (const words of [['cp'], ['keys', 'create']]) {
    const asked = await runCommand(['help', ...words]);
    expect(asked).toMatchObject({ status: 0, stderr: '' });
    expect(asked).toEqual(await runCommand([...words, '--help']));
  }
});

it('--endpoint-url, as aws and s5cmd have it, says the same as --endpoint', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' };
  const asked = await runCommand(['ls', '--endpoint-url', 'http://127.0.0.1:1', '--retries', '1'], keys);
  expect(asked).toMatchObject({ status: 1, stderr: expect.stringContaining('127.0.0.1:1: connect ECONNREFUSED') });
});

it('help offers nothing that a command refuses', async () => {
  const refused = { cat: ['--json'], mb: ['--bwlimit', '--concurrency', '--verbose'], rb: ['--bwlimit', '--dry-run'] };
  for (const [command, flags] of Object.entries(refused)) {
    const { stdout } = await runCommand([command, '--help']);
    expect(stdout).toContain('--endpoint');
    for (const flag of flags) expect(stdout, command).not.toContain(flag);
    expect(await runCommand([command, 's3://bucket/', ...flags.slice(0, 1)])).toMatchObject({ status: 2 });
  }
});
