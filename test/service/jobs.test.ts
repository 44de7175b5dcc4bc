import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord } from '../../src/protocol/types.js';
import type { Creator } from '../../server/service/identity/creator.js';
import { SYSTEM_CREATOR, userCreator } from '../../server/service/identity/creator.js';
import { insertFiles } from './insert-files.js';
import { readActivities } from './read-activities.js';
import { accountOf, signIn } from './session-client.js';
import { TestService } from './support.js';
import { WebhookReceiver } from './webhook-receiver.js';
import type { Received } from './webhook-receiver.js';
import { createWorkspace, expectStatus } from './workspace-client.js';

interface JobRecord {
  id: string;
  state: string;
  total: number | null;
  done: number;
  failed: number;
  failures: { path: string; code: string }[];
  error: { code: string } | null;
  expires_at: string | null;
}

let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await TestService.start({ outboundAllow: ['127.0.0.1'] });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
});

const create = (body: object) => service.call<JobRecord>('POST', '/v1/jobs', { body });
const readJob = async (id: string) => (await service.call<JobRecord>('GET', `/v1/jobs/${id}`)).response;

/** Creates a job and waits for its end. */
async function run(body: object): Promise<JobRecord> {
  const { id } = expectStatus(await create(body), 202);
  await expect.poll(async () => (await readJob(id)).expires_at, { timeout: 30_000 }).not.toBeNull();
  return readJob(id);
}

/** The paths below a prefix. */
async function pathsIn(prefix: string): Promise<string[]> {
  const { response } = await service.call<{ files: FileRecord[] }>('GET', `/v1/files?limit=1000&prefix=${prefix}`);
  return response.files.map(({ path }) => path);
}

const putAll = async (...paths: string[]) => {
  for (const path of paths) expectStatus(await service.put(path, `content of ${path}`), 201);
};

describe('a folder', () => {
  it('is created as an empty file whose path ends in a slash', async () => {
    const folder = () => service.call<{ path: string }>('POST', '/v1/folders', { body: { path: 'empty/inner/' } });
    expect([(await folder()).status, (await folder()).status]).toEqual([201, 200]);
    const list = await service.call<{ prefixes: string[] }>('GET', '/v1/files?prefix=empty/&delimiter=/&only=folders');
    expect(list.response.prefixes).toEqual(['empty/inner/']);
    const [file] = (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=empty/')).response.files;
    expect(file).toMatchObject({ path: 'empty/inner/', size: 0, content_type: 'application/x-directory', visibility: 'private' });
    expect((await service.call('POST', '/v1/folders', { body: { path: 'a/../b' } })).error.code).toBe('INVALID_PATH');
  });

  it('can be created in a folder whose rule limits the types of files', async () => {
    await service.call('POST', '/v1/rules', { body: { prefix: 'only-jpg', allowed_extensions: ['jpg'], visibility: 'public' } });
    const created = await service.call('POST', '/v1/folders', { body: { path: 'only-jpg/2026' } });
    expect(created.status).toBe(201);
  });
});

describe('a job', () => {
  it('deletes a folder, but no file that was uploaded later and no folder with a longer name', async () => {
    const { core } = service.service;
    const before = (await service.call<StatsRecord>('GET', '/v1/stats')).response.files;
    await insertFiles(core, { prefix: 'trash/', count: 1200 });
    await insertFiles(core, { prefix: 'trash/later-', count: 2, updatedAt: core.now() + 3_600_000 });
    await putAll('trash2/kept');
    expect(await run({ type: 'delete', prefix: 'trash' })).toMatchObject({ state: 'done', total: 1200, done: 1200, failed: 0 });
    expect(await pathsIn('trash')).toEqual(['trash/later-0000001', 'trash/later-0000002', 'trash2/kept']);
    expect((await service.call<StatsRecord>('GET', '/v1/stats')).response.files).toBe(before + 3);
  });

  it('renames a folder with its markers and lists files that exist in the target', async () => {
    await putAll('old/a', 'old/deep/b', 'old/c', 'new/c');
    await service.call('POST', '/v1/folders', { body: { path: 'old/empty' } });
    const moved = await run({ type: 'move', prefix: 'old/', to: 'new' });
    expect(moved).toMatchObject({
      state: 'done',
      total: 4,
      done: 3,
      failed: 1,
      failures: [{ path: 'old/c', code: 'FILE_EXISTS' }],
    });
    const cancel = { method: 'POST', path: `/v1/jobs/${moved.id}/cancel` } as const;
    const { secret: credential } = await service.newKey(['blob:write']);
    expect((await service.call<JobRecord>(cancel.method, cancel.path, { credential })).response.failures).toEqual([]);
    expect((await service.call<JobRecord>(cancel.method, cancel.path)).response.failures).toHaveLength(1);
    expect(await pathsIn('new/')).toEqual(['new/a', 'new/c', 'new/deep/b', 'new/empty/']);
    expect(await pathsIn('old/')).toEqual(['old/c']);
    expect(await run({ type: 'move', prefix: 'old', to: 'new', overwrite: true })).toMatchObject({ done: 1, failed: 0 });
    const [, file] = (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=new/')).response.files;
    expect(new TextDecoder().decode(await service.bytesOf(file!.id))).toBe('content of old/c');
  });

  it('copies files by id, and stops at the quota', async () => {
    await putAll('originals/a', 'originals/b', 'originals/c');
    const { files } = (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=originals/')).response;
    const { core } = service.service;
    const { bytes } = await core.blobs.usage('main');
    await core.accounts.setQuota('main', bytes + 2 * files[0]!.size);
    const copied = await run({ type: 'copy', ids: [...files.map(({ id }) => id), 'file_unknown'], to: 'copies' });
    expect(copied).toMatchObject({
      state: 'done',
      done: 2,
      failed: 1,
      failures: [{ path: 'originals/c', code: 'STORAGE_FULL' }],
    });
    await core.accounts.setQuota('main', null);
    expect(await pathsIn('copies/')).toEqual(['copies/a', 'copies/b']);
    expect(await run({ type: 'copy', prefix: 'copies', to: 'copies/again' })).toMatchObject({ done: 2, failed: 0 });
    expect(await pathsIn('copies/')).toEqual(['copies/a', 'copies/again/a', 'copies/again/b', 'copies/b']);
  });

  it('changes all matches of a search', async () => {
    await putAll('photos/Beach.jpg', 'photos/beach.txt', 'photos/2026/beach.jpg', 'photos/city.jpg');
    const search = { prefix: 'photos/', name: 'beach', max_size: 1000 };
    const made = await run({ type: 'visibility', visibility: 'public', search });
    expect(made).toMatchObject({ state: 'done', total: 3, done: 3, source: { search } });
    const { files } = (await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=photos/')).response;
    expect(files.filter(({ url }) => url !== null).map(({ path }) => path)).toEqual([
      'photos/2026/beach.jpg',
      'photos/Beach.jpg',
      'photos/beach.txt',
    ]);
    expect(
      await run({ type: 'move', search: { prefix: 'photos/', direct: true, type: 'text/plain' }, to: 'photos/x' }),
    ).toMatchObject({
      failed: 0,
    });
  });

  it('records an event for each change of a file, for webhooks', async () => {
    await putAll('from/a', 'from/b', 'from/deep/c', 'watched/c');
    const body = { url: receiver.url, events: ['file.updated', 'file.deleted'], prefix: 'watched' };
    const { id } = expectStatus(await service.call<{ id: string }>('POST', '/v1/webhooks', { body }), 201);
    await run({ type: 'move', prefix: 'from/deep', to: 'watched', overwrite: true });
    await run({ type: 'move', prefix: 'from', to: 'watched' });
    await run({ type: 'visibility', prefix: 'watched', visibility: 'public' });
    await run({ type: 'delete', prefix: 'watched' });
    const path = `/v1/webhooks/${id}/deliveries`;
    const { deliveries } = (await service.call<{ deliveries: { id: string }[] }>('GET', path)).response;
    const events = deliveries.map(async (delivery) => {
      const { payload } = (await service.call<{ payload: Received['event'] }>('GET', `${path}/${delivery.id}`)).response;
      const { file, previous_path, reason } = payload.data;
      return [payload.type, previous_path, file.path, reason].filter(Boolean).join(' ');
    });
    expect((await Promise.all(events)).toSorted()).toEqual([
      'file.deleted watched/a deleted',
      'file.deleted watched/b deleted',
      'file.deleted watched/c deleted',
      'file.deleted watched/c replaced',
      'file.updated from/a watched/a',
      'file.updated from/b watched/b',
      'file.updated from/deep/c watched/c',
      'file.updated watched/a',
      'file.updated watched/b',
      'file.updated watched/c',
    ]);
    expectStatus(await service.call('DELETE', `/v1/webhooks/${id}`), 200);
  });

  it('is listed, and cancelled once', async () => {
    await insertFiles(service.service.core, { prefix: 'many/', count: 20_000 });
    const { id } = expectStatus(await create({ type: 'move', prefix: 'many', to: 'elsewhere' }), 202);
    const list = await service.call<{ jobs: JobRecord[]; cursor: string | null }>('GET', '/v1/jobs?unfinished=true');
    expect(list.response.jobs.map((job) => job.id)).toEqual([id]);
    await expect.poll(async () => (await readJob(id)).done, { timeout: 30_000 }).toBeGreaterThan(0);
    expect((await service.call<JobRecord>('POST', `/v1/jobs/${id}/cancel`)).response.state).toBe('cancelled');
    const { done } = await readJob(id);
    expect(done).toBeLessThan(20_000);
    // The service works on this job after every batch of the cancelled one.
    await run({ type: 'delete', prefix: 'nothing' });
    expect((await service.call<JobRecord>('POST', `/v1/jobs/${id}/cancel`)).response).toMatchObject({ state: 'cancelled', done });
    const pages = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: (typeof list)['response'] = (
        await service.call<(typeof list)['response']>('GET', `/v1/jobs?limit=2${cursor && `&cursor=${cursor}`}`)
      ).response;
      pages.push(...page.jobs.map((job) => job.id));
      cursor = page.cursor;
    }
    expect(pages).toContain(id);
    expect(new Set(pages).size).toBe(pages.length);
  });

  it('is neither shown to another account nor cancelled by it', async () => {
    const { id } = await run({ type: 'delete', prefix: 'nothing' });
    const { call } = await signIn(service);
    for (const [method, path] of [
      ['GET', `/v1/jobs/${id}`],
      ['POST', `/v1/jobs/${id}/cancel`],
      ['GET', `/v1/jobs?cursor=${id}`],
    ] as const)
      expect((await call(method, path)).error.code).toBe('JOB_NOT_FOUND');
    expect((await call<{ jobs: unknown[] }>('GET', '/v1/jobs')).response.jobs).toEqual([]);
  });

  it('writes its result into the activity log', async () => {
    await putAll('logged/a');
    const { id } = await run({ type: 'delete', prefix: 'logged' });
    const activity = (await readActivities(service, 'main')).find(({ target_id }) => target_id === id)!;
    expect(activity).toMatchObject({ action: 'job.finished', status: 'success', origin: 'api_key' });
    expect(JSON.parse(activity.details_json)).toEqual({ type: 'delete', prefix: 'logged/', done: 1, failed: 0 });
  });

  it.each([
    [{ type: 'delete' }, 'prefix'],
    [{ type: 'delete', prefix: 'a', ids: ['b'] }, 'prefix'],
    [{ type: 'delete', search: {} }, 'search'],
    [{ type: 'delete', search: { type: 'pictures' } }, 'search.type'],
    [{ type: 'delete', prefix: 'a', to: 'b' }, 'to'],
    [{ type: 'move', prefix: 'a' }, 'to'],
    [{ type: 'move', prefix: 'a', to: 'a/b' }, 'to'],
    [{ type: 'copy', prefix: 'a', to: 'a/' }, 'to'],
    [{ type: 'visibility', prefix: 'a' }, 'visibility'],
    [{ type: 'delete', prefix: 'a', overwrite: true }, 'overwrite'],
  ])('is refused for %j', async (body, field) => {
    const { status, error } = await create(body);
    expect([status, error.path]).toEqual([400, field]);
  });
});

describe('a job whose creator has lost the right', () => {
  const storageOf = async (account: string) => (await service.service.core.accounts.mainStorage(account))!;

  /** Runs a job of a creator that deletes one file. */
  async function runAs(creator: Creator, account: string): Promise<{ code: string | undefined; files: number }> {
    const { core } = service.service;
    await insertFiles(core, { prefix: `rights-${account}/${Math.random()}/`, count: 1, account });
    const storage = await storageOf(account);
    const spec = { type: 'delete', source: { prefix: `rights-${account}/` } } as const;
    const { id } = await core.blobs.jobs.create(storage, spec, creator);
    await expect.poll(async () => (await core.blobs.jobs.get(storage, id))!.finishedAt, { timeout: 30_000 }).not.toBeNull();
    const { error } = (await core.blobs.jobs.get(storage, id))!;
    return { code: error?.code, files: (await core.blobs.usage(account)).files };
  }

  it('stops when the key is revoked or loses its scope', async () => {
    const { core } = service.service;
    const before = (await core.blobs.usage('main')).files;
    const reader = await service.newKey(['blob:read']);
    const revoked = await service.newKey(['blob:write']);
    await core.keys.revoke('main', revoked.id);
    const ofKey = (keyId: string): Creator => ({ ...SYSTEM_CREATOR, keyId, origin: 'api_key' });
    expect(await runAs(ofKey(reader.id), 'main')).toEqual({ code: 'API_KEY_SCOPE_DENIED', files: before + 1 });
    expect(await runAs(ofKey(revoked.id), 'main')).toEqual({ code: 'API_KEY_INVALID', files: before + 2 });
  });

  it('stops when the user is disabled, and continues when the user signs out', async () => {
    const { core } = service.service;
    const { user, call } = await signIn(service);
    const account = await accountOf(service, user.id);
    expectStatus(await call('DELETE', '/v1/sessions/current'), 200);
    expect(await runAs(userCreator(user.id), account)).toEqual({ code: undefined, files: 0 });
    await core.userStatus.disable(user.id, SYSTEM_CREATOR);
    expect(await runAs(userCreator(user.id), account)).toEqual({ code: 'AUTH_TOKEN_MISSING', files: 1 });
  });

  it('stops when the member leaves the workspace or loses the permission', async () => {
    const workspace = await createWorkspace(service);
    const account = await accountOf(service, workspace.owner.user.id);
    const member = await workspace.member(['blob:read', 'blob:manage']);
    const created = await member.call<JobRecord>('POST', `/v1/jobs${workspace.query}`, {
      body: { type: 'delete', prefix: 'none' },
    });
    const job = (await service.service.core.blobs.jobs.get(await storageOf(account), created.response.id))!;
    expect(job).toMatchObject({ author: member.user.name, creator: { workspaceId: workspace.id, userId: member.user.id } });
    expect(await runAs(job.creator, account)).toEqual({ code: undefined, files: 0 });
    await workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['blob:read'] });
    expect(await runAs(job.creator, account)).toEqual({ code: 'WORKSPACE_PERMISSION_DENIED', files: 1 });
    await workspace.call('DELETE', `/members/${member.user.id}`);
    expect(await runAs(job.creator, account)).toEqual({ code: 'WORKSPACE_PERMISSION_DENIED', files: 2 });
  });
});
