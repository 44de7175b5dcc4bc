import { BlobError } from '../../../../src/protocol/errors.js';
import type { Scope } from '../scopes.js';

/** The permissions that a role may give in a workspace. */
export const PERMISSIONS = [
  'apps:read',
  'apps:manage',
  'apps:lifecycle',
  'apps:envs',
  'apps:files',
  'apps:delete',
  'databases:read',
  'databases:manage',
  'databases:lifecycle',
  'databases:credentials',
  'databases:data',
  'databases:delete',
  'snapshots:read',
  'snapshots:manage',
  'members:read',
  'members:manage',
  'roles:manage',
  'activities:read',
  'blob:read',
  'blob:manage',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The permission that a member needs for a route of Blob Storage with this scope. */
export const PERMISSION_OF_SCOPE: Partial<Record<Scope, Permission>> = { 'blob:read': 'blob:read', 'blob:write': 'blob:manage' };

/**
 * The scope that an API key needs to grant a permission. A key without it could otherwise give another user the access that it lacks itself.
 * Routes that come later add their permissions here.
 */
export const SCOPE_TO_GRANT: Partial<Record<Permission, Scope>> = { 'blob:read': 'blob:read', 'blob:manage': 'blob:write' };

/** Returns permissions without duplicates, in the order of the catalogue. */
export const sortPermissions = (permissions: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter((permission) => permissions.includes(permission));

export const permissionDenied = (required: Permission): BlobError =>
  new BlobError('WORKSPACE_PERMISSION_DENIED', `Your role in this workspace lacks the permission ${required}.`, {
    details: { required },
  });

export const workspaceNotFound = (id: string): BlobError =>
  new BlobError('WORKSPACE_NOT_FOUND', `There is no workspace ${id}.`, { details: { workspace_id: id } });
