import { sql } from 'kysely';
import type { RawBuilder, SqlBool } from 'kysely';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import { isInRanges } from './ip-addresses.js';
import type { Scope } from './scopes.js';

/*
 * Provenance: upload tokens, S3 key pairs, shares and temporary links record the id of the API key that created them (`key_id`). Each use
 * reads the key again, so a revocation or a change of its scopes and addresses takes effect at once. Credentials without a creating key
 * (`key_id` is null) are independent: those created by `svc-blob` on the data, by a session, or before provenance was recorded.
 */

/** Columns of the creating key. Use them with `leftJoin('api_keys', 'api_keys.id', '….key_id')`. */
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

/** Selects a creating key as a row for `provenanceOf`. */
export const creatingKey = preparedQuery<{ id: string }>()((query, { id }) =>
  query.selectFrom('api_keys').select('api_keys.id as key_id').select(CREATOR_COLUMNS).where('api_keys.id', '=', id),
);

/** The current rights of the creating key. */
export interface Provenance {
  mayRead: boolean;
  mayWrite: boolean;
  /** Empty: any address. */
  allowedIps: readonly string[];
}

const INDEPENDENT: Provenance = { mayRead: true, mayWrite: true, allowedIps: [] };

/** Reads the rights of the creating key from a row. @returns undefined if the key is revoked or missing. */
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

/** Whether a client at this address may use a credential with this provenance. */
export const allowsAddress = ({ allowedIps }: Pick<Provenance, 'allowedIps'>, address: string): boolean =>
  allowedIps.length === 0 || isInRanges(address, allowedIps);

/**
 * Builds a condition for `where`: the key that created the row is not revoked, or there is none.
 * @param keyColumn such as `shares.key_id`.
 */
export const creatorIsActive = (keyColumn: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(keyColumn)} is null or exists (select 1 from api_keys where api_keys.id = ${sql.ref(keyColumn)} and api_keys.revoked_at is null))`;
