import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { invalid } from '../../../src/protocol/errors.js';
import { S3_CREDENTIAL } from '../../../src/protocol/limits.js';
import { pathProblem } from '../../../src/protocol/paths.js';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { holdAccount } from './hold-account.js';
import { statement } from '../drivers/metadata/prepared-query.js';
import { CREATOR_COLUMNS, creatorStands, provenanceOf } from './provenance.js';
import type { CreatorRow, Provenance } from './provenance.js';
import { awaitCommits } from './revocation-lock.js';
import type { S3CredentialsTable, Tables } from '../drivers/metadata/tables.js';

/** What a key pair of the S3 endpoint opens. */
export interface S3Grant {
  /** The access key id. */
  id: string;
  accountId: string;
  readOnly: boolean;
  /** False when the API key that created the pair has lost `blob:read`. */
  mayRead: boolean;
  /** The one folder of the main bucket it opens, without a slash at the end; null: every bucket of the account. */
  prefix: string | null;
  /** ms since 1970; null: stands until it is revoked. */
  expiresAt: number | null;
  /** Addresses and ranges from which the pair may be used; empty: any. Those of the API key that created it. */
  allowedIps: readonly string[];
}

/** A key pair as the owner sees it: never its secret. */
export interface S3CredentialRecord extends S3Grant {
  name: string;
  /** ms since 1970. */
  createdAt: number;
}

export interface NewS3Credential {
  name?: string;
  readOnly?: boolean;
  prefix?: string | null;
  /** Seconds; null: stands until it is revoked. */
  expiresIn?: number | null;
  /** The API key that creates the pair; null: the pair is independent. @default null */
  keyId?: string | null;
}

const NAME_MAX = 40;
const PER_ACCOUNT = 100;
/** Secrets kept open in memory. */
const MAX_OPENED = 1000;

const standingPair = statement<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('s3_credentials')
    .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
    .selectAll('s3_credentials')
    .select(CREATOR_COLUMNS)
    .where('s3_credentials.id', '=', id)
    .where('s3_credentials.revoked_at', 'is', null),
);

/**
 * Key pairs of the S3 endpoint. Signature V4 is an HMAC, so the service must know the secret: it lies encrypted (AES-256-GCM, bound to the
 * access key id) under a key derived from the service's own secret, so that a copy of the database alone opens nothing.
 */
export class S3Credentials {
  readonly #metadata: Metadata;
  readonly #key: Buffer;
  readonly #now: () => number;
  /** Secrets by what they lie encrypted as: a revoked or changed pair is never answered from here. */
  readonly #opened = new Map<string, string>();

  /** @param serverSecret at least 32 bytes, the same for all replicas. */
  constructor(metadata: Metadata, serverSecret: Uint8Array, now: () => number = Date.now) {
    if (serverSecret.length < 32) throw new RangeError('the server secret must have at least 32 bytes');
    this.#metadata = metadata;
    this.#key = Buffer.from(hkdfSync('sha256', serverSecret, '', 'svc-uploader s3 credentials', 32));
    this.#now = now;
  }

  /** @returns the pair with its secret, shown this once. @throws `VALIDATION_ERROR`. */
  async create(accountId: string, options: NewS3Credential): Promise<S3CredentialRecord & { secret: string }> {
    const { name = '', readOnly = false, prefix = null, expiresIn = null, keyId = null } = options;
    if (name.length > NAME_MAX) throw invalid('name', `at most ${NAME_MAX} characters`);
    const problem = prefix === null ? undefined : pathProblem(prefix.replace(/\/$/, ''));
    if (problem !== undefined) throw invalid('prefix', problem);
    const { min, max } = S3_CREDENTIAL.expiresIn;
    if (expiresIn !== null && !(Number.isInteger(expiresIn) && expiresIn >= min && expiresIn <= max))
      throw invalid('expires_in', `a whole number of seconds from ${min} to ${max}`);
    const createdAt = this.#now();
    const id = `SVC${base32(randomBytes(11)).slice(0, 17)}`;
    const secret = randomBytes(30).toString('base64url');
    const record = {
      id,
      accountId,
      name,
      readOnly,
      mayRead: true,
      allowedIps: [],
      prefix: prefix === null ? null : prefix.replace(/\/$/, ''),
      createdAt,
      expiresAt: expiresIn === null ? null : createdAt + expiresIn * 1000,
    };
    await this.#metadata.write(async (query) => {
      await holdAccount(this.#metadata, query, accountId);
      const { count } = await query
        .selectFrom('s3_credentials')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .where(standing(createdAt))
        .where(creatorStands('s3_credentials.key_id'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= PER_ACCOUNT)
        throw invalid('name', `an account has at most ${PER_ACCOUNT} S3 key pairs`, { limit: PER_ACCOUNT });
      await query
        .insertInto('s3_credentials')
        .values({
          id,
          account_id: accountId,
          name,
          secret: this.#seal(id, secret),
          read_only: readOnly ? 1 : 0,
          prefix: record.prefix,
          created_at: record.createdAt,
          revoked_at: null,
          expires_at: record.expiresAt,
          key_id: keyId,
        })
        .execute();
    });
    return { ...record, secret };
  }

  /** Pairs that are neither revoked nor expired and whose creating key stands, in the order of their creation. */
  async list(accountId: string): Promise<S3CredentialRecord[]> {
    const rows = await this.#metadata.db
      .selectFrom('s3_credentials')
      .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
      .selectAll('s3_credentials')
      .select(CREATOR_COLUMNS)
      .where('s3_credentials.account_id', '=', accountId)
      .where('s3_credentials.revoked_at', 'is', null)
      .where(standing(this.#now()))
      .orderBy('s3_credentials.created_at')
      .orderBy('s3_credentials.id')
      .execute();
    return rows.flatMap((row) => {
      const provenance = provenanceOf(row);
      return provenance ? [{ ...grantOf(row, provenance), name: row.name, createdAt: Number(row.created_at) }] : [];
    });
  }

  /** Revokes at once: the next request that bears it is refused. @returns false when there is no such pair. */
  async delete(accountId: string, id: string): Promise<boolean> {
    return this.#metadata.write(async (query) => {
      await awaitCommits(this.#metadata, query, id);
      const result = await query
        .updateTable('s3_credentials')
        .set({ revoked_at: this.#now(), secret: '' })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) > 0;
    });
  }

  /** For the S3 endpoint. Looked up on every request, so that a revocation of the pair or of its creating key counts at once. */
  async find(id: string): Promise<{ secret: string; grant: S3Grant } | undefined> {
    const row = await standingPair.first(this.#metadata.db, { id });
    const provenance = row && provenanceOf(row);
    return provenance && { secret: this.#open(id, row.secret), grant: grantOf(row, provenance) };
  }

  #seal(id: string, secret: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(id));
    return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  #open(id: string, sealed: string): string {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(-16));
    const secret = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    this.#opened.set(sealed, secret);
    return secret;
  }
}

const standing = (now: number) => (e: ExpressionBuilder<Tables, 's3_credentials'>) =>
  e.or([e('s3_credentials.expires_at', 'is', null), e('s3_credentials.expires_at', '>', now)]);

/** The pair's own rights, reduced to those of the key that created it. */
const grantOf = (row: Selectable<S3CredentialsTable> & CreatorRow, { mayRead, mayWrite, allowedIps }: Provenance): S3Grant => ({
  id: row.id,
  accountId: row.account_id,
  readOnly: Number(row.read_only) === 1 || !mayWrite,
  mayRead,
  allowedIps,
  prefix: row.prefix,
  expiresAt: row.expires_at === null ? null : Number(row.expires_at),
});

/** Upper-case letters and digits, as access key ids are everywhere. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    .toString(2)
    .padStart(bytes.length * 8, '0')
    .match(/.{5}/g)!
    .map((bits) => alphabet[Number.parseInt(bits, 2)])
    .join('');
}
