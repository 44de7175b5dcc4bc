import type { Scope } from '../../server/service/identity/scopes.js';
import type { Permission } from '../../server/service/identity/workspaces/permissions.js';

/**
 * The credentials of a route: a scope for keys; `session` for sessions only; `upload token` for upload tokens only; `everyone`; `own origin`
 * for everyone but pages of other origins.
 * With `+ token` a route accepts upload tokens too.
 */
export type Access = Scope | `${Scope} + token` | 'session' | 'upload token' | 'everyone' | 'own origin';

/**
 * The requirement of a route in the workspace of its path: a permission, one of several, `owner`, or `member` for any member.
 * Routes of Blob Storage need none here: their scope states the permission for `workspace_id`.
 */
export type Requirement = Permission | readonly Permission[] | 'owner' | 'member';

export type AccessRow = readonly [
  route: string,
  access: Access,
  requirement?: Requirement | undefined,
  json?: object | undefined,
];

const id = { role_id: 'x' };
const name = { name: 'x' };

/** Routes of folders and favorites, which exist in workspaces and for the user alone. */
const organization = (base: string, scope: Scope, requirement?: Requirement): AccessRow[] => [
  [`post ${base}/folders`, scope, requirement, name],
  [`patch ${base}/folders/{folder_id}`, scope, requirement, name],
  [`delete ${base}/folders/{folder_id}`, scope, requirement],
  [`put ${base}/folders/{folder_id}/resources/{resource_type}/{resource_id}`, scope, requirement],
  [`delete ${base}/folders/{folder_id}/resources/{resource_type}/{resource_id}`, scope, requirement],
  [`put ${base}/favorites/{resource_type}/{resource_id}`, scope, requirement],
  [`delete ${base}/favorites/{resource_type}/{resource_id}`, scope, requirement],
];

const WORKSPACE = '/v1/workspaces/{id}';

/** The access to each route of /openapi.json. One row a route. The JSON body is valid, so that the permission decides. */
export const ACCESS: readonly AccessRow[] = [
  ['get /v1/files', 'blob:read'],
  ['post /v1/files', 'blob:write + token'],
  ['put /v1/files/{path}', 'blob:write + token'],
  ['post /v1/files/batch', 'blob:write + token'],
  ['get /v1/files/{id}', 'blob:read'],
  ['get /v1/files/{id}/content', 'blob:read'],
  ['get /v1/files/zip', 'blob:read'],
  ['patch /v1/files/{id}', 'blob:write'],
  ['delete /v1/files/{id}', 'blob:write + token'],
  ['post /v1/files/{id}/copy', 'blob:write'],
  ['post /v1/files/{id}/move', 'blob:write'],
  ['post /v1/files/delete', 'blob:write'],
  ['post /v1/files/fetch', 'blob:write + token', undefined, { url: 'https://files.example.org/x' }],
  ['post /v1/folders', 'blob:write', undefined, { path: 'x' }],
  ['post /v1/jobs', 'blob:write', undefined, { type: 'delete', ids: ['x'] }],
  ['get /v1/jobs', 'blob:read'],
  ['get /v1/jobs/{id}', 'blob:read'],
  ['post /v1/jobs/{id}/cancel', 'blob:write'],
  ['post /v1/files/{id}/links', 'blob:read'],
  ['post /v1/uploads', 'blob:write + token'],
  ['head /v1/uploads/{id}', 'blob:write + token'],
  ['get /v1/uploads/{id}', 'blob:write + token'],
  ['patch /v1/uploads/{id}', 'blob:write + token'],
  ['delete /v1/uploads/{id}', 'blob:write + token'],
  ['post /v1/uploads/{id}', 'blob:write + token'],
  ['post /v1/upload-tokens', 'blob:write'],
  ['get /v1/upload-tokens', 'blob:write'],
  ['get /v1/upload-tokens/{id}', 'blob:write'],
  ['delete /v1/upload-tokens/{id}', 'blob:write'],
  ['get /v1/upload-tokens/self', 'upload token'],
  ['get /v1/shares', 'blob:read'],
  ['post /v1/shares', 'blob:write'],
  ['get /v1/shares/{id}', 'blob:read'],
  ['patch /v1/shares/{id}', 'blob:write'],
  ['delete /v1/shares/{id}', 'blob:write'],
  ['get /v1/rules', 'blob:read'],
  ['post /v1/rules', 'blob:write'],
  ['get /v1/rules/{id}', 'blob:read'],
  ['patch /v1/rules/{id}', 'blob:write'],
  ['delete /v1/rules/{id}', 'blob:write'],
  ['get /v1/domains', 'blob:read'],
  ['post /v1/domains', 'blob:write'],
  ['get /v1/domains/{id}', 'blob:read'],
  ['patch /v1/domains/{id}', 'blob:write'],
  ['delete /v1/domains/{id}', 'blob:write'],
  ['get /v1/webhooks', 'blob:read'],
  // Bodies that are invalid, because these routes also require blob:read for a valid one. `webhooks.test.ts` tests that.
  ['post /v1/webhooks', 'blob:write', undefined, { url: '' }],
  ['get /v1/webhooks/{id}', 'blob:read'],
  ['patch /v1/webhooks/{id}', 'blob:write', undefined, { url: '' }],
  ['delete /v1/webhooks/{id}', 'blob:write'],
  ['post /v1/webhooks/{id}/rotate', 'blob:write', undefined, { overlap: -1 }],
  ['get /v1/webhooks/{id}/deliveries', 'blob:read'],
  ['get /v1/webhooks/{id}/deliveries/{delivery_id}', 'blob:read'],
  ['post /v1/webhooks/{id}/deliveries/{delivery_id}/repeat', 'blob:write'],
  ['get /v1/s3-credentials', 'blob:read'],
  // Its body is invalid, because the route also requires blob:read for a valid one. `provenance.test.ts` tests that.
  ['post /v1/s3-credentials', 'blob:write', undefined, { expires_in: 0 }],
  ['delete /v1/s3-credentials/{access_key_id}', 'blob:write'],
  ['get /v1/stats', 'blob:read'],
  ['get /v1/stats/daily', 'blob:read'],
  ['get /v1/stats/folders', 'blob:read'],

  ['get /v1/workspaces', 'workspaces:read'],
  ['post /v1/workspaces', 'workspaces:write', undefined, name],
  [`get ${WORKSPACE}`, 'workspaces:read', 'member'],
  [`put ${WORKSPACE}`, 'workspaces:write', 'owner', name],
  [`delete ${WORKSPACE}`, 'workspaces:delete', 'owner'],
  [`post ${WORKSPACE}/transfer`, 'session', 'owner', { user_id: 'x' }],
  [`get ${WORKSPACE}/members`, 'workspaces:read', 'members:read'],
  [`put ${WORKSPACE}/members/{user_id}`, 'workspaces:write', 'members:manage', id],
  [`delete ${WORKSPACE}/members/{user_id}`, 'workspaces:write', 'members:manage'],
  [`get ${WORKSPACE}/roles`, 'workspaces:read', ['members:read', 'roles:manage']],
  [`post ${WORKSPACE}/roles`, 'workspaces:write', 'roles:manage', { name: 'x', permissions: [] }],
  [`put ${WORKSPACE}/roles/{role_id}`, 'workspaces:write', 'roles:manage', name],
  [`delete ${WORKSPACE}/roles/{role_id}`, 'workspaces:write', 'roles:manage'],
  [`get ${WORKSPACE}/invites`, 'workspaces:invites', 'members:manage'],
  [`post ${WORKSPACE}/invites`, 'session', 'members:manage', id],
  [`delete ${WORKSPACE}/invites/{invite_id}`, 'workspaces:invites', 'members:manage'],
  ['get /v1/workspaces/invites/{token}', 'workspaces:invites'],
  ['post /v1/workspaces/invites/{token}/accept', 'workspaces:invites'],
  ['post /v1/workspaces/invites/{token}/decline', 'workspaces:invites'],
  [`get ${WORKSPACE}/activities`, 'session', 'activities:read'],
  [`get ${WORKSPACE}/activities/export`, 'session', 'activities:read'],
  ...organization(WORKSPACE, 'workspaces:write', 'member'),

  ['get /v1/users/me', 'account:read'],
  ['patch /v1/users/me', 'account:write', undefined, name],
  ['post /v1/users/me/password', 'session', undefined, { current_password: 'x', password: 'violet anchor tunnel' }],
  ['get /v1/users/me/sessions', 'account:read'],
  ['delete /v1/users/me/sessions', 'session'],
  ['delete /v1/users/me/sessions/{id}', 'session'],
  ['post /v1/users/invitations', 'session', undefined, { email: 'x' }],
  ['get /v1/users/me/api-keys', 'session'],
  ['post /v1/users/me/api-keys', 'session', undefined, {}],
  ['patch /v1/users/me/api-keys/{id}', 'session', undefined, {}],
  ['post /v1/users/me/api-keys/{id}/rotate', 'session', undefined, {}],
  ['delete /v1/users/me/api-keys/{id}', 'session'],
  ['post /v1/users/me/generate-api-key', 'session'],
  ['post /v1/users/me/downgrade', 'session'],
  ['get /v1/users/me/activities', 'session'],
  ['get /v1/users/me/folders', 'account:read'],
  ...organization('/v1/users/me', 'account:write'),

  ['post /v1/sessions', 'own origin', undefined, { email: 'x@example.org', password: 'wrong password' }],
  ['get /.well-known/oauth-authorization-server', 'everyone'],
  ['get /.well-known/oauth-protected-resource', 'everyone'],
  ['get /.well-known/oauth-protected-resource/{path}', 'everyone'],
  ['get /oauth/authorize', 'everyone'],
  ['post /oauth/consent', 'everyone'],
  ['post /oauth/register', 'everyone', undefined, {}],
  ['post /oauth/token', 'everyone'],

  ['get /s/{id}', 'everyone'],
  ['get /s/{id}/{path}', 'everyone'],
  ['get /f/{account}/{path}', 'everyone'],
  ['get /healthz', 'everyone'],
  ['get /readyz', 'everyone'],
  ['get /metrics', 'everyone'],
  ['get /openapi.json', 'everyone'],
  ['get /docs', 'everyone'],
  // The last row, because it ends the session of the owner.
  ['delete /v1/sessions/current', 'session'],
];
