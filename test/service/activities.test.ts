import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ActivityRecord } from '../../server/service/identity/activities/activity-record.js';
import { csvCell } from '../../server/service/identity/activities/csv.js';
import { withMetadata } from './change-key.js';
import { accountOf, createKey, signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const DAY = 86_400_000;

interface Page {
  activities: ActivityRecord[];
  cursor: string | null;
}
const list = async (client: SignedInUser, path = '/v1/users/me/activities') =>
  expectStatus(await client.call<Page>('GET', path), 200);

describe('the activity log', () => {
  it('records rules, domains, bulk deletions, tokens, key pairs and shares with their author', async () => {
    const user = await signIn(service, { name: 'Ada' });
    const account = await accountOf(service, user.user.id);
    const create = async (path: string, body: object) =>
      expectStatus(await user.call<{ id: string; access_key_id: string }>('POST', path, { body }), 201);
    const { secret } = await createKey(service, user.user.id, ['blob:write']);
    const file = expectStatus(await service.put('deleted.txt', 'x', { credential: secret }), 201);
    const rule = await create('/v1/rules', { prefix: 'r', max_size: 5 });
    expectStatus(await user.call('PATCH', `/v1/rules/${rule.id}`, { body: { max_size: 6 } }), 200);
    expectStatus(await user.call('DELETE', `/v1/rules/${rule.id}`), 200);
    const domain = await service.service.core.domains.create(
      (await service.service.core.accounts.mainStorage(account))!,
      { keyId: null, memberId: null, workspaceId: null, userId: user.user.id, origin: 'user' },
      { host: 'log.example.org' },
    );
    expectStatus(await user.call('PATCH', `/v1/domains/${domain.id}`, { body: { prefix: 'p' } }), 200);
    expectStatus(await user.call('DELETE', `/v1/domains/${domain.id}`), 200);
    const share = await create('/v1/shares', { path: 'deleted.txt' });
    expectStatus(await user.call('DELETE', `/v1/shares/${share.id}`), 200);
    const token = await create('/v1/upload-tokens', {});
    expectStatus(await user.call('DELETE', `/v1/upload-tokens/${token.id}`), 200);
    const pair = await create('/v1/s3-credentials', {});
    expectStatus(await user.call('DELETE', `/v1/s3-credentials/${pair.access_key_id}`), 200);
    expectStatus(
      await service.call('POST', '/v1/files/delete', { credential: secret, body: { ids: [file.id, 'unknown'] } }),
      200,
    );
    // A deletion of nothing changes nothing.
    expectStatus(await service.call('POST', '/v1/files/delete', { credential: secret, body: { ids: [file.id] } }), 200);

    const { activities } = await list(user);
    expect(activities.map(({ action, origin }) => [action, origin]).toReversed()).toEqual([
      ['api_key.created', 'admin'],
      ['rule.created', 'user'],
      ['rule.changed', 'user'],
      ['rule.deleted', 'user'],
      ['domain.created', 'user'],
      ['domain.changed', 'user'],
      ['domain.deleted', 'user'],
      ['share.created', 'user'],
      ['share.deleted', 'user'],
      ['upload_token.created', 'user'],
      ['upload_token.revoked', 'user'],
      ['s3_credential.created', 'user'],
      ['s3_credential.deleted', 'user'],
      ['files.deleted', 'api_key'],
    ]);
    expect(activities[0]).toEqual({
      id: expect.stringMatching(/^act_/),
      status: 'success',
      target_type: 'bucket',
      target_id: expect.any(String),
      workspace_id: null,
      author_id: user.user.id,
      author: 'Ada',
      origin: 'api_key',
      action: 'files.deleted',
      details: { count: 1, paths: ['deleted.txt'] },
      created_at: expect.any(String),
    });
  });

  it('shows changes through a workspace in its log and in that of the owner', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member(['blob:read', 'blob:manage']);
    expectStatus(await member.call('POST', `/v1/rules${workspace.query}`, { body: { prefix: 'r', max_size: 1 } }), 201);
    for (const page of [await list(workspace.owner), await list(workspace.owner, `/v1/workspaces/${workspace.id}/activities`)])
      expect(page.activities[0]).toMatchObject({
        action: 'rule.created',
        workspace_id: workspace.id,
        author_id: member.user.id,
      });
    expect((await list(member)).activities).toEqual([]);
  });

  it('can be neither set nor edited', async () => {
    const user = await signIn(service);
    for (const body of [
      { name: 'x', origin: 'system' },
      { name: 'x', author_id: 'somebody' },
    ])
      expect(outcome(await user.call('POST', '/v1/workspaces', { body }))).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('is paged without gaps, also after its entries were deleted', async () => {
    const user = await signIn(service);
    const workspace = await createWorkspace(service, user);
    for (let n = 0; n < 4; n++) await workspace.call('PUT', '', { name: `Name ${n}` });
    const path = `/v1/workspaces/${workspace.id}/activities?limit=2`;
    const names: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await list(user, cursor === '' ? path : `${path}&cursor=${cursor}`);
      names.push(...page.activities.map(({ details }) => details['name']));
      ({ cursor } = page);
    }
    expect(names).toEqual(['Name 3', 'Name 2', 'Name 1', 'Name 0', 'Team']);
    const first = await list(user, path);
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) => query.deleteFrom('activities').where('id', '=', first.activities[1]!.id).execute()),
    );
    expect((await list(user, `${path}&cursor=${first.cursor}`)).activities[0]!.details['name']).toBe('Name 1');
    expect(outcome(await user.call('GET', `${path}&cursor=x`))).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('is deleted after its retention, in small batches', async () => {
    const user = await signIn(service);
    const workspace = await createWorkspace(service, user);
    const { activities } = service.service.core;
    const [entry] = (await list(user)).activities;
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write(async (query) => {
        const row = await query.selectFrom('activities').selectAll().where('id', '=', entry!.id).executeTakeFirstOrThrow();
        for (let n = 0; n < 600; n++)
          await query
            .insertInto('activities')
            .values({ ...row, id: `act_old_${n}`, created_at: row.created_at - 400 * DAY - 60_000 })
            .execute();
      }),
    );
    expect(await activities.deleteOld()).toBe(600);
    expect((await list(user)).activities.map(({ id }) => id)).toEqual([entry!.id]);
    await service.advanceClock(3 * DAY);
    expect(await activities.deleteOld({ days: 4 })).toBe(0);
    expect(await activities.deleteOld({ days: 2 })).toBeGreaterThan(0);
    expect((await list(user, `/v1/workspaces/${workspace.id}/activities`)).activities).toEqual([]);
  });
});

describe('the option activityRetention', () => {
  it('sets the days for which a running service keeps entries', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-retention-'));
    const first = await TestService.start({ dataDir });
    const stored = () =>
      withMetadata(dataDir, ({ db }) =>
        db.selectFrom('activities').select('id').where('id', 'like', 'act_old_%').orderBy('id').execute(),
      );
    await withMetadata(dataDir, (metadata) =>
      metadata.write(async (query) => {
        const row = await query.selectFrom('activities').selectAll().executeTakeFirstOrThrow();
        for (const days of [1, 3, 401])
          await query
            .insertInto('activities')
            .values({ ...row, id: `act_old_${days}`, created_at: row.created_at - days * DAY })
            .execute();
      }),
    );
    await first.close();
    const second = await TestService.start({ dataDir, activityRetention: 2 });
    try {
      await vi.waitFor(async () => expect(await stored()).toEqual([{ id: 'act_old_1' }]), { timeout: 30_000 });
    } finally {
      await second.stop();
    }
  }, 60_000);
});

describe('the export of the activity log', () => {
  it('is CSV in which no cell is a formula', async () => {
    const user = await signIn(service, { name: '=HYPERLINK("http://evil.example","x")' });
    const workspace = await createWorkspace(service, user);
    await workspace.call('PUT', '', { name: 'a "quoted", name\nof two lines' });
    const response = await fetch(`${service.url}/v1/workspaces/${workspace.id}/activities/export`, {
      headers: { Cookie: user.cookie },
    });
    expect([response.status, response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      expect.stringContaining('attachment'),
    ]);
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('created_at,action,status,target_type,target_id,author_id,author,origin,workspace_id,details,id');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(lines[1]).toContain('""quoted');
  });

  it.each(['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', '＝1', '＠x'])('writes %j as text', (text) => {
    expect(csvCell(text)).toBe(`"'${text}"`);
  });

  it.each([
    ['plain', '"plain"'],
    ['a=b', '"a=b"'],
    ['"', '""""'],
    [null, '""'],
    [{ a: '=1' }, '"{""a"":""=1""}"'],
  ])('writes %j as it is', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it('reads logs of several pages', async () => {
    const user = await signIn(service);
    const workspace = await createWorkspace(service, user);
    const [entry] = (await list(user)).activities;
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write(async (query) => {
        const row = await query.selectFrom('activities').selectAll().where('id', '=', entry!.id).executeTakeFirstOrThrow();
        for (let n = 0; n < 1001; n++)
          await query
            .insertInto('activities')
            .values({ ...row, id: `act_${user.user.id}_${n}` })
            .execute();
      }),
    );
    const response = await fetch(`${service.url}/v1/workspaces/${workspace.id}/activities/export`, {
      headers: { Cookie: user.cookie },
    });
    expect((await response.text()).trimEnd().split('\r\n')).toHaveLength(1003);
  });

  it('is limited to five a minute for each user, also in parallel', async () => {
    const user = await signIn(service);
    const workspace = await createWorkspace(service, user);
    const path = `/v1/workspaces/${workspace.id}/activities/export`;
    // At the start of a minute, so that no other one begins.
    await service.advanceClock(60_000 - (Date.now() % 60_000));
    const results = await Promise.all(Array.from({ length: 8 }, () => user.call('GET', path)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = results.find(({ status }) => status === 429)!;
    expect(refused.error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.error.details).toMatchObject({ limit: 5 });
    const other = await workspace.member(['activities:read']);
    expect((await other.call('GET', path)).status).toBe(200);
  });
});
