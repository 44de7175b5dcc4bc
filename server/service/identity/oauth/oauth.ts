import type { Metadata } from '../../drivers/metadata/metadata.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { Counters } from '../limits/counters.js';
import { OauthClients } from './clients.js';
import { OauthCodes } from './codes.js';
import { OauthConsents } from './consents.js';
import { OauthLimits } from './oauth-limits.js';

/** The authorization server below HTTP. */
export interface Oauth {
  clients: OauthClients;
  consents: OauthConsents;
  codes: OauthCodes;
  limits: OauthLimits;
}

/** @param parts.secret the service's own secret. */
export const openOauth = (
  metadata: Metadata,
  parts: { secret: Uint8Array; keys: ApiKeys; counters: Counters; now: () => number },
): Oauth => ({
  clients: new OauthClients(parts.secret, parts.now),
  consents: new OauthConsents(metadata, parts.now),
  codes: new OauthCodes(metadata, parts.keys, parts.now),
  limits: new OauthLimits(parts.counters, parts.now),
});
