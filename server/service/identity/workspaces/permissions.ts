import { BlobError } from '../../../../src/protocol/errors.js';
import type { Scope } from '../scopes.js';

/** What a role may allow in a workspace (identity, "Workspaces"). */
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

/** The permission that a member needs for a route of Blob Storage with this scope (platform-api, "Authentication" 11). */
export const PERMISSION_OF_SCOPE: Partial<Record<Scope, Permission>> = { 'blob:read': 'blob:read', 'blob:write': 'blob:manage' };

export const permissionDenied = (required: Permission): BlobError =>
  new BlobError('WORKSPACE_PERMISSION_DENIED', `Your role in this workspace lacks the permission ${required}.`, {
    details: { required },
  });
