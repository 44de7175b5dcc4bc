import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { InviteRecord } from '../../server/service/identity/workspaces/invites.js';
import { withMetadata } from './change-key.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
let roleId: string;
beforeAll(async () => {
  service = await TestService.start();
  workspace = await createWorkspace(service);
  roleId = (await workspace.roleNamed('viewer')).id;
});
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const DAY = 86_400_000;
const NOT_FOUND = [404, 'NOT_FOUND'];

const invite = async (options: object = {}, client = workspace.owner) =>
  expectStatus(
    await client.call<InviteRecord & { token: string; url: string }>('POST', `/v1/workspaces/${workspace.id}/invites`, {
      body: { role_id: roleId, ...options },
    }),
    201,
  );
const accept = (client: SignedInUser, token: string) => client.call('POST', `/v1/workspaces/invites/${token}/accept`);
const memberIds = async () => {
  const { members } = (await workspace.call<{ members: { user_id: string }[] }>('GET')).response;
  return members.map(({ user_id }) => user_id);
};

describe('an invite', () => {
  it('is shown with its token once and stored as a hash', async () => {
    const { token, id, url, expires_at } = await invite();
    expect(url).toBe(`${service.url}/workspace-invites/${token}`);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6.9 * DAY);
    const list = await workspace.call<{ invites: InviteRecord[] }>('GET', '/invites');
    expect(list.response.invites.map((one) => one.id)).toContain(id);
    expect(JSON.stringify(list.response)).not.toContain(token);
    const rows = await withMetadata(service.dataDir, ({ db }) => db.selectFrom('workspace_invites').selectAll().execute());
    const log = await withMetadata(service.dataDir, ({ db }) => db.selectFrom('activities').selectAll().execute());
    expect(JSON.stringify([rows, log])).not.toContain(token);
  });

  it('shows the workspace and the role to a signed-in user, who accepts it', async () => {
    const user = await signIn(service);
    const { token } = await invite();
    expect((await user.call('GET', `/v1/workspaces/invites/${token}`)).response).toMatchObject({
      workspace: { id: workspace.id, name: 'Team' },
      role: { id: roleId, name: 'viewer' },
      invited_by: workspace.owner.user.name,
      email: null,
    });
    expect((await accept(user, token)).response).toMatchObject({ id: workspace.id, owner_id: workspace.owner.user.id });
    expect(outcome(await accept(await signIn(service), token))).toEqual(NOT_FOUND);
    expect(await memberIds()).toContain(user.user.id);
  });

  it('ends at its expiry, when it is deleted, and when all uses are taken', async () => {
    const user = await signIn(service);
    const late = await invite({ expires_in_days: 1 });
    const deleted = await invite();
    expect(outcome(await workspace.call('DELETE', `/invites/${deleted.id}`))).toEqual([200]);
    expect(outcome(await workspace.call('DELETE', `/invites/${deleted.id}`))).toEqual(NOT_FOUND);
    expect(outcome(await accept(user, deleted.token))).toEqual(NOT_FOUND);
    await service.advanceClock(DAY + 60_000);
    expect(outcome(await accept(user, late.token))).toEqual(NOT_FOUND);
    expect(outcome(await user.call('GET', `/v1/workspaces/invites/${late.token}`))).toEqual(NOT_FOUND);
  });

  it('counts its uses atomically under parallel accepts', async () => {
    const { token, id } = await invite({ max_uses: 3 });
    const users: SignedInUser[] = [];
    for (let n = 0; n < 10; n++) users.push(await signIn(service));
    const results = await Promise.all(users.map((user) => accept(user, token)));
    expect(results.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(7).fill(404)]);
    const joined = (await memberIds()).filter((member) => users.some(({ user }) => user.id === member));
    expect(joined).toHaveLength(3);
    const row = await withMetadata(service.dataDir, ({ db }) =>
      db.selectFrom('workspace_invites').select('uses').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(row.uses).toBe(3);
  });

  it('keeps its use if a member accepts it again', async () => {
    const user = await signIn(service);
    const { token } = await invite({ max_uses: 2 });
    for (const client of [user, user, workspace.owner]) expect(outcome(await accept(client, token))).toEqual([200]);
    expect(outcome(await accept(await signIn(service), token))).toEqual([200]);
    expect(outcome(await accept(await signIn(service), token))).toEqual(NOT_FOUND);
  });

  it('for an address is for its user only', async () => {
    const invited = await signIn(service);
    const other = await signIn(service);
    const { token, email } = await invite({ email: invited.user.email.toUpperCase(), max_uses: 2 });
    expect(email).toBe(invited.user.email);
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/accept'],
      ['POST', '/decline'],
    ])
      expect(outcome(await other.call(method!, `/v1/workspaces/invites/${token}${rest}`))).toEqual(NOT_FOUND);
    expect(outcome(await accept(invited, token))).toEqual([200]);
  });

  it('for an address ends when its user declines it; an invite for every user stays', async () => {
    const user = await signIn(service);
    const [own, open] = [await invite({ email: user.user.email }), await invite()];
    for (const { token } of [own, open])
      expect(outcome(await user.call('POST', `/v1/workspaces/invites/${token}/decline`))).toEqual([200]);
    expect(outcome(await accept(user, own.token))).toEqual(NOT_FOUND);
    expect(outcome(await accept(user, open.token))).toEqual([200]);
    // A decline that changes nothing is not recorded, because each holder of the link could fill the log.
    const log = await withMetadata(service.dataDir, ({ db }) =>
      db.selectFrom('activities').select('details_json').where('action', '=', 'workspace_invite.declined').execute(),
    );
    expect(log).toEqual([{ details_json: JSON.stringify({ invite_id: own.id }) }]);
  });

  it('does not reach users who accept no invites', async () => {
    const user = await signIn(service);
    const open = await invite();
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) =>
        query.updateTable('users').set({ workspace_invites_enabled: 0 }).where('id', '=', user.user.id).execute(),
      ),
    );
    const refused = await workspace.call('POST', '/invites', { role_id: roleId, email: user.user.email });
    expect([...outcome(refused), refused.error.path]).toEqual([400, 'VALIDATION_ERROR', 'email']);
    const accepted = await accept(user, open.token);
    expect([...outcome(accepted), accepted.error.path]).toEqual([400, 'VALIDATION_ERROR', 'workspace_invites_enabled']);
    // The refusal takes no use.
    expect(outcome(await accept(await signIn(service), open.token))).toEqual([200]);
  });

  it('ends when its creator is removed, expires or loses the right to give its role', async () => {
    const ends: ((member: SignedInUser & { roleId: string }) => Promise<unknown>)[] = [
      (member) => workspace.call('DELETE', `/members/${member.user.id}`),
      (member) => workspace.call('PUT', `/members/${member.user.id}`, { role_id: roleId }),
      (member) => workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['members:manage'] }),
      ({ user }) =>
        withMetadata(service.dataDir, (metadata) =>
          metadata.write((query) =>
            query.updateTable('workspace_members').set({ expires_at: 1 }).where('user_id', '=', user.id).execute(),
          ),
        ),
    ];
    for (const end of ends) {
      const member = await workspace.member(['members:manage', 'apps:read']);
      const role = await workspace.role(['apps:read']);
      const { token } = await invite({ role_id: role.id, max_uses: 2 }, member);
      expect(outcome(await accept(await signIn(service), token))).toEqual([200]);
      await end(member);
      expect(outcome(await accept(await signIn(service), token))).toEqual(NOT_FOUND);
    }
  });

  it.each([
    ['expires_in_days', 0],
    ['expires_in_days', 31],
    ['max_uses', 0],
    ['max_uses', 101],
    ['email', 'no address'],
    ['role_id', 'role_x'],
  ])('rejects %s %s', async (field, value) => {
    const { status } = await workspace.call('POST', '/invites', { role_id: roleId, [field]: value });
    expect(status).toBe(field === 'role_id' ? 404 : 400);
  });
});
