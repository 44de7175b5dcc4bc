import { sql } from 'kysely';
import type { AliasedRawBuilder, Expression, RawBuilder, SqlBool } from 'kysely';
import type { Dialect } from '../drivers/metadata/dialects.js';
import type { Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import { isInRanges } from '../runtime/ip-addresses.js';
import { grantedScopes } from './keys/legacy-keys.js';
import type { Permission } from './workspaces/permissions.js';

/*
 * Provenance: upload tokens, S3 key pairs, shares, webhooks and temporary links record the API key (`key_id`) and the workspace membership (`member_id`)
 * that created them. Each use reads both again, so a revocation, a change of scopes and addresses, a removal from the workspace or a change of
 * the role takes effect at once. Records with neither are independent: those created by `svc-blob` on the data, by a session in the user's
 * own storage, or before provenance was recorded.
 */

/** Tables whose rows record their creator. */
type CreatedTable = 'upload_tokens' | 's3_credentials' | 'shares' | 'webhooks';

/** Columns of the creating key. Use them with `leftJoin('api_keys', 'api_keys.id', '….key_id')`. */
const KEY_COLUMNS = [
  'api_keys.prefix as creator_prefix',
  'api_keys.scopes_json as creator_scopes_json',
  'api_keys.allowed_ips_json as creator_allowed_ips_json',
  'api_keys.revoked_at as creator_revoked_at',
  'api_keys.disabled_at as creator_disabled_at',
] as const;

export interface CreatorRow {
  key_id: string | null;
  creator_prefix: string | null;
  creator_scopes_json: string | null;
  creator_allowed_ips_json: string | null;
  creator_revoked_at: number | null;
  creator_disabled_at: number | null;
  /** Undefined for the row of a key, which no membership limits. */
  member_id?: string | null;
  /** Null if the membership ended. */
  creator_permissions_json?: string | null;
}

/**
 * Selects the permissions of a membership while it lasts: its user and the owner are enabled, and the storage still belongs to the workspace's
 * owner. Compares the expiry with the database's clock, because it is read within queries.
 */
const permissionsOf = (
  memberId: RawBuilder<unknown>,
  accountId: RawBuilder<unknown>,
  clock: Expression<number>,
): RawBuilder<string | null> =>
  sql<string | null>`(select r.permissions_json from workspace_members m
    join workspace_roles r on r.id = m.role_id join workspaces w on w.id = m.workspace_id
    join users o on o.id = w.owner_id join users u on u.id = m.user_id
    where m.id = ${memberId} and o.account_id = ${accountId} and o.disabled_at is null and u.disabled_at is null
      and (m.expires_at is null or m.expires_at > ${clock}))`;

type CreatorColumns = [...typeof KEY_COLUMNS, AliasedRawBuilder<string | null, 'creator_permissions_json'>];

/** Selects the rights of the creator of a row. Use it with `leftJoin('api_keys', 'api_keys.id', '….key_id')`. */
export const creatorColumns = (table: CreatedTable, { clock }: Pick<Dialect, 'clock'>): CreatorColumns => [
  ...KEY_COLUMNS,
  permissionsOf(sql.ref(`${table}.member_id`), sql.ref(`${table}.account_id`), clock).as('creator_permissions_json'),
];

/** Selects a creating key as a row for `provenanceOf`. */
export const creatingKey = preparedQuery<{ id: string }>()((query, { id }) =>
  query.selectFrom('api_keys').select('api_keys.id as key_id').select(KEY_COLUMNS).where('api_keys.id', '=', id),
);

/** The row of a record that no key created. */
export const NO_KEY: CreatorRow = {
  key_id: null,
  creator_prefix: null,
  creator_scopes_json: null,
  creator_allowed_ips_json: null,
  creator_revoked_at: null,
  creator_disabled_at: null,
};

/** Selects the permissions of a membership in an account's storage, see `permissionsOf`. */
export const memberPermissions = preparedQuery<{ memberId: string; accountId: string }>()(
  (query, { memberId, accountId }, { clock }) =>
    query.selectNoFrom(permissionsOf(sql`${memberId}`, sql`${accountId}`, clock).as('permissions_json')),
);

/** The current rights of the creator. */
export interface Provenance {
  mayRead: boolean;
  mayWrite: boolean;
  /** Empty: any address. */
  allowedIps: readonly string[];
}

const INDEPENDENT: Provenance = { mayRead: true, mayWrite: true, allowedIps: [] };

/** Reads the rights of the creator from a row. @returns undefined if the key is revoked, disabled or missing, or if the membership ended. */
export function provenanceOf(row: CreatorRow): Provenance | undefined {
  const key = keyRights(row);
  const member = memberRights(row);
  if (!key || !member) return undefined;
  return {
    mayRead: key.mayRead && member.mayRead,
    mayWrite: key.mayWrite && member.mayWrite,
    allowedIps: key.allowedIps,
  };
}

function keyRights(row: CreatorRow): Provenance | undefined {
  if (row.key_id === null) return INDEPENDENT;
  if (row.creator_scopes_json === null || row.creator_allowed_ips_json === null) return undefined;
  if (row.creator_revoked_at !== null || row.creator_disabled_at !== null) return undefined;
  const scopes = grantedScopes(row.creator_prefix, row.creator_scopes_json);
  return {
    mayRead: scopes.includes('blob:read'),
    mayWrite: scopes.includes('blob:write'),
    allowedIps: JSON.parse(row.creator_allowed_ips_json) as string[],
  };
}

function memberRights({ member_id, creator_permissions_json }: CreatorRow): Omit<Provenance, 'allowedIps'> | undefined {
  if (member_id === null || member_id === undefined) return INDEPENDENT;
  if (creator_permissions_json === null || creator_permissions_json === undefined) return undefined;
  const permissions = JSON.parse(creator_permissions_json) as Permission[];
  return { mayRead: permissions.includes('blob:read'), mayWrite: permissions.includes('blob:manage') };
}

/** Returns whether a client at this address may use a credential with this provenance. */
export const allowsAddress = ({ allowedIps }: Pick<Provenance, 'allowedIps'>, address: string): boolean =>
  allowedIps.length === 0 || isInRanges(address, allowedIps);

/** Builds a condition for `where`: the key that created the row is not revoked, and the membership that created it has not ended. */
export function creatorIsActive(table: CreatedTable, { clock }: Pick<Dialect, 'clock'>): RawBuilder<SqlBool> {
  const [keyId, memberId, accountId] = ['key_id', 'member_id', 'account_id'].map((column) => sql.ref(`${table}.${column}`)) as [
    RawBuilder<unknown>,
    RawBuilder<unknown>,
    RawBuilder<unknown>,
  ];
  return sql<SqlBool>`(${keyId} is null or exists (select 1 from api_keys where api_keys.id = ${keyId} and api_keys.revoked_at is null
    and api_keys.disabled_at is null)) and (${memberId} is null or ${permissionsOf(memberId, accountId, clock)} is not null)`;
}

/** Condition for rows that a removed member of a workspace created. They never work again, because a new membership has a new id. */
export const isOfEndedMember = sql<SqlBool>`member_id is not null and member_id not in (select id from workspace_members)`;

/** Selects keys that were revoked before a time. The credentials that they created have ended. */
export const endedKeys = (query: Query, time: number) => query.selectFrom('api_keys').select('id').where('revoked_at', '<', time);
