import { BlobError } from '../../../src/protocol/errors.js';
import { platformError } from '../../../src/protocol/platform-errors.js';
import { PRESETS as SCOPE_PRESETS, SCOPES } from '../../../src/protocol/scopes/scopes.js';
import type { Scope } from '../../../src/protocol/scopes/scopes.js';

export { SCOPES };
export type { Scope };

/** Named sets of scopes. */
export const PRESETS: Record<string, readonly Scope[]> = SCOPE_PRESETS;

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

export const scopeDenied = (required: Scope): BlobError =>
  new BlobError('API_KEY_SCOPE_DENIED', `The API key lacks the scope ${required}.`, { details: { required } });

/** Creates the error for a key on a route that only a session may use. It has no `details`, because no scope would help. */
export const sessionRequired = (): BlobError =>
  new BlobError('API_KEY_SCOPE_DENIED', 'This route requires a signed-in user. No API key may use it.');

const invalidScopes = (problem: string) => platformError('API_KEY_INVALID_SCOPES', `\`scopes\` ${problem}.`, { path: 'scopes' });

/** Validates scopes. @returns them in the order of the catalogue. @throws `API_KEY_INVALID_SCOPES` for an unknown scope or none. */
export function assertScopes(scopes: unknown): Scope[] {
  if (!Array.isArray(scopes)) throw invalidScopes('must be a list of scopes');
  if (scopes.length === 0) throw invalidScopes(`must contain at least one of ${SCOPES.join(', ')}`);
  for (const scope of scopes as unknown[])
    if (typeof scope !== 'string' || !isScope(scope))
      throw invalidScopes(`must be among ${SCOPES.join(', ')}; got ${String(JSON.stringify(scope)).slice(0, 60)}`);
  return SCOPES.filter((scope) => scopes.includes(scope));
}
