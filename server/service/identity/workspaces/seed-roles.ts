import { PERMISSIONS } from './permissions.js';
import type { Permission } from './permissions.js';

/** The role that the former owner gets when a workspace is transferred. */
export const ADMIN_ROLE = 'admin';

const isBlob = (permission: Permission): boolean => permission.startsWith('blob:');

/** Permissions that concern the storage of the owner. No seed role has them. */
export const withoutBlob = (permissions: readonly Permission[]): Permission[] =>
  permissions.filter((permission) => !isBlob(permission));

/** The roles of a new workspace. The owner may change and delete them like other roles. */
export const SEED_ROLES: readonly { name: string; permissions: readonly Permission[] }[] = [
  { name: ADMIN_ROLE, permissions: withoutBlob(PERMISSIONS).filter((permission) => permission !== 'snapshots:manage') },
  {
    name: 'developer',
    permissions: [
      'apps:read',
      'apps:manage',
      'apps:lifecycle',
      'apps:envs',
      'apps:files',
      'databases:read',
      'databases:manage',
      'databases:lifecycle',
      'databases:credentials',
      'databases:data',
      'snapshots:read',
      'members:read',
    ],
  },
  {
    name: 'operator',
    permissions: ['apps:read', 'apps:lifecycle', 'databases:read', 'databases:lifecycle', 'snapshots:read', 'members:read'],
  },
  { name: 'viewer', permissions: ['apps:read', 'databases:read', 'snapshots:read', 'members:read'] },
];
