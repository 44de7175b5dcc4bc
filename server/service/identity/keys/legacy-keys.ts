import { SCOPES } from '../scopes.js';
import type { Scope } from '../scopes.js';

/** The recorded prefix of legacy keys. Null stands for keys of `svc_live_` from before the prefix was recorded. */
export const LEGACY_PREFIX = '';

/** Returns whether a secret has the form of the platform's older keys: 64 hexadecimal characters without a prefix. */
export const isLegacySecret = (secret: string): boolean => /^[0-9a-f]{64}$/.test(secret);

/** Returns the scopes that a key has. A legacy key has every scope, whatever is stored. */
export const grantedScopes = (prefix: string | null, scopesJson: string): Scope[] =>
  prefix === LEGACY_PREFIX ? [...SCOPES] : (JSON.parse(scopesJson) as Scope[]);
