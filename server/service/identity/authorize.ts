import { BlobError } from '../../../src/protocol/errors.js';
import type { Actor } from './authenticate.js';
import { scopeDenied, sessionRequired } from './scopes.js';
import type { Scope } from './scopes.js';
import type { Memberships } from './workspaces/memberships.js';
import { PERMISSION_OF_SCOPE, permissionDenied, workspaceNotFound } from './workspaces/permissions.js';

/** The credentials that a route accepts. */
export type RouteAccess = ScopedAccess | SessionAccess;

/** A route for API keys with a scope, and for sessions. */
export interface ScopedAccess {
  /** The scope that an API key needs. */
  scope: Scope;
  /** `also`: the route accepts upload tokens too. `only`: it accepts only upload tokens. Omitted: no upload tokens. */
  tokens?: 'also' | 'only';
}

/** A route for sessions only. API keys get `API_KEY_SCOPE_DENIED` without `details`. */
export interface SessionAccess {
  session: 'only';
}

/**
 * Decides whether an authenticated actor may use a route, and selects the storage of a workspace.
 * @param workspaceId the query parameter `workspace_id` of a route of Blob Storage.
 * @returns the actor with the storage that the request acts on.
 * @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT`, `BLOB_UPLOAD_TOKEN_INVALID`, `API_KEY_SCOPE_DENIED`, `WORKSPACE_NOT_FOUND`,
 * `WORKSPACE_PERMISSION_DENIED`.
 */
export async function authorize(
  actor: Actor,
  access: RouteAccess,
  workspaceId: string | undefined,
  memberships: Memberships,
): Promise<Actor> {
  if ('session' in access) {
    if (actor.session) return actor;
    throw actor.token ? tokenDenied() : sessionRequired();
  }
  assertCredentialKind(actor, access);
  requireScope(actor, access.scope);
  const selected = workspaceId === undefined ? actor : await enterWorkspace(actor, workspaceId, memberships);
  requireScope(selected, access.scope);
  return selected;
}

const tokenDenied = () =>
  new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', 'An upload token may not be used on this route.', {
    details: { field: 'route' },
  });

function assertCredentialKind({ token }: Actor, access: ScopedAccess): void {
  if (token && access.tokens === undefined) throw tokenDenied();
  if (!token && access.tokens === 'only')
    throw new BlobError('BLOB_UPLOAD_TOKEN_INVALID', 'This route requires an upload token; got another credential.', {
      details: { reason: 'unknown' },
    });
}

/** Selects the storage of a workspace's owner. An upload token has its storage already, so it enters no workspace. */
async function enterWorkspace(actor: Actor, workspaceId: string, memberships: Memberships): Promise<Actor> {
  const { userId, token, credential } = actor;
  const membership = token || userId === undefined ? undefined : await memberships.find(workspaceId, userId);
  if (!membership) throw workspaceNotFound(workspaceId);
  const { storage, memberId } = membership;
  const member = memberId === null ? undefined : { id: memberId, accountId: storage.accountId };
  return { ...actor, storage, membership, credential: { ...credential, ...(member && { member }) } };
}

/** Returns whether `requireScope` accepts an actor. */
export function hasScope({ key, membership }: Actor, scope: Scope): boolean {
  const permission = PERMISSION_OF_SCOPE[scope];
  if (key && !key.scopes.includes(scope)) return false;
  return !membership || (permission !== undefined && membership.permissions.includes(permission));
}

/**
 * Rejects an API key without a scope, and a member of a workspace without the corresponding permission. Routes call it before they create a
 * credential with further rights. @throws `API_KEY_SCOPE_DENIED`, `WORKSPACE_PERMISSION_DENIED`
 */
export function requireScope({ key, membership }: Actor, scope: Scope): void {
  if (key && !key.scopes.includes(scope)) throw scopeDenied(scope);
  const permission = PERMISSION_OF_SCOPE[scope];
  if (membership && !(permission && membership.permissions.includes(permission)))
    throw permissionDenied(permission ?? 'blob:read');
}
