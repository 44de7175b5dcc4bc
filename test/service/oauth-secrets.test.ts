import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { authorizePath, exchange, grant, newClient, newVerifier, secretOf, send, submitConsent, visit } from './oauth-flow.js';
import { recordingLogger } from './recording-logger.js';
import { signIn } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus } from './workspace-client.js';

const log = recordingLogger();
let service: TestService;
/** All secrets, by their kind. */
const secrets: Record<string, string> = {};
/** Error bodies that other clients or the log of a client could keep. */
const errors: string[] = [];

beforeAll(async () => {
  service = await TestService.start({ logger: log.logger });
  await useSetupLink();
  await useOauth();
  await useInvites();
}, 60_000);
afterAll(() => service.stop());

async function useSetupLink(): Promise<void> {
  secrets['set-up code'] = (await service.service.core.firstAdministrator.renewLink())!;
  const form = { code: secrets['set-up code'], name: 'X', email: 'x@example.org', password: 'short' };
  const headers = { Origin: new URL(service.url).origin };
  await send(service, 'POST', '/setup', { headers, body: new URLSearchParams(form) });
}

/** Signs in to a client, after requests that fail. */
async function useOauth(): Promise<void> {
  const user = await signIn(service);
  secrets['session'] = user.cookie.split('=')[1]!;
  const page = await visit(service, authorizePath(await newClient(service), newVerifier()), user.cookie);
  secrets['consent'] = secretOf(page);
  await submitConsent(service, user.cookie, {
    consent: secrets['consent'],
    'scope.blob:read': undefined,
    'scope.blob:write': undefined,
  });
  await submitConsent(service, user.cookie, { consent: secrets['consent'] }, { Origin: 'https://evil.example' });
  const granted = await grant(service, user);
  secrets['code'] = granted.code;
  secrets['verifier'] = granted.verifier;
  const keep = async (response: ReturnType<typeof send>) => void errors.push((await response).text);
  await keep(exchange(service, granted, { code_verifier: newVerifier() }));
  await keep(exchange(service, granted, { client_id: 'unknown' }));
  await keep(send(service, 'GET', `/oauth/token?code=${granted.code}&code_verifier=${granted.verifier}`));
  const { json } = await exchange(service, granted);
  secrets['access token'] = json['access_token']!;
  await keep(exchange(service, granted, { code: secrets['access token'] }));
  // As clients do that wait for a refresh token, or send the key in the wrong place.
  await keep(exchange(service, granted, { grant_type: 'refresh_token', refresh_token: secrets['access token'] }));
  await keep(send(service, 'GET', `/v1/files?access_token=${secrets['access token']}`));
  await keep(send(service, 'GET', '/v1/files', { headers: { Authorization: `Bearer ${secrets['access token']}` } }));
  await keep(exchange(service, granted));
}

async function useInvites(): Promise<void> {
  const admin = await signIn(service, { isAdmin: true });
  const body = { email: 'new@example.org' };
  const { url } = expectStatus(await admin.call<{ url: string }>('POST', '/v1/users/invitations', { body }), 201);
  secrets['invitation code'] = url.split('#')[1]!;
  const workspace = await createWorkspace(service, admin);
  const { id } = await workspace.roleNamed('viewer');
  const { token } = expectStatus(await workspace.call<{ token: string }>('POST', '/invites', { role_id: id, max_uses: 9 }), 201);
  secrets['workspace invite'] = token;
  const guest = await signIn(service);
  for (const path of [
    `/workspace-invites/${token}`,
    `/sign-in?next=/workspace-invites/${token}`,
    `/workspace-invites/${token}/x`,
  ])
    await visit(service, path, guest.cookie);
  errors.push((await visit(service, `/v1/workspaces/invites/${token}/unknown`)).text);
  errors.push((await visit(service, `/v1/workspaces/invites/%73vcinv_${token.slice(7)}`)).text);
  for (const action of ['accept', 'decline']) await guest.call('POST', `/v1/workspaces/invites/${token}/${action}`);
}

/** Names the secrets that a text contains. */
const foundIn = (text: string): string[] => Object.keys(secrets).filter((name) => text.includes(secrets[name]!));

describe('secrets of OAuth, sessions and invites', () => {
  it('are collected by this test', () => {
    expect(Object.values(secrets).every((secret) => secret.length >= 43)).toBe(true);
    expect(errors.every((text) => text !== '')).toBe(true);
    expect(log.text()).toContain('/oauth/token');
    expect(foundIn(Object.values(secrets).join(' '))).toEqual(Object.keys(secrets));
  });

  it('are not in the log of any level', () => {
    expect(foundIn(log.text())).toEqual([]);
  });

  it('are not in errors', () => {
    expect(foundIn(errors.join('\n'))).toEqual([]);
  });

  it('are not in metrics', async () => {
    expect(foundIn((await send(service, 'GET', '/metrics')).text)).toEqual([]);
  });

  it('are not in the database, which has hashes', async () => {
    const tables = [
      'activities',
      'api_keys',
      'counters',
      'oauth_codes',
      'oauth_consents',
      'one_time_links',
      'sessions',
      'workspace_invites',
    ] as const;
    const rows = await withMetadata(service.dataDir, ({ db }) =>
      Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute())),
    );
    expect(rows.every((table) => table.length > 0)).toBe(true);
    expect(foundIn(JSON.stringify(rows))).toEqual([]);
  });
});
