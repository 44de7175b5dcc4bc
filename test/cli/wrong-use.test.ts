import { describe, expect, it } from 'vitest';
import { svcBlob } from './support.js';

const there = 's3://bucket/key';

describe('wrong use of a bulk command', () => {
  it.each([
    [['cp', 'a', there, '--recursiv'], /^unknown option '--recursiv'/],
    [['sync', 'a', there, '--concurrency', 'x'], /Say a number from 1 to 1024/],
    [['verify', 'a'], /^missing required argument 'place'/],
    [['rm', 's3://bucket'], /^s3:\/\/bucket: add -r/],
  ])('%j is told by an event as well, with --json alone', async (args, message) => {
    const [plain, { stdout, ...rest }] = await Promise.all([svcBlob(args), svcBlob([...args, '--json'])]);
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
    const { status, stderr } = await svcBlob([...args, '--json']);
    expect(status).toBe(2);
    expect(stderr).toBe('svc-blob: --json has no place where objects go to standard output\n');
  });

  it('is not what asks for help, nor a command whose --json is one answer', async () => {
    const help = await svcBlob(['cp', '--json', '--help']);
    expect(help.status).toBe(0);
    expect(help.stdout).toMatch(/^Usage: /);
    expect(await svcBlob(['tokens', 'create', '--jso', '--json'])).toMatchObject({ status: 2, stdout: '' });
  });
});
