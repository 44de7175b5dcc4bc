import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import { statement } from '../drivers/metadata/prepared-query.js';
import { isInRanges } from './addresses.js';
import type { Scope } from './scopes.js';

/**
 * Provenance: upload tokens, S3 key pairs, shares and temporary links record the id of the API key that created them (`key_id`). The id survives
 * a rotation of the key's secret. Null: created by `svc-blob` on the data, by a session, or before provenance was recorded; such
 * credentials are independent. Every use looks the key up, so a revocation, fewer scopes and other addresses count at once.
 */

/** Columns of the creating key, for a `leftJoin('api_keys', 'api_keys.id', '….key_id')`. */
export const CREATOR_COLUMNS = [
  'api_keys.scopes_json as creator_scopes_json',
  'api_keys.allowed_ips_json as creator_allowed_ips_json',
  'api_keys.revoked_at as creator_revoked_at',
] as const;

export interface CreatorRow {
  key_id: string | null;
  creator_scopes_json: string | null;
  creator_allowed_ips_json: string | null;
  creator_revoked_at: number | null;
}

/** The creating key itself, as a row for `provenanceOf`. */
export const creatingKey = statement<{ id: string }>()((query, { id }) =>
  query.selectFrom('api_keys').select('api_keys.id as key_id').select(CREATOR_COLUMNS).where('api_keys.id', '=', id),
);

/** The rights that the creating key has now. */
export interface Provenance {
  mayRead: boolean;
  mayWrite: boolean;
  /** Empty: any address. */
  allowedIps: readonly string[];
}

const INDEPENDENT: Provenance = { mayRead: true, mayWrite: true, allowedIps: [] };

/** @returns undefined when the creating key was revoked or no longer exists. */
export function provenanceOf(row: CreatorRow): Provenance | undefined {
  if (row.key_id === null) return INDEPENDENT;
  if (row.creator_scopes_json === null || row.creator_allowed_ips_json === null || row.creator_revoked_at !== null)
    return undefined;
  const scopes = JSON.parse(row.creator_scopes_json) as Scope[];
  return {
    mayRead: scopes.includes('blob:read'),
    mayWrite: scopes.includes('blob:write'),
    allowedIps: JSON.parse(row.creator_allowed_ips_json) as string[],
  };
}

/** Whether a client at this address may use what the key created. */
export const admitsAddress = ({ allowedIps }: Pick<Provenance, 'allowedIps'>, address: string): boolean =>
  allowedIps.length === 0 || isInRanges(address, allowedIps);

/**
 * For `where`: whether the key that created a row was not revoked.
 * @param keyColumn such as `shares.key_id`.
 */
export const creatorStands = (keyColumn: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(keyColumn)} is null or exists (select 1 from api_keys where api_keys.id = ${sql.ref(keyColumn)} and api_keys.revoked_at is null))`;
