import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openCore } from '../../server/service/core.js';
import type { Core } from '../../server/service/core.js';
import { PRESETS } from '../../server/service/identity/scopes.js';
import { parseTokenRequest } from '../../server/service/identity/token-request.js';
import { runCommand } from './run-command.js';
import { startServe } from './start-serve.js';
import type { ServingCommand } from './start-serve.js';

let dataDir: string;
let service: ServingCommand;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  service = await startServe(dataDir, '--quiet');
});
afterAll(async () => {
  service.kill('SIGINT');
  await service.ended;
  await rm(dataDir, { recursive: true, force: true });
});

const runKeys = (...args: string[]) => runCommand(['keys', ...args, '--data-dir', dataDir]);

async function createKey(...flags: string[]) {
  const { stdout } = await runKeys('create', '--json', ...flags);
  return JSON.parse(stdout) as { id: string; api_key: string };
}

/** Calls `work` with the data that the service uses, too. */
async function withCore<Result>(work: (core: Core) => Promise<Result>): Promise<Result> {
  const core = await openCore({ dataDir });
  try {
    await core.accounts.ensure('main');
    return await work(core);
  } finally {
    await core.close();
  }
}

describe('svc-blob keys create', () => {
  it('prints the key as JSON', async () => {
    const { status, stdout } = await runKeys('create', '--name', 'site', '--preset', 'write', '--json');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'site',
      scopes: PRESETS['write'],
      allowed_ips: [],
      api_key: expect.stringMatching(/^svc_live_/),
    });
  });

  it('states the folder that it stored the key in', async () => {
    const folder = join(dataDir, 'fresh');

    const { stderr } = await runCommand(['keys', 'create', '--data-dir', folder]);

    expect(stderr).toContain(` in ${folder}.`);
  });

  it('refuses an account whose id is the name of a bucket, and prints no key', async () => {
    await withCore(async (core) => {
      const storage = (await core.accounts.mainStorage('main'))!;
      await core.blobs.createBucket(storage.accountId, 'later');
    });

    // The second attempt would notice an account that the first one left behind.
    const outcomes = [await runKeys('create', '--account', 'later'), await runKeys('create', '--account', 'later')];

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('"later", which is the name of a bucket of another account'),
      });
    expect(await runKeys('create', '--account', 'fresh')).toMatchObject({ status: 0 });
  });
});

describe('svc-blob keys import', () => {
  it('adds a key of 64 hexadecimal characters from a file, which has every scope', async () => {
    const secret = createHash('sha256').update(dataDir).digest('hex');
    const file = join(dataDir, 'legacy-key');
    await writeFile(file, `${secret}\n`);

    const { status, stdout } = await runKeys('import', '--name', 'old', '--api-key-file', file, '--json');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'old', prefix: '', last4: secret.slice(-4) });
    expect(stdout).not.toContain(secret);
    expect(await runCommand(['tokens', 'list'], { SVC_BLOB_URL: service.url, SVC_API_KEY: secret })).toMatchObject({ status: 0 });
    expect(await runKeys('import', '--api-key-file', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is stored already'),
    });
  }, 60_000);
});

describe('svc-blob keys delete', () => {
  /** Creates a key that has created a token, a key pair and two shares. */
  const createUsedKey = (): Promise<{ id: string; pairId: string; webhookId: string }> =>
    withCore(async (core) => {
      const storage = (await core.accounts.mainStorage('main'))!;
      const { id } = await core.keys.create('main', { name: 'creator', scopes: ['blob:read', 'blob:write'] });
      const creator = { ...ADMIN_CREATOR, keyId: id };
      await core.tokens.create(storage, creator, parseTokenRequest({}, Date.now()));
      for (const target of [{ path: 'a.txt' }, { prefix: 'album' }]) {
        await core.shares.create(storage, creator, target, {});
        // Shares are listed by their time in milliseconds.
        const end = Date.now();
        await vi.waitUntil(() => Date.now() > end, { interval: 1 });
      }
      const pair = await core.s3Credentials.create('main', { name: 'backup\u001b[2J', creator });
      const url = 'https://hooks.example.org/secret-path';
      const webhook = await core.webhooks.create(storage, creator, { url, events: ['file.created'] });
      return { id, pairId: pair.id, webhookId: webhook.id };
    });

  it('lists everything that ended with the key', async () => {
    const { id, pairId } = await createUsedKey();

    const { status, stdout, stderr } = await runKeys('delete', id);

    expect([status, stdout]).toEqual([0, '']);
    expect(stderr.split('\n')).toEqual([
      `Revoked ${id}. It ended:`,
      '- upload tokens that could still be used: 1',
      `- S3 key pairs: 1 (${pairId} "backup\\u001b[2J")`,
      '- shares: 2 ("a.txt", "album/")',
      '- webhooks: 1 ("https://hooks.example.org")',
      '- every temporary link that it created',
      '',
    ]);
  });

  it('lists everything that ended with the key as JSON', async () => {
    const { id, pairId, webhookId } = await createUsedKey();

    const { stdout } = await runKeys('delete', id, '--json');

    expect(JSON.parse(stdout)).toEqual({
      id,
      revoked: true,
      ended: {
        upload_tokens: 1,
        s3_credentials: [{ access_key_id: pairId, name: 'backup\u001b[2J' }],
        shares: [
          { path: 'a.txt', prefix: null },
          { path: null, prefix: 'album' },
        ],
        webhooks: [{ id: webhookId, origin: 'https://hooks.example.org' }],
      },
    });
  });

  it('fails for a revoked key', async () => {
    const { id } = await createKey();
    await runKeys('revoke', id);

    const { status, stderr } = await runKeys('revoke', id);

    expect(status).toBe(1);
    expect(stderr).toContain(`the account main has no valid key ${id}`);
  });

  it('takes effect in the running service, and stays visible in keys list', async () => {
    const { id, api_key } = await createKey('--name', 'site', '--scopes', 'blob:read,blob:write');

    const { status } = await runKeys('revoke', id);

    expect(status).toBe(0);
    expect(await runCommand(['tokens', 'list'], { SVC_BLOB_URL: service.url, SVC_API_KEY: api_key })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('API_KEY_INVALID'),
    });
    const { stdout } = await runKeys('list');
    expect(stdout).toContain(`${id}\trevoked\tblob:read,blob:write\tsite`);
    expect(stdout).not.toContain(api_key);
  });
});
