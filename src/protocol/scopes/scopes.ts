/** The scopes of API keys. A key may have scopes that no route of this service requires. */
export const SCOPES = [
  'apps:read',
  'apps:write',
  'apps:delete',
  'apps:envs',
  'apps:files',
  'databases:read',
  'databases:write',
  'databases:delete',
  'databases:credentials',
  'snapshots:read',
  'snapshots:write',
  'account:read',
  'account:write',
  'workspaces:read',
  'workspaces:write',
  'workspaces:delete',
  'workspaces:invites',
  'billing:read',
  'billing:write',
  'redeem:write',
  'blob:read',
  'blob:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The part of a scope before the colon. */
export type ScopeGroup = 'apps' | 'databases' | 'snapshots' | 'account' | 'workspaces' | 'billing' | 'redeem' | 'blob';

/** Named sets of scopes. */
export const PRESETS = {
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  write: SCOPES.filter((scope) => /:(read|write)$/.test(scope)),
  full: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;

/** Texts of all scopes in one language. */
export interface ScopeTexts {
  groups: Record<ScopeGroup, string>;
  /** Each is something that a program may do. */
  scopes: Record<Scope, string>;
}
