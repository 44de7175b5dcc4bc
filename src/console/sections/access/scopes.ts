/** The scopes of API keys, in the order of the API. */
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

export type ScopeGroup = 'apps' | 'databases' | 'snapshots' | 'account' | 'workspaces' | 'billing' | 'redeem' | 'blob';

/** Groups that routes of this service require. A key for the whole platform may have the others too. */
export const OWN_GROUPS: readonly ScopeGroup[] = ['blob', 'account', 'workspaces'];
export const PLATFORM_GROUPS: readonly ScopeGroup[] = ['apps', 'databases', 'snapshots', 'billing', 'redeem'];

export const scopesOf = (group: ScopeGroup): Scope[] => SCOPES.filter((scope) => scope.startsWith(`${group}:`));

/** Named sets of scopes. */
export const PRESETS = {
  files: ['blob:read', 'blob:write'],
  filesRead: ['blob:read'],
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  write: SCOPES.filter((scope) => /:(read|write)$/.test(scope)),
  full: SCOPES,
} satisfies Record<string, readonly Scope[]>;
export type Preset = keyof typeof PRESETS;

/** @returns undefined if no preset has exactly these scopes */
export const presetOf = (scopes: Iterable<string>): Preset | undefined => {
  const chosen = new Set(scopes);
  return (Object.keys(PRESETS) as Preset[]).find((preset) => {
    const expected: readonly string[] = PRESETS[preset];
    return expected.length === chosen.size && expected.every((scope) => chosen.has(scope));
  });
};
