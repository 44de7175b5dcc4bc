import type { Selectable } from 'kysely';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { API_KEY, KEY_PREFIX } from '../../../src/protocol/limits.js';
import { isAddressRange } from './ip-addresses.js';
import { lockAccount } from './lock-account.js';
import { hashSecret, newId, newSecret } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { ApiKeysTable } from '../drivers/metadata/tables.js';
import { creatingKey, memberPermissions, NO_KEY, provenanceOf } from './provenance.js';
import type { Provenance } from './provenance.js';
import { waitForCommits } from './revocation-lock.js';
import { assertScopes } from './scopes.js';
import type { Scope } from './scopes.js';
import type { Storage } from './credential.js';

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  scopes: Scope[];
  /** IP addresses and CIDR ranges from which the key may be used. Empty: any address. */
  allowedIps: string[];
  createdAt: number;
  revokedAt: number | null;
}

/** The beginning of the shown name of a key that an OAuth client received. */
export const OAUTH_NAME_PREFIX = 'oauth:';

/** Returns the name of a key as lists show it. */
export const shownName = ({ name, oauth_client_json }: Pick<ApiKeysTable, 'name' | 'oauth_client_json'>): string =>
  oauth_client_json === null ? name : OAUTH_NAME_PREFIX + name;

const toKey = (row: Selectable<ApiKeysTable>): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: shownName(row),
  scopes: JSON.parse(row.scopes_json) as Scope[],
  allowedIps: JSON.parse(row.allowed_ips_json) as string[],
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});

const byHash = preparedQuery<{ hash: string }>()((query, { hash }) =>
  query
    .selectFrom('api_keys')
    .innerJoin('buckets', 'buckets.account_id', 'api_keys.account_id')
    .leftJoin('users', 'users.account_id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(['buckets.id as bucket_id', 'users.id as user_id'])
    .where('api_keys.secret_hash', '=', hash)
    .where('buckets.is_main', '=', 1),
);

/** A valid key, and what it acts on. */
export interface AuthenticatedKey {
  key: ApiKey;
  /** The storage of the key's account. */
  storage: Storage;
  /** The user whose account owns the key; null for an account without a user. */
  userId: string | null;
}

/** Credentials that ended with a revoked key. Temporary links end too, but have no record. */
export interface RevokedWithKey {
  /** Tokens that could still start an upload. */
  uploadTokens: number;
  s3Credentials: { id: string; name: string }[];
  shares: { path: string | null; prefix: string | null }[];
}

async function findDependents(query: Query, keyId: string, now: number): Promise<RevokedWithKey> {
  const { count } = await query
    .selectFrom('upload_tokens')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirstOrThrow();
  const s3Credentials = await query
    .selectFrom('s3_credentials')
    .select(['id', 'name'])
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const shares = await query
    .selectFrom('shares')
    .select(['path', 'prefix'])
    .where('key_id', '=', keyId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .where((e) => e.or([e('max_downloads', 'is', null), e('downloads', '<', e.ref('max_downloads'))]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { uploadTokens: Number(count), s3Credentials, shares };
}

/** @throws `VALIDATION_ERROR` */
function assertName(name: string): void {
  const { min, max } = API_KEY.name;
  if (name.length < min || name.length > max)
    throw validationError('name', `must have ${min} to ${max} characters; got ${name.length}`);
}

/** @throws `VALIDATION_ERROR` */
function assertAllowedIps(allowedIps: readonly string[]): void {
  if (allowedIps.length > API_KEY.allowedIps)
    throw validationError('allowed_ips', `must have at most ${API_KEY.allowedIps} addresses; got ${allowedIps.length}`);
  for (const ip of allowedIps)
    if (!isAddressRange(ip))
      throw validationError('allowed_ips', `must be IP addresses or CIDR ranges such as 10.0.0.0/8; got "${ip}"`);
}

/** @throws `VALIDATION_ERROR` if the account has the maximum of active keys. */
async function assertBelowLimit(query: Query, accountId: string): Promise<void> {
  const { count } = await query
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) >= API_KEY.perAccount)
    throw validationError(
      'name',
      `cannot name another key: the account has ${API_KEY.perAccount} keys, the maximum. Revoke one first`,
      {
        details: { limit: API_KEY.perAccount },
      },
    );
}

/** A key to create. */
export interface NewApiKey {
  name: string;
  scopes: readonly string[];
  /** @default any address */
  allowedIps?: readonly string[];
  /** The OAuth client that receives the key. */
  oauthClient?: Readonly<Record<string, unknown>>;
}

/** Stores API keys. */
export class ApiKeys {
  readonly #metadata: Metadata;
  readonly #now: () => number;

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
  }

  /** Creates a key. @returns the key with its secret, which is not stored. @throws `VALIDATION_ERROR` */
  async create(accountId: string, options: NewApiKey): Promise<ApiKey & { secret: string }> {
    return this.#metadata.write((query) => this.createIn(query, accountId, options));
  }

  /** Does the same in the transaction of the caller. */
  async createIn(query: Query, accountId: string, options: NewApiKey): Promise<ApiKey & { secret: string }> {
    const { name, allowedIps = [], oauthClient } = options;
    assertName(name);
    assertAllowedIps(allowedIps);
    const scopes = assertScopes(options.scopes);
    const secret = newSecret(KEY_PREFIX);
    if (!(await lockAccount(this.#metadata, query, accountId)))
      throw validationError('account', `must exist; got "${accountId}"`);
    await assertBelowLimit(query, accountId);
    const row = await query
      .insertInto('api_keys')
      .values({
        id: newId('key'),
        account_id: accountId,
        name,
        secret_hash: hashSecret(secret),
        scopes_json: JSON.stringify(scopes),
        allowed_ips_json: JSON.stringify(allowedIps),
        prefix: KEY_PREFIX,
        last4: secret.slice(-4),
        oauth_client_json: oauthClient === undefined ? null : JSON.stringify(oauthClient),
        created_at: this.#now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...toKey(row), secret };
  }

  async list(accountId: string): Promise<ApiKey[]> {
    const rows = await this.#metadata.db
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .execute();
    return rows.map(toKey);
  }

  /** Revokes a key and the credentials that it created. @returns these credentials; undefined if the account has no such active key. */
  async revoke(accountId: string, id: string): Promise<RevokedWithKey | undefined> {
    return this.#metadata.write((query) => this.revokeIn(query, accountId, id));
  }

  /** Does the same in the transaction of the caller. */
  async revokeIn(query: Query, accountId: string, id: string): Promise<RevokedWithKey | undefined> {
    await waitForCommits(this.#metadata, query, id);
    const now = this.#now();
    const result = await query
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n ? findDependents(query, id, now) : undefined;
  }

  /**
   * Reads the current rights of the key and the membership that created a temporary link to a file of the account.
   * @returns undefined if one of them is unknown or has ended.
   */
  async provenance({ key, member }: { key?: string; member?: string }, accountId: string): Promise<Provenance | undefined> {
    const { db } = this.#metadata;
    const keyRow = key === undefined ? NO_KEY : await creatingKey.first(db, { id: key });
    const memberRow = member === undefined ? undefined : await memberPermissions.first(db, { memberId: member, accountId });
    const creator_permissions_json = memberRow?.permissions_json ?? null;
    return keyRow && provenanceOf({ ...keyRow, member_id: member ?? null, creator_permissions_json });
  }

  /**
   * Finds the key of a secret by its hash. The duration of the lookup reveals nothing about stored secrets.
   * @throws `API_KEY_INVALID` for unknown, wrong and revoked secrets alike.
   */
  async authenticate(secret: string): Promise<AuthenticatedKey> {
    const row = await byHash.first(this.#metadata.db, { hash: hashSecret(secret) });
    if (!row || row.revoked_at !== null || row.disabled_at !== null)
      throw new BlobError('API_KEY_INVALID', 'The API key is not valid.');
    return { key: toKey(row), storage: { accountId: row.account_id, bucketId: row.bucket_id }, userId: row.user_id };
  }
}
