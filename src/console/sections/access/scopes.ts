import { PRESETS as KEY_PRESETS, SCOPES } from '../../../protocol/scopes/scopes.js';
import type { Scope, ScopeGroup } from '../../../protocol/scopes/scopes.js';

export { SCOPES };
export type { Scope, ScopeGroup };

/** Groups that routes of this service require. A key for the whole platform may have the others too. */
export const OWN_GROUPS: readonly ScopeGroup[] = ['blob', 'account', 'workspaces'];
export const PLATFORM_GROUPS: readonly ScopeGroup[] = ['apps', 'databases', 'snapshots', 'billing', 'redeem'];

export const scopesOf = (group: ScopeGroup): Scope[] => SCOPES.filter((scope) => scope.startsWith(`${group}:`));

/** Named sets of scopes. */
export const PRESETS = {
  files: ['blob:read', 'blob:write'],
  filesRead: ['blob:read'],
  ...KEY_PRESETS,
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
