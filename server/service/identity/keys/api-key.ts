import type { Selectable } from 'kysely';
import { formatTime } from '../../../../src/protocol/time.js';
import type { ApiKeysTable } from '../../drivers/metadata/tables.js';
import type { Scope } from '../scopes.js';
import { grantedScopes } from './legacy-keys.js';

export interface ApiKey {
  id: string;
  accountId: string;
  /** The name as lists show it, see `shownName`. */
  name: string;
  /** First characters of the secret: `svc_live_`, or empty for a legacy key. Null if they were not recorded. */
  prefix: string | null;
  /** Last four characters of the secret. Null if they were not recorded. */
  last4: string | null;
  scopes: Scope[];
  /** IP addresses and CIDR ranges from which the key may be used. Empty: any address. */
  allowedIps: string[];
  createdAt: number;
  /** Within a few minutes, see key-uses.ts. Null: never used. */
  lastUsedAt: number | null;
  revokedAt: number | null;
}

/** A key with its secret, which is not stored and cannot be read again. */
export type CreatedApiKey = ApiKey & { secret: string };

/** The beginning of the shown name of a key that an OAuth client received. */
export const OAUTH_NAME_PREFIX = 'oauth:';

/** Returns the name of a key as lists show it. */
export const shownName = ({ name, oauth_client_json }: Pick<ApiKeysTable, 'name' | 'oauth_client_json'>): string =>
  oauth_client_json === null ? name : OAUTH_NAME_PREFIX + name;

export const toKey = (row: Selectable<ApiKeysTable>): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: shownName(row),
  prefix: row.prefix,
  last4: row.last4,
  scopes: grantedScopes(row.prefix, row.scopes_json),
  allowedIps: JSON.parse(row.allowed_ips_json) as string[],
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

/** Converts a key to the record that the API returns. */
export const toKeyRecord = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  scopes: key.scopes,
  allowed_ips: key.allowedIps,
  created_at: formatTime(key.createdAt),
  last_used_at: key.lastUsedAt === null ? null : formatTime(key.lastUsedAt),
});
