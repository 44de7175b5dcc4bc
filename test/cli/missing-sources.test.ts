import { expect, it } from 'vitest';
import { runCommand } from './run-command.js';

it.each(['cp -r', 'cp', 'sync', 'verify'])(
  'svc-blob %s reports a missing local source as the person wrote it, without asking the store',
  async (command) => {
    const noStore = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

    const { status, stderr } = await runCommand([...command.split(' '), './no/such', 's3://bucket/prefix'], noStore);

    expect(status).toBe(1);
    expect(stderr).toMatch(/^svc-blob: SourceUnreadable: .*ENOENT.*\nCheck that the file exists/);
    expect(stderr.match(/[^ ']*no\/such/g)).toEqual(['./no/such']);
  },
);
