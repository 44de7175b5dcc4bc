/** The permissions of a role, by what they concern. The permissions of this service come first. */
export const PERMISSION_GROUPS = {
  blob: ['blob:read', 'blob:manage'],
  members: ['members:read', 'members:manage', 'roles:manage', 'activities:read'],
  apps: ['apps:read', 'apps:manage', 'apps:lifecycle', 'apps:envs', 'apps:files', 'apps:delete'],
  databases: [
    'databases:read',
    'databases:manage',
    'databases:lifecycle',
    'databases:credentials',
    'databases:data',
    'databases:delete',
  ],
  snapshots: ['snapshots:read', 'snapshots:manage'],
} as const;

export type PermissionGroup = keyof typeof PERMISSION_GROUPS;
export type Permission = (typeof PERMISSION_GROUPS)[PermissionGroup][number];
