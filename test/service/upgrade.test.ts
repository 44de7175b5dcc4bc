import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService, ListeningAddresses } from '../../server/service/index.js';
import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';

const FIXTURE = new URL('fixtures/release-before-users/', import.meta.url).pathname;
const TEXT = 'from the release before users';

interface Credentials {
  key: { id: string; secret: string };
  revokedSecret: string;
  fileId: string;
  token: { id: string; secret: string };
  pair: { id: string; secret: string };
  shareId: string;
  ruleId: string;
}

/** Copies the directory that the release before users created. */
async function copyFixture(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  for (const name of ['blobs', 'secret.key']) await cp(join(FIXTURE, name), join(dataDir, name), { recursive: true });
  await chmod(join(dataDir, 'secret.key'), 0o600);
  await writeFile(join(dataDir, 'metadata.db'), gunzipSync(await readFile(join(FIXTURE, 'metadata.db.gz'))), { mode: 0o600 });
  return dataDir;
}

function runSql(dataDir: string, statement: string): void {
  const database = new Libsql(join(dataDir, 'metadata.db'));
  database.exec(statement);
  database.close();
}

describe('a data directory of the release before users', () => {
  let old: Credentials;
  let dataDir: string;
  let service: BlobService;
  let urls: ListeningAddresses;
  beforeAll(async () => {
    old = JSON.parse(await readFile(join(FIXTURE, 'credentials.json'), 'utf8')) as Credentials;
    dataDir = await copyFixture();
    // Tokens live for at most an hour, and the directory is older.
    runSql(dataDir, `update upload_tokens set expires_at = ${Date.now() + 3_600_000}`);
    service = await createBlobService({ dataDir, port: 0, s3Port: 0 });
    urls = await service.listen();
  });
  afterAll(async () => {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const fetchWith = (secret: string, path: string, init: RequestInit = {}) =>
    fetch(urls.url + path, { ...init, headers: { Authorization: `Bearer ${secret}` } });
  const s3 = () =>
    new S3Client({
      endpoint: urls.s3Url!,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: old.pair.id, secretAccessKey: old.pair.secret },
    });

  it('keeps its files for its key', async () => {
    const content = await fetchWith(old.key.secret, `/v1/files/${old.fileId}/content`);
    expect([content.status, await content.text()]).toEqual([200, TEXT]);
    expect((await fetchWith(old.key.secret, '/v1/files/new.txt', { method: 'PUT', body: 'new' })).status).toBe(201);
    expect((await fetchWith(old.revokedSecret, '/v1/files')).status).toBe(401);
  });

  it('keeps public files, shares and rules', async () => {
    expect(await (await fetch(`${urls.url}/f/main/open.txt`)).text()).toBe('public text');
    expect(await (await fetch(`${urls.url}/s/${old.shareId}`)).text()).toBe(TEXT);
    const tooLarge = await fetchWith(old.key.secret, '/v1/files/letters/long.txt', { method: 'PUT', body: 'x'.repeat(1001) });
    expect(tooLarge.status).toBe(413);
  });

  it('keeps its upload tokens and S3 key pairs', async () => {
    const form = new FormData();
    form.append('file', new Blob(['by token']), 'token.txt');
    expect((await fetchWith(old.token.secret, '/v1/files', { method: 'POST', body: form })).status).toBe(201);
    await s3().send(new PutObjectCommand({ Bucket: 'main', Key: 'pair.txt', Body: 'by pair' }));
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'letters/hello.txt' }));
    expect(await Body!.transformToString()).toBe(TEXT);
  });

  it('shows its keys, and lets them be changed, rotated and revoked with what they created', async () => {
    const { keys } = service.core;
    const [key] = await keys.list('main', { active: true });
    expect(key).toMatchObject({ id: old.key.id, name: 'site', prefix: null, last4: null, scopes: ['blob:read', 'blob:write'] });
    await keys.change('main', old.key.id, { name: 'upgraded' }, ADMIN_CREATOR);
    const { secret } = await keys.rotate('main', old.key.id, { overlapSeconds: 60, creator: ADMIN_CREATOR });
    for (const one of [old.key.secret, secret]) expect((await fetchWith(one, '/v1/files')).status).toBe(200);
    const ended = await keys.revoke('main', old.key.id);
    expect([ended!.uploadTokens, ended!.s3Credentials.length, ended!.shares.length]).toEqual([1, 1, 1]);
    expect((await fetchWith(old.token.secret, '/v1/upload-tokens/self')).status).toBe(401);
    expect((await fetch(`${urls.url}/s/${old.shareId}`)).status).toBe(404);
    await expect(s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'open.txt' }))).rejects.toMatchObject({
      name: 'InvalidAccessKeyId',
    });
  });
});

describe('a program that is older than the database', () => {
  it('does not start, names both versions and says what to do', async () => {
    const dataDir = await copyFixture();
    await (await createBlobService({ dataDir, s3Port: false })).close();
    runSql(dataDir, 'insert into schema_versions (version, applied_at) select max(version) + 1, 1 from schema_versions');
    await expect(createBlobService({ dataDir, s3Port: false })).rejects.toThrow(
      /^the database has version (\d+), this program knows \d+\. Run the newer version .* restore the backup from before the upgrade\.$/,
    );
    await rm(dataDir, { recursive: true, force: true });
  });
});
