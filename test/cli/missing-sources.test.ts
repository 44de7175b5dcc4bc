import { expect, it } from 'vitest';
import { runCommand } from './run-command.js';

it.each(['cp -r', 'cp', 'sync', 'verify'])(
  'a local source that is not there is named as it was typed, and no store is asked: %s',
  async (command) => {
    const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const { status, stderr } = await runCommand([...command.split(' '), './no/such', 's3://bucket/prefix'], env);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^svc-blob: SourceUnreadable: .*ENOENT.*\nCheck that the file exists/);
    expect(stderr.match(/[^ ']*no\/such/g)).toEqual(['./no/such']);
  },
);
