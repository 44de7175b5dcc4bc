import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTokenRequest } from '../../server/service/identity/token-request.js';
import { openCore } from '../../server/service/core.js';
import { startCommand, runCommand } from './run-command.js';

let dataDir: string;
let url: string;
let service: ReturnType<typeof startCommand>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  service = startCommand(['serve', '--data-dir', dataDir, '--port', '0', '--s3-port', '0', '--quiet']);
  let text = '';
  for await (const chunk of service.stderr) {
    text += String(chunk);
    url = /listens on (http:\/\/[\d.]+:\d+)/.exec(text)?.[1] ?? '';
    if (url !== '') break;
  }
}, 30_000);
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

describe('svc-blob', () => {
  it('makes a key, mints with it, uploads, and revokes both', async () => {
    const made = await runCommand(['keys', 'create', '--data-dir', dataDir, '--name', 'site', '--preset', 'write', '--json']);
    expect(made.status).toBe(0);
    const key = JSON.parse(made.stdout);
    expect(key).toMatchObject({ name: 'site', scopes: ['blob:read', 'blob:write'], allowed_ips: [] });
    const env = { SVC_BLOB_URL: url, SVC_API_KEY: key.api_key };

    const minted = await runCommand(
      ['tokens', 'create', '--prefix', 'in', '--ext', 'txt,md', '--max-size', '1KiB', '--json'],
      env,
    );
    expect(JSON.parse(minted.stdout)).toMatchObject({ prefix: 'in', allowed_extensions: ['txt', 'md'], max_size: 1024 });
    const plain = await runCommand(['tokens', 'create'], env);
    expect(plain.stdout).toMatch(/^svcup_[0-9a-f]{48}\n$/);

    const { token, id } = JSON.parse(minted.stdout);
    const form = new FormData();
    form.append('file', new Blob(['x']), 'a.txt');
    const answer = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers: { Authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(201);
    expect((await runCommand(['tokens', 'list'], env)).stdout).toContain(`${id}\t1/1\t`);
    expect((await runCommand(['tokens', 'revoke', id], env)).status).toBe(0);

    expect((await runCommand(['keys', 'revoke', key.id, '--data-dir', dataDir])).status).toBe(0);
    const denied = await runCommand(['tokens', 'list'], env);
    expect([denied.status, denied.stderr]).toEqual([1, expect.stringContaining('API_KEY_INVALID')]);
    const listed = await runCommand(['keys', 'list', '--data-dir', dataDir]);
    expect(listed.stdout).toContain(`${key.id}\trevoked\tblob:read,blob:write\tsite`);
    expect(listed.stdout).not.toContain(key.api_key);
  }, 60_000);

  it('lists what ends with a key when it revokes the key', async () => {
    const core = await openCore({ dataDir });
    const storage = (await core.accounts.mainStorage('main'))!;
    const make = async () => {
      const { id } = await core.keys.create('main', { name: 'creator', scopes: ['blob:read', 'blob:write'] });
      await core.tokens.create(storage, id, parseTokenRequest({}, Date.now()));
      for (const place of [{ path: 'a.txt' }, { prefix: 'album' }]) await core.shares.create(storage, id, place, {});
      return { id, pair: (await core.s3Credentials.create('main', { name: 'backup\u001b[2J', keyId: id })).id };
    };
    const [one, two] = [await make(), await make()];
    await core.close();
    const told = await runCommand(['keys', 'revoke', one.id, '--data-dir', dataDir]);
    expect([told.status, told.stdout]).toEqual([0, '']);
    expect(told.stderr.split('\n')).toEqual([
      `Revoked ${one.id}. It ended:`,
      '- upload tokens that could still be used: 1',
      `- S3 key pairs: 1 (${one.pair} "backup\\u001b[2J")`,
      '- shares: 2 ("a.txt", "album/")',
      '- every temporary link that it created',
      '',
    ]);
    const json = await runCommand(['keys', 'revoke', two.id, '--data-dir', dataDir, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      id: two.id,
      revoked: true,
      ended: {
        upload_tokens: 1,
        s3_credentials: [{ access_key_id: two.pair, name: 'backup\u001b[2J' }],
        shares: [
          { path: 'a.txt', prefix: null },
          { path: null, prefix: 'album' },
        ],
      },
    });
    expect((await runCommand(['keys', 'revoke', two.id, '--data-dir', dataDir])).status).toBe(1);
  }, 60_000);

  it('refuses an account whose id is the name of a bucket, before it prints a key', async () => {
    const core = await openCore({ dataDir });
    try {
      const storage = (await core.accounts.mainStorage('main'))!;
      await core.blobs.createBucket(storage.accountId, 'later');
    } finally {
      await core.close();
    }
    const create = () => runCommand(['keys', 'create', '--data-dir', dataDir, '--account', 'later']);
    // A second try meets what a first one could have left.
    for (const { status, stdout, stderr } of [await create(), await create()]) {
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain('`account` must not be "later", which is the name of a bucket of another account');
    }
    expect((await runCommand(['keys', 'create', '--data-dir', dataDir, '--account', 'fresh'])).status).toBe(0);
  }, 60_000);

  it('keeps files, by path', async () => {
    const { api_key } = JSON.parse((await runCommand(['keys', 'create', '--data-dir', dataDir, '--json'])).stdout);
    const env = { SVC_BLOB_URL: url, SVC_API_KEY: api_key };
    const run = (...args: string[]) => runCommand(['files', ...args], env);
    const local = join(dataDir, 'häuser & co.txt');
    await writeFile(local, 'four');

    const put = await run('put', local, 'docs/', '--type', 'text/plain', '--metadata', 'a=b=c', '--json');
    expect(JSON.parse(put.stdout)).toMatchObject({
      path: 'docs/häuser & co.txt',
      content_type: 'text/plain',
      metadata: { a: 'b=c' },
    });
    expect((await run('put', local, 'docs/')).stderr).toContain('FILE_EXISTS');
    expect((await run('ls')).stdout).toContain('docs/\n');
    expect((await run('ls', 'docs')).stdout).toContain('docs/häuser & co.txt\n');
    expect((await run('get', 'docs/häuser & co.txt', '-')).stdout).toBe('four');
    expect((await run('mv', 'docs/häuser & co.txt', 'docs/b.txt')).status).toBe(0);
    expect((await run('cp', 'docs/b.txt', 'c.txt')).status).toBe(0);
    const link = (await run('link', 'c.txt', '--expires-in', '60')).stdout.trim();
    expect(await (await fetch(link)).text()).toBe('four');
    const copy = join(dataDir, 'copy.txt');
    expect((await run('get', 'c.txt', copy)).status).toBe(0);
    expect(await readFile(copy, 'utf8')).toBe('four');
    const removed = await run('rm', 'docs/b.txt', 'nothing.txt', 'c.txt', '--json');
    expect([removed.status, removed.stdout]).toEqual([
      1,
      '{"path":"docs/b.txt","deleted":true}\n{"path":"c.txt","deleted":true}\n',
    ]);
    expect(removed.stderr).toMatch(/nothing\.txt: there is no file[^]*1 of 3 files failed/);
    expect((await run('ls', '-r')).stdout).not.toContain('docs/');

    const pair = await runCommand(['s3-credentials', 'create', '--name', 'nas', '--read-only', '--json'], env);
    const { access_key_id, secret_access_key } = JSON.parse(pair.stdout);
    const listed = await runCommand(['s3-credentials', 'list'], env);
    expect(listed.stdout).toContain(`${access_key_id}\tread-only\t/\tnas`);
    expect(listed.stdout).not.toContain(secret_access_key);
    const short = await runCommand(['s3-credentials', 'create', '--name', 'page', '--expires-in', '900', '--json'], env);
    const { expires_at } = JSON.parse(short.stdout);
    expect((await runCommand(['s3-credentials', 'list'], env)).stdout).toContain(`page\tuntil ${expires_at}`);
    expect((await runCommand(['s3-credentials', 'delete', access_key_id], env)).status).toBe(0);
  }, 120_000);

  it.each([
    [['nonsense'], 'unknown command'],
    [['keys', 'create', '--nonsense'], 'unknown option'],
    [['keys', 'create', '--preset', 'all'], '--preset must be one of'],
    [['keys', 'create', '--scopes', 'blob:fly'], '`scopes` must be among'],
    [['keys', 'create', '--name', 'x'.repeat(41)], '1 to 40'],
    [['keys', 'create', '--allowed-ips', 'home'], '`allowed_ips` must be IP'],
    [['serve', '--port', 'high'], 'number from 0 to 65535'],
    [['serve', '--public-url', 'blob.example.com'], 'must begin with https://'],
    [['serve', '--trusted-proxy', '10.0.0.0/33'], 'an IP address or a range'],
    [['serve', '--database-url', 'mysql://x/y'], 'begins with postgres://'],
    [['keys', 'list', '--data-dir', '/nowhere/data'], '/nowhere/data contains no data'],
    [['tokens', 'create'], 'SVC_BLOB_URL'],
    [['tokens', 'create', '--url', 'http://x', '--api-key', 'k', '--max-size', 'big'], '--max-size'],
  ])('ends with 2 and says why at %j', async (args, why) => {
    const outcome = await runCommand(args, { DATA_DIR: dataDir });
    expect([outcome.status, outcome.stdout]).toEqual([2, '']);
    expect(outcome.stderr).toContain(why);
  });

  it('ends with 1 and says what to do where the surroundings are wrong', async () => {
    const free = ['--port', '0', '--s3-port', '0', '--data-dir', join(dataDir, 'other')];
    const taken = await runCommand(['serve', ...free, '--port', new URL(url).port]);
    expect([taken.status, taken.stderr]).toEqual([
      1,
      expect.stringContaining(`port ${new URL(url).port} of 127.0.0.1 is in use`),
    ]);
    const second = await runCommand(['serve', ...free, '--data-dir', dataDir]);
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining('another service runs on')]);
    const database = await runCommand(['serve', ...free, '--database-url', 'postgres://me:hidden@localhost:1/x']);
    expect([database.status, database.stderr]).toEqual([
      1,
      expect.stringMatching(/DATABASE_URL cannot be opened: .*ECONNREFUSED/),
    ]);
    expect(database.stderr).not.toContain('hidden');
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const store = await runCommand(['serve', ...free, '--store', 's3://x?region=a&endpoint=http://localhost:1'], env);
    expect([store.status, store.stderr]).toEqual([1, expect.stringMatching(/BLOB_STORE cannot be used: .*ECONNREFUSED/)]);
  }, 60_000);

  it('notices an address that is not an S3 endpoint', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'x' };
    const rest = await runCommand(['ls', 's3://main', '--endpoint', url], env);
    expect([rest.status, rest.stderr]).toEqual([1, expect.stringMatching(/is not an S3 endpoint[^]*port 9000/)]);
    const words = await runCommand(['ls', 's3://main', '--endpoint', 'localhost'], env);
    expect([words.status, words.stderr]).toEqual([2, expect.stringContaining('must be an address such as https://')]);
  }, 60_000);

  it('says where it put a key', async () => {
    const { stderr } = await runCommand(['keys', 'create', '--data-dir', join(dataDir, 'fresh')]);
    expect(stderr).toContain(` in ${join(dataDir, 'fresh')}.`);
  });

  it('explains itself', async () => {
    const help = await runCommand(['--help']);
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('serve')]);
    expect((await runCommand(['keys', 'create', '--help'])).stdout).toContain('--allowed-ips');
  });

  describe('with a drain time', () => {
    const serving = async () => {
      const folder = await mkdtemp(join(dataDir, 'drain-'));
      const child = startCommand(['serve', '--data-dir', folder, '--port', '0', '--s3-port', '0', '--quiet', '--drain', '600']);
      let text = '';
      for await (const chunk of child.stderr) {
        text += String(chunk);
        const address = /listens on (http:\/\/[\d.]+:\d+)/.exec(text)?.[1];
        if (address !== undefined) return { child, address, ended: once(child, 'close') as Promise<[number | null]> };
      }
      throw new Error(text);
    };

    it('fails /readyz after SIGTERM, and stops at the second signal', async () => {
      const { child, address, ended } = await serving();
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      child.kill('SIGTERM');
      const status = () => fetch(`${address}/readyz`).then((answer) => answer.status);
      await expect.poll(status).toBe(503);
      child.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    }, 60_000);

    it('does not wait after SIGINT', async () => {
      const { child, ended } = await serving();
      child.kill('SIGINT');
      expect((await ended)[0]).toBe(0);
    }, 60_000);
  });

  it.each([
    ['--drain', '-1'],
    ['--drain', '601'],
    ['--connection-limits', 'total=0'],
    ['--connection-limits', 'all=3'],
  ])('refuses %s %s', async (flag, value) => {
    const outcome = await runCommand(['serve', '--data-dir', dataDir, `${flag}=${value}`]);
    expect([outcome.status, outcome.stderr]).toEqual([2, expect.stringContaining(`got "${value}"`)]);
  });

  it('stops when it is told to', async () => {
    service.kill('SIGTERM');
    const [status] = await once(service, 'close');
    expect(status).toBe(0);
  });
});
