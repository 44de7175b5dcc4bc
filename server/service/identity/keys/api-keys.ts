import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../../src/protocol/activity-actions.js';
import { validationError } from '../../../../src/protocol/errors.js';
import { KEY_PREFIX } from '../../../../src/protocol/token-format.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import type { ApiKeysTable } from '../../drivers/metadata/tables.js';
import { hashSecret, newId, newSecret } from '../../runtime/ids.js';
import { recordActivity } from '../activities/record-activity.js';
import { ADMIN_CREATOR } from '../creator.js';
import type { Creator } from '../creator.js';
import type { Storage } from '../credential.js';
import { DEFAULT_PLAN_ID } from '../plans.js';
import { creatingKey, memberPermissions, NO_KEY, provenanceOf } from '../provenance.js';
import type { Provenance } from '../provenance.js';
import { lockAccount } from '../lock-account.js';
import { waitForCommits } from '../revocation-lock.js';
import { SCOPES } from '../scopes.js';
import { toKey } from './api-key.js';
import type { ApiKey, CreatedApiKey } from './api-key.js';
import { validateKey, validateKeyChanges } from './key-fields.js';
import type { KeyFields } from './key-fields.js';
import { byHash, keyInvalid, lockAccountForNewKey, lockKey, lockKeyOfName } from './key-rows.js';
import { KeyUses } from './key-uses.js';
import { isLegacySecret, LEGACY_PREFIX } from './legacy-keys.js';
import { findRevokedWithKey } from './revoked-with-key.js';
import type { RevokedWithKey } from './revoked-with-key.js';

/** The name of the key that `generate-api-key` creates or rotates. */
const CLI_NAME = 'CLI';

/** A valid key, and what it acts on. */
export interface AuthenticatedKey {
  key: ApiKey;
  /** The storage of the key's account. */
  storage: Storage;
  /** The user whose account owns the key; null for an account without a user. */
  userId: string | null;
  /** The plan of the account. */
  planId: number;
}

/** A key to create. */
export interface NewApiKey extends KeyFields {
  /** The OAuth client that receives the key. */
  oauthClient?: Readonly<Record<string, unknown>>;
  /** @default `svc-blob` on the data */
  creator?: Creator;
}

/** Stores API keys. Every change is recorded in the activity log. */
export class ApiKeys {
  readonly #metadata: Metadata;
  readonly #now: () => number;
  readonly #uses: KeyUses;

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
    this.#uses = new KeyUses(metadata, now);
  }

  /**
   * Creates a key.
   * @throws `API_KEY_INVALID_NAME`, `API_KEY_INVALID_SCOPES`, `API_KEY_INVALID_IPS`, `API_KEY_LIMIT_REACHED`, `VALIDATION_ERROR`
   */
  async create(accountId: string, options: NewApiKey): Promise<CreatedApiKey> {
    return this.#metadata.write((query) => this.createIn(query, accountId, options));
  }

  /** Does the same in the transaction of the caller. */
  async createIn(query: Query, accountId: string, options: NewApiKey): Promise<CreatedApiKey> {
    return this.#insert(query, accountId, options, newSecret(KEY_PREFIX), KEY_PREFIX);
  }

  /**
   * Adds a key of the platform whose secret is known: 64 hexadecimal characters. It has every scope.
   * @throws as `create` does, and `VALIDATION_ERROR` for a secret of another form or one that is stored already.
   */
  async importLegacy(
    accountId: string,
    options: { name: string; allowedIps?: readonly string[]; secret: string },
  ): Promise<ApiKey> {
    const { secret, ...fields } = options;
    if (!isLegacySecret(secret)) throw validationError('api_key', 'must have 64 hexadecimal characters in lower case');
    return this.#metadata.write(async (query) => {
      const hash = hashSecret(secret);
      const known = await query
        .selectFrom('api_keys')
        .select('id')
        .where((e) => e.or([e('secret_hash', '=', hash), e('previous_hash', '=', hash)]))
        .executeTakeFirst();
      if (known) throw validationError('api_key', `is stored already, as ${known.id}`);
      const { secret: _, ...key } = await this.#insert(query, accountId, { ...fields, scopes: SCOPES }, secret, LEGACY_PREFIX);
      return key;
    });
  }

  async #insert(query: Query, accountId: string, options: NewApiKey, secret: string, prefix: string): Promise<CreatedApiKey> {
    const { oauthClient, creator = ADMIN_CREATOR } = options;
    const { name, scopes, allowedIps } = validateKey(options);
    await lockAccountForNewKey(this.#metadata, query, accountId);
    const row = await query
      .insertInto('api_keys')
      .values({
        id: newId('key'),
        account_id: accountId,
        name,
        secret_hash: hashSecret(secret),
        scopes_json: JSON.stringify(scopes),
        allowed_ips_json: JSON.stringify(allowedIps),
        prefix,
        last4: secret.slice(-4),
        oauth_client_json: oauthClient === undefined ? null : JSON.stringify(oauthClient),
        created_at: this.#now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const key = toKey(row);
    await this.#record(query, creator, key, 'created', { name: key.name, scopes, allowed_ips: allowedIps });
    return { ...key, secret };
  }

  /** Lists the keys of an account, oldest first. @param options `active` leaves out revoked keys. */
  async list(accountId: string, { active = false }: { active?: boolean } = {}): Promise<ApiKey[]> {
    let query = this.#metadata.db.selectFrom('api_keys').selectAll().where('account_id', '=', accountId);
    if (active) query = query.where('revoked_at', 'is', null);
    const rows = await query.orderBy('created_at').orderBy('id').execute();
    return rows.map((row) => toKey({ ...row, last_used_at: this.#uses.lastUsedAt(row.id, row.last_used_at) }));
  }

  /**
   * Changes the name, the scopes or the addresses of a key, not its secret. The next request with the key, or with a credential that it created,
   * has the new rights. Running uploads are checked again at their commit.
   * @throws as `create` does, and `API_KEY_NOT_FOUND`. The scopes of a legacy key cannot change.
   */
  async change(accountId: string, id: string, fields: Partial<KeyFields>, creator: Creator): Promise<ApiKey> {
    const { name, scopes, allowedIps } = validateKeyChanges(fields);
    return this.#metadata.write(async (query) => {
      await waitForCommits(this.#metadata, query, id);
      const before = await lockKey(this.#metadata, query, accountId, id);
      if (scopes && before.prefix === LEGACY_PREFIX)
        throw platformError('API_KEY_INVALID_SCOPES', 'This older key always has every scope. Rotate it first.', {
          path: 'scopes',
        });
      const changes = {
        ...(name !== undefined && { name }),
        ...(scopes && { scopes_json: JSON.stringify(scopes) }),
        ...(allowedIps && { allowed_ips_json: JSON.stringify(allowedIps) }),
      };
      if (Object.keys(changes).length === 0) return toKey(before);
      const key = await this.#update(query, id, changes);
      const details = {
        ...(name !== undefined && { name }),
        ...(scopes && { scopes }),
        ...(allowedIps && { allowed_ips: allowedIps }),
      };
      await this.#record(query, creator, key, 'updated', details);
      return key;
    });
  }

  /**
   * Gives a key a new secret. The one before stays valid for the overlap; older ones end.
   * @param options.overlapSeconds 0..86400. @throws `API_KEY_NOT_FOUND`
   */
  async rotate(accountId: string, id: string, options: { overlapSeconds: number; creator: Creator }): Promise<CreatedApiKey> {
    return this.#metadata.write(async (query) =>
      this.#rotate(query, await lockKey(this.#metadata, query, accountId, id), options),
    );
  }

  async #rotate(
    query: Query,
    before: Selectable<ApiKeysTable>,
    { overlapSeconds, creator, scopes }: { overlapSeconds: number; creator: Creator; scopes?: readonly string[] },
  ): Promise<CreatedApiKey> {
    const secret = newSecret(KEY_PREFIX);
    const overlaps = overlapSeconds > 0;
    const key = await this.#update(query, before.id, {
      secret_hash: hashSecret(secret),
      previous_hash: overlaps ? before.secret_hash : null,
      previous_ends_at: overlaps ? this.#now() + overlapSeconds * 1000 : null,
      prefix: KEY_PREFIX,
      last4: secret.slice(-4),
      // A legacy key becomes an ordinary key, which has the scopes that are stored.
      scopes_json: JSON.stringify(scopes ?? toKey(before).scopes),
    });
    await this.#record(query, creator, key, 'rotated', { name: key.name, overlap_seconds: overlapSeconds });
    return { ...key, secret };
  }

  async #update(query: Query, id: string, changes: Partial<Selectable<ApiKeysTable>>): Promise<ApiKey> {
    const update = query.updateTable('api_keys').set(changes).where('id', '=', id);
    return toKey(await update.returningAll().executeTakeFirstOrThrow());
  }

  /**
   * Creates the key named CLI with every scope, or gives it a new secret and every scope. Its allowed addresses stay.
   * @throws `API_KEY_LIMIT_REACHED`
   */
  async generateCliKey(accountId: string, creator: Creator): Promise<{ key: CreatedApiKey; isNew: boolean }> {
    return this.#metadata.write(async (query) => {
      await lockAccount(this.#metadata, query, accountId);
      const row = await lockKeyOfName(this.#metadata, query, accountId, CLI_NAME);
      if (row) return { key: await this.#rotate(query, row, { overlapSeconds: 0, creator, scopes: SCOPES }), isNew: false };
      return { key: await this.createIn(query, accountId, { name: CLI_NAME, scopes: SCOPES, creator }), isNew: true };
    });
  }

  /** Revokes a key and the credentials that it created. @returns these credentials; undefined if the account has no such active key. */
  async revoke(accountId: string, id: string, creator: Creator = ADMIN_CREATOR): Promise<RevokedWithKey | undefined> {
    return this.#metadata.write((query) => this.revokeIn(query, accountId, id, creator));
  }

  /** Does the same in the transaction of the caller. @param reason recorded in the activity log. */
  async revokeIn(
    query: Query,
    accountId: string,
    id: string,
    creator: Creator,
    reason?: string,
  ): Promise<RevokedWithKey | undefined> {
    await waitForCommits(this.#metadata, query, id);
    const now = this.#now();
    const row = await query
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (!row) return undefined;
    const key = toKey(row);
    await this.#record(query, creator, key, 'revoked', { name: key.name, ...(reason !== undefined && { reason }) });
    return findRevokedWithKey(query, id, now);
  }

  /** Records a change. The details never contain a secret. */
  #record(
    query: Query,
    creator: Creator,
    { id, accountId }: ApiKey,
    verb: ActivityChange<'api_key'>,
    details: Readonly<Record<string, unknown>>,
  ) {
    const target = { targetType: 'api_key', targetId: id };
    return recordActivity(query, creator, this.#now(), { accountId, action: `api_key.${verb}`, ...target, details });
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
   * @throws `API_KEY_INVALID` for unknown, wrong, replaced and revoked secrets alike.
   */
  async authenticate(secret: string): Promise<AuthenticatedKey> {
    const hash = hashSecret(secret);
    const row = await byHash.first(this.#metadata.db, { hash });
    if (!row || row.revoked_at !== null || row.disabled_at !== null || row.user_disabled_at !== null) throw keyInvalid();
    if (row.secret_hash !== hash && this.#now() >= (row.previous_ends_at ?? 0)) throw keyInvalid();
    return {
      key: toKey(row),
      storage: { accountId: row.account_id, bucketId: row.bucket_id },
      userId: row.user_id,
      planId: row.plan_id ?? DEFAULT_PLAN_ID,
    };
  }

  /** Notes that a request with the key was accepted. Does not wait for a write. */
  recordUse({ id, lastUsedAt }: ApiKey): void {
    this.#uses.record(id, lastUsedAt);
  }

  /** Writes when keys were last used. Call it before the database closes. */
  async flushUses(): Promise<void> {
    await this.#uses.flush();
  }
}
