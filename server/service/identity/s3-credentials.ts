import { randomBytes } from 'node:crypto';
import { countLimitError } from '../../../src/protocol/count-limits.js';
import { validationError } from '../../../src/protocol/errors.js';
import { S3_CREDENTIAL } from '../../../src/protocol/limits.js';
import { findPathProblem } from '../../../src/protocol/paths.js';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { lockAccount } from './lock-account.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import { ADMIN_CREATOR } from './creator.js';
import type { Creator } from './creator.js';
import { recordActivity } from './activities/record-activity.js';
import { creatorColumns, creatorIsActive, provenanceOf } from './provenance.js';
import type { CreatorRow, Provenance } from './provenance.js';
import { waitForCommits } from './revocation-lock.js';
import { SecretBox } from '../runtime/secret-box.js';
import type { S3CredentialsTable, Tables } from '../drivers/metadata/tables.js';

/** The permissions of an S3 key pair. */
export interface S3Grant {
  /** The access key id. */
  id: string;
  accountId: string;
  readOnly: boolean;
  /** false if the API key that created the key pair no longer has `blob:read`. */
  mayRead: boolean;
  /** The only folder of the main bucket that it may access, without a final slash; null for all buckets of the account. */
  prefix: string | null;
  /** ms since 1970; null if it never expires. */
  expiresAt: number | null;
  /** Addresses and ranges from which the key pair may be used, inherited from the API key that created it. Empty: any address. */
  allowedIps: readonly string[];
}

/** A key pair without its secret. */
export interface S3CredentialRecord extends S3Grant {
  name: string;
  /** ms since 1970. */
  createdAt: number;
}

export interface NewS3Credential {
  name?: string;
  readOnly?: boolean;
  prefix?: string | null;
  /** Seconds; null if it never expires. */
  expiresIn?: number | null;
  /** @default `ADMIN_CREATOR`, for an independent key pair */
  creator?: Creator;
}

const MAX_NAME_LENGTH = 40;
const MAX_PER_ACCOUNT = 100;

const activeKeyPair = preparedQuery<{ id: string }>()((query, { id }, dialect) =>
  query
    .selectFrom('s3_credentials')
    .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
    .selectAll('s3_credentials')
    .select(creatorColumns('s3_credentials', dialect))
    .where('s3_credentials.id', '=', id)
    .where('s3_credentials.revoked_at', 'is', null)
    .where('s3_credentials.disabled_at', 'is', null),
);

/**
 * Stores the key pairs of the S3 endpoint. Signature V4 is an HMAC, so the service needs the secrets. They are encrypted, see `SecretBox`.
 */
export class S3Credentials {
  readonly #metadata: Metadata;
  readonly #secrets: SecretBox;
  readonly #now: () => number;

  /** @param serverSecret at least 32 bytes, equal on all replicas. */
  constructor(metadata: Metadata, serverSecret: Uint8Array, now: () => number = Date.now) {
    this.#metadata = metadata;
    this.#secrets = new SecretBox(serverSecret, 'svc-uploader s3 credentials');
    this.#now = now;
  }

  /** Creates a key pair. @returns the key pair with its secret, which cannot be read again. @throws `VALIDATION_ERROR` */
  async create(accountId: string, options: NewS3Credential): Promise<S3CredentialRecord & { secret: string }> {
    validateOptions(options);
    const { name = '', readOnly = false, prefix = null, expiresIn = null, creator = ADMIN_CREATOR } = options;
    const createdAt = this.#now();
    const secret = randomBytes(30).toString('base64url');
    const record: S3CredentialRecord = {
      id: `SVC${base32(randomBytes(11)).slice(0, 17)}`,
      accountId,
      name,
      readOnly,
      mayRead: true,
      allowedIps: [],
      prefix: prefix === null ? null : withoutFinalSlash(prefix),
      createdAt,
      expiresAt: expiresIn === null ? null : createdAt + expiresIn * 1000,
    };
    await this.#metadata.write(async (query) => {
      await lockAccount(this.#metadata, query, accountId);
      await assertBelowLimit(this.#metadata, query, accountId, createdAt);
      await query
        .insertInto('s3_credentials')
        .values({
          id: record.id,
          account_id: accountId,
          name,
          secret: this.#secrets.seal(record.id, secret),
          read_only: readOnly ? 1 : 0,
          prefix: record.prefix,
          created_at: record.createdAt,
          revoked_at: null,
          expires_at: record.expiresAt,
          key_id: creator.keyId,
          member_id: creator.memberId,
        })
        .execute();
      await recordActivity(query, creator, createdAt, {
        accountId,
        action: 's3_credential.created',
        targetType: 's3_credential',
        targetId: record.id,
        details: { name, read_only: readOnly, prefix: record.prefix },
      });
    });
    return { ...record, secret };
  }

  /** Lists the active key pairs of an account, oldest first. Key pairs whose creating key is revoked are not active. */
  async list(accountId: string): Promise<S3CredentialRecord[]> {
    const rows = await this.#metadata.db
      .selectFrom('s3_credentials')
      .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
      .selectAll('s3_credentials')
      .select(creatorColumns('s3_credentials', this.#metadata))
      .where('s3_credentials.account_id', '=', accountId)
      .where('s3_credentials.revoked_at', 'is', null)
      .where(isNotExpired(this.#now()))
      .orderBy('s3_credentials.created_at')
      .orderBy('s3_credentials.id')
      .execute();
    return rows.flatMap((row) => {
      const provenance = provenanceOf(row);
      return provenance ? [{ ...grantOf(row, provenance), name: row.name, createdAt: Number(row.created_at) }] : [];
    });
  }

  /** Revokes a key pair with immediate effect. @returns false if the account has no such active key pair. */
  async delete(accountId: string, id: string, creator: Creator = ADMIN_CREATOR): Promise<boolean> {
    return this.#metadata.write(async (query) => {
      await waitForCommits(this.#metadata, query, id);
      const now = this.#now();
      const result = await query
        .updateTable('s3_credentials')
        .set({ revoked_at: now, secret: '' })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (Number(result.numUpdatedRows) === 0) return false;
      const target = { targetType: 's3_credential', targetId: id };
      await recordActivity(query, creator, now, { accountId, action: 's3_credential.deleted', ...target });
      return true;
    });
  }

  /** Finds a key pair for one S3 request. Nothing is cached, so revocations of the key pair and of its creating key take effect at once. */
  async find(id: string): Promise<{ secret: string; grant: S3Grant } | undefined> {
    const row = await activeKeyPair.first(this.#metadata.db, { id });
    const provenance = row && provenanceOf(row);
    return provenance && { secret: this.#secrets.open(id, row.secret), grant: grantOf(row, provenance) };
  }

  /** Finds who acts with a key pair, for the activity log: the member who created it, otherwise the owner of the account. */
  async creatorOf(id: string): Promise<Creator> {
    const row = await this.#metadata.db
      .selectFrom('s3_credentials')
      .leftJoin('users', 'users.account_id', 's3_credentials.account_id')
      .leftJoin('workspace_members', 'workspace_members.id', 's3_credentials.member_id')
      .select(['s3_credentials.key_id', 's3_credentials.member_id', 'users.id as owner_id'])
      .select(['workspace_members.user_id', 'workspace_members.workspace_id'])
      .where('s3_credentials.id', '=', id)
      .executeTakeFirst();
    return {
      keyId: row?.key_id ?? null,
      memberId: row?.member_id ?? null,
      workspaceId: row?.workspace_id ?? null,
      userId: (row?.member_id ? row.user_id : row?.owner_id) ?? null,
      origin: 'api_key',
    };
  }
}

const withoutFinalSlash = (prefix: string): string => prefix.replace(/\/$/, '');

/** @throws `VALIDATION_ERROR` */
function validateOptions({ name = '', prefix = null, expiresIn = null }: NewS3Credential): void {
  if (name.length > MAX_NAME_LENGTH)
    throw validationError('name', `must have at most ${MAX_NAME_LENGTH} characters; got ${name.length}`);
  const problem = prefix === null ? undefined : findPathProblem(withoutFinalSlash(prefix));
  if (problem !== undefined) throw validationError('prefix', problem);
  const { min, max } = S3_CREDENTIAL.expiresIn;
  if (expiresIn !== null && !(Number.isInteger(expiresIn) && expiresIn >= min && expiresIn <= max))
    throw validationError('expires_in', `must be a whole number of seconds from ${min} to ${max}; got ${expiresIn}`);
}

/** @throws `VALIDATION_ERROR` if the account has the maximum of active key pairs. */
async function assertBelowLimit(metadata: Metadata, query: Query, accountId: string, now: number): Promise<void> {
  const { count } = await query
    .selectFrom('s3_credentials')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where(isNotExpired(now))
    .where(creatorIsActive('s3_credentials', metadata))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_PER_ACCOUNT)
    throw countLimitError(
      'name',
      `cannot name another key pair: the account has ${MAX_PER_ACCOUNT}, the maximum. Delete one first`,
      'too_many_s3_credentials',
      MAX_PER_ACCOUNT,
    );
}

const isNotExpired = (now: number) => (e: ExpressionBuilder<Tables, 's3_credentials'>) =>
  e.or([e('s3_credentials.expires_at', 'is', null), e('s3_credentials.expires_at', '>', now)]);

/** Reads the rights of a key pair, limited to those of its creating key. */
const grantOf = (row: Selectable<S3CredentialsTable> & CreatorRow, { mayRead, mayWrite, allowedIps }: Provenance): S3Grant => ({
  id: row.id,
  accountId: row.account_id,
  readOnly: Number(row.read_only) === 1 || !mayWrite,
  mayRead,
  allowedIps,
  prefix: row.prefix,
  expiresAt: row.expires_at === null ? null : Number(row.expires_at),
});

/** Encodes bytes in upper-case letters and digits, the usual alphabet of access key ids. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    .toString(2)
    .padStart(bytes.length * 8, '0')
    .match(/.{5}/g)!
    .map((bits) => alphabet[Number.parseInt(bits, 2)])
    .join('');
}
