import { BlobError } from '../../../src/protocol/errors.js';
import type { Actor } from './authenticate.js';
import { scopeDenied } from './scopes.js';
import type { Scope } from './scopes.js';

/** The credentials that a route accepts. */
export interface RouteAccess {
  /** The scope that an API key needs. */
  scope: Scope;
  /** `also`: the route accepts upload tokens beside API keys. `only`: it accepts only upload tokens. Omitted: only API keys. */
  tokens?: 'also' | 'only';
}

/**
 * Decides whether an authenticated actor may use a route. This is the place to check the permissions of workspace members.
 * @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT`, `BLOB_UPLOAD_TOKEN_INVALID`, `API_KEY_SCOPE_DENIED`, `WORKSPACE_NOT_FOUND`.
 */
export function authorize(actor: Actor, access: RouteAccess, workspaceId: string | undefined): Actor {
  const { token, key } = actor;
  if (token && access.tokens === undefined)
    throw new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', 'An upload token may be used only on upload routes.', {
      details: { field: 'route' },
    });
  if (key && access.tokens === 'only')
    throw new BlobError('BLOB_UPLOAD_TOKEN_INVALID', 'This route requires an upload token; got an API key.', {
      details: { reason: 'unknown' },
    });
  requireScope(actor, access.scope);
  if (workspaceId !== undefined)
    throw new BlobError('WORKSPACE_NOT_FOUND', `There is no workspace ${workspaceId}.`, {
      details: { workspace_id: workspaceId },
    });
  return actor;
}

/** Rejects an API key without a scope. Routes call it before they create a credential with further rights. @throws `API_KEY_SCOPE_DENIED` */
export function requireScope({ key }: Actor, scope: Scope): void {
  if (key && !key.scopes.includes(scope)) throw scopeDenied(scope);
}
