import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

describe('svc-blob --help', () => {
  it('lists the commands in groups', async () => {
    const { status, stdout } = await runCommand(['--help']);

    expect(status).toBe(0);
    expect(stdout).toMatch(/^Commands over the REST API:\n {2}tokens .*\n {2}s3-credentials .*\n {2}files /m);
    expect(stdout).toMatch(/^ {2}serve +Run the service$/m);
  });
});

describe('svc-blob help', () => {
  it.each([[['cp']], [['keys', 'create']]])('prints the help of the command %j', async (words) => {
    const help = await runCommand(['help', ...words]);

    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help).toEqual(await runCommand([...words, '--help']));
  });
});

describe('the help of a command', () => {
  it('lists the flags of a subcommand', async () => {
    const { stdout } = await runCommand(['keys', 'create', '--help']);

    expect(stdout).toContain('--allowed-ips');
  });

  it.each([
    ['cat', ['--json']],
    ['mb', ['--bwlimit', '--concurrency', '--verbose']],
    ['rb', ['--bwlimit', '--dry-run']],
  ])('leaves out the flags that %s refuses: %j', async (command, refusedFlags) => {
    const { stdout } = await runCommand([command, '--help']);
    const refusal = await runCommand([command, 's3://bucket/', refusedFlags[0]!]);

    expect(stdout).toContain('--endpoint');
    for (const flag of refusedFlags) expect(stdout).not.toContain(flag);
    expect(refusal.status).toBe(2);
  });
});
