import { BlobError, validationError } from '../../../src/protocol/errors.js';

/** The scopes of API keys. Source: platform-api, "Authentication" 4, 5 and 10. */
export const SCOPES = ['blob:read', 'blob:write'] as const;
export type Scope = (typeof SCOPES)[number];

export const PRESETS: Record<string, readonly Scope[]> = {
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  write: SCOPES.filter((scope) => /:(read|write)$/.test(scope)),
  full: SCOPES,
};

export const scopeDenied = (required: Scope): BlobError =>
  new BlobError('API_KEY_SCOPE_DENIED', `The API key lacks the scope ${required}.`, { details: { required } });

/** @throws `VALIDATION_ERROR` for an unknown scope or none. */
export function assertScopes(scopes: readonly string[]): Scope[] {
  if (scopes.length === 0) throw validationError('scopes', `must contain at least one of ${SCOPES.join(', ')}`);
  for (const scope of scopes)
    if (!(SCOPES as readonly string[]).includes(scope))
      throw validationError('scopes', `must be among ${SCOPES.join(', ')}; got "${scope}"`);
  return SCOPES.filter((scope) => scopes.includes(scope));
}
