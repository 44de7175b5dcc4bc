import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { send, visit } from './oauth-flow.js';
import type { FlowResponse } from './oauth-flow.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
let roleId: string;
beforeAll(async () => {
  service = await TestService.start();
  workspace = await createWorkspace(service, await signIn(service, { name: '<Ana> & "Co"' }));
  roleId = (await workspace.roleNamed('viewer')).id;
});
afterAll(() => service.stop());

const invite = async (options: object = {}) => {
  const created = await workspace.call<{ url: string; id: string }>('POST', '/invites', { role_id: roleId, ...options });
  const { url, id } = expectStatus(created, 201);
  return { id, path: new URL(url).pathname };
};
const decide = (path: string, { cookie, user }: SignedInUser, decision: string, headers: Record<string, string> = {}) =>
  send(service, 'POST', path, {
    headers: { Cookie: cookie, Origin: new URL(service.url).origin, ...headers },
    body: new URLSearchParams({ decision, user: user.id }),
  });
const isMember = async ({ user }: SignedInUser) =>
  (await service.service.core.memberships.find(workspace.id, user.id)) !== undefined;
const isInvalidPage = ({ status, text }: FlowResponse) => status === 404 && text.includes('This invite isn’t valid');
/** Ends an invite without anybody having accepted it. */
const expire = (id: string) =>
  withMetadata(service.dataDir, (metadata) =>
    metadata.write((query) => query.updateTable('workspace_invites').set({ expires_at: 1 }).where('id', '=', id).execute()),
  );

describe('the page of a workspace invite', () => {
  it('tells people without a session nothing but how to sign in or create an account, and to return', async () => {
    const { path } = await invite();
    const { status, text, headers } = await visit(service, path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/Team|Ana|viewer|<script|name="decision"/);
    for (const next of ['/sign-in', '/invitation']) expect(text).toContain(`href="${next}?next=${encodeURIComponent(path)}"`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/);
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
    expect((await visit(service, `/invitation?next=${encodeURIComponent(path)}`)).text).toContain(`name="next" value="${path}"`);
  });

  it('shows the workspace, the inviter and the role, and makes the user a member', async () => {
    const user = await signIn(service);
    const { path } = await invite();
    const { text } = await visit(service, path, user.cookie);
    for (const part of ['Join “Team”?', '&lt;Ana&gt; &amp; &quot;Co&quot;', 'viewer', user.user.email])
      expect(text).toContain(part);

    const accepted = await decide(path, user, 'accept');

    expect([accepted.status, accepted.location!.pathname]).toEqual([303, `/workspace-invites/joined/${workspace.id}`]);
    expect(await isMember(user)).toBe(true);
    // The invite is used up, and the page still says that the user is a member.
    expect((await visit(service, accepted.location!.pathname, user.cookie)).text).toContain('You’re a member of “Team”');
    const stranger = await visit(service, accepted.location!.pathname, (await signIn(service)).cookie);
    expect([stranger.status, stranger.text.includes('Team')]).toEqual([404, false]);
  });

  it('declines an invite without making the user a member', async () => {
    const user = await signIn(service);
    const { path } = await invite({ email: user.user.email });
    const declined = await decide(path, user, 'decline');
    expect([declined.status, declined.location!.pathname]).toEqual([303, '/workspace-invites/declined']);
    expect((await visit(service, '/workspace-invites/declined', user.cookie)).status).toBe(200);
    expect(isInvalidPage(await decide(path, user, 'accept'))).toBe(true);
    expect(await isMember(user)).toBe(false);
  });

  it('is the same for an unknown, an expired, a deleted and a foreign invite', async () => {
    const user = await signIn(service);
    const [expired, deleted, foreign] = [await invite(), await invite(), await invite({ email: 'other@example.org' })];
    expectStatus(await workspace.call('DELETE', `/invites/${deleted.id}`), 200);
    await expire(expired.id);
    const pages = [];
    for (const path of ['/workspace-invites/svcinv_0', expired.path, deleted.path, foreign.path]) {
      const page = await visit(service, path, user.cookie);
      expect([path, isInvalidPage(page), isInvalidPage(await decide(path, user, 'accept'))]).toEqual([path, true, true]);
      pages.push(page.text.replaceAll(encodeURIComponent(path), '').replaceAll(path, ''));
    }
    expect(new Set(pages).size).toBe(1);
    expect(await isMember(user)).toBe(false);
  });

  it.each([
    ['missing', ''],
    ['null', 'null'],
    ['of another site', 'https://evil.example'],
  ])('takes no decision from a form whose origin is %s', async (_, Origin) => {
    const user = await signIn(service);
    const { path } = await invite();
    const { status, text } = await decide(path, user, 'accept', { Origin });
    expect([status, text.includes('role="alert"'), await isMember(user)]).toEqual([403, true, false]);
  });

  it('takes no decision for a user who has not seen it, and shows it', async () => {
    const [reader, other] = [await signIn(service), await signIn(service)];
    const { path } = await invite();

    const { status, text } = await decide(path, { ...other, user: reader.user }, 'accept');

    expect([status, await isMember(other)]).toEqual([409, false]);
    for (const part of ['signed in as another user now', other.user.email, `value="${other.user.id}"`])
      expect(text).toContain(part);
  });

  it('lists the permissions of the role in the language of the user', async () => {
    const user = await signIn(service);
    expectStatus(await user.call('PATCH', '/v1/users/me', { body: { language: 'es-es' } }), 200);
    const { text } = await visit(service, (await invite()).path, user.cookie);
    expect(text).toContain('Ver miembros y roles');
    expect(text).not.toContain('members:read');
  });

  it('lets a signed-in user change the account and return', async () => {
    const user = await signIn(service);
    const { path } = await invite();
    expect((await visit(service, path, user.cookie)).text).toContain(`name="next" value="${path}"`);
    const signOut = (next: string) =>
      send(service, 'POST', '/sign-out', {
        headers: { Cookie: user.cookie, Origin: new URL(service.url).origin },
        body: new URLSearchParams({ next }),
      });
    expect((await signOut('//evil.example')).headers.get('location')).toBe('/sign-in');
    expect((await signOut(path)).headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
  });

  it('says why a user who accepts no invites cannot join', async () => {
    const user = await signIn(service);
    const { path } = await invite();
    expectStatus(
      await user.call('PATCH', '/v1/users/me', { body: { workspace_invites_enabled: false, language: 'pt-br' } }),
      200,
    );
    const { status, text } = await decide(path, user, 'accept');
    expect([status, text.includes('Seu perfil não aceita convites')]).toEqual([400, true]);
  });

  it('shows a member that the workspace is open already', async () => {
    const { path } = await invite();
    expect((await visit(service, path, workspace.owner.cookie)).text).toContain('You’re a member of “Team”');
  });

  it('leads a member to the workspace when the invite is used up, and tells others nothing', async () => {
    const [user, other] = [await signIn(service), await signIn(service)];
    const { id } = await workspace.role(['blob:read']);
    const { path } = await invite({ role_id: id });
    await decide(path, user, 'accept');
    // Creating an invite removes those that have expired.
    await invite();
    const { status, text } = await visit(service, path, user.cookie);
    expect([status, text.includes('You’re a member of “Team”')]).toEqual([200, true]);
    expect(text).toContain(`href="/console/files?workspace=${workspace.id}"`);
    expect(isInvalidPage(await visit(service, path, other.cookie))).toBe(true);
    expectStatus(await workspace.call('DELETE', `/members/${user.user.id}`), 200);
    expect(isInvalidPage(await visit(service, path, user.cookie))).toBe(true);
  });

  it('offers to sign in if nobody can accept it, and tells people without a session nothing else', async () => {
    const [used, expired, deleted] = [await invite(), await invite(), await invite()];
    await decide(used.path, await signIn(service), 'accept');
    expectStatus(await workspace.call('DELETE', `/invites/${deleted.id}`), 200);
    await expire(expired.id);
    const pages = [];
    for (const path of ['/workspace-invites/svcinv_0', used.path, expired.path, deleted.path]) {
      const { status, text } = await visit(service, path);
      expect([path, status]).toEqual([path, 404]);
      for (const part of [
        'can’t be accepted any more',
        'If you accepted it, sign in',
        `href="/sign-in?next=${encodeURIComponent(path)}"`,
      ])
        expect(text).toContain(part);
      pages.push(text.replaceAll(encodeURIComponent(path), '').replaceAll(path, ''));
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).not.toMatch(/Team|Ana|viewer/);
  });

  it('leads a member who may not read files to the page of the workspace', async () => {
    const user = await signIn(service);
    const { id } = await workspace.role(['members:read']);
    const { path } = await invite({ role_id: id });
    await decide(path, user, 'accept');
    expect((await visit(service, path, user.cookie)).text).toContain(`href="/console/workspaces/${workspace.id}"`);
  });
});
