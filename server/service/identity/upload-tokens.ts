import type { Selectable } from 'kysely';
import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/token-format.js';
import type { CreatedUploadToken, UploadTokenRecord, UploadTokenSelf } from '../../../src/protocol/types.js';
import { hashSecret, newId, newSecret } from '../runtime/ids.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { pick, preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { UploadTokensTable } from '../drivers/metadata/tables.js';
import { recordActivity } from './activities/record-activity.js';
import type { Creator } from './creator.js';
import { creatorIsActive } from './provenance.js';
import { waitForCommits } from './revocation-lock.js';
import { formatTime, formatTimeOrNull } from '../../../src/protocol/time.js';
import type { TokenRequest } from './token-request.js';
import { readTokenState, tokenInvalid } from './token-uses.js';
import type { Storage } from './credential.js';

/** An authenticated upload token. */
export interface UploadToken {
  id: string;
  storage: Storage;
  /** The API key that created it; null if it is independent. */
  keyId: string | null;
  record: UploadTokenRecord;
}

const parseOrNull = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

const toRecord = (row: Selectable<UploadTokensTable>): UploadTokenRecord => ({
  id: row.id,
  path: row.path,
  prefix: row.prefix,
  visibility: row.visibility,
  cache_control: row.cache_control,
  content_disposition: row.content_disposition,
  file_expires_at: formatTimeOrNull(row.file_expires_at),
  metadata: parseOrNull(row.metadata_json),
  max_size: row.max_size,
  allowed_extensions: parseOrNull(row.extensions_json),
  overwrite: row.overwrite === 1,
  allow_fetch: row.allow_fetch === 1,
  allow_delete: row.allow_delete === 1,
  max_uses: row.max_uses,
  uses: row.uses,
  expires_at: formatTime(row.expires_at),
  created_at: formatTime(row.created_at),
  revoked_at: formatTimeOrNull(row.revoked_at),
});

const COLUMNS = Object.keys({
  id: true,
  account_id: true,
  bucket_id: true,
  key_id: true,
  member_id: true,
  secret_hash: true,
  path: true,
  prefix: true,
  visibility: true,
  cache_control: true,
  content_disposition: true,
  file_expires_at: true,
  metadata_json: true,
  max_size: true,
  extensions_json: true,
  overwrite: true,
  max_uses: true,
  uses: true,
  expires_at: true,
  created_at: true,
  revoked_at: true,
  share_id: true,
  allow_fetch: true,
  allow_delete: true,
} satisfies Record<keyof UploadTokensTable, true>) as (keyof UploadTokensTable)[];

const insertToken = preparedQuery<Selectable<UploadTokensTable>>()((query, row) =>
  query.insertInto('upload_tokens').values(pick(row, COLUMNS)),
);

const byHash = preparedQuery<{ hash: string }>()((query, { hash }) =>
  query.selectFrom('upload_tokens').selectAll().where('secret_hash', '=', hash),
);

/** Stores upload tokens. `token-uses.ts` takes and gives back their uses. */
export class UploadTokens {
  readonly #metadata: Metadata;
  readonly #now: () => number;

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
  }

  /** Creates a token. @param shareId the share that issues it @returns the record with the secret, which is not stored. */
  async create(
    storage: Storage,
    creator: Creator,
    request: TokenRequest,
    shareId: string | null = null,
  ): Promise<CreatedUploadToken> {
    const secret = newSecret(TOKEN_PREFIX);
    const now = this.#now();
    const row: Selectable<UploadTokensTable> = {
      id: newId('tok'),
      account_id: storage.accountId,
      bucket_id: storage.bucketId,
      key_id: creator.keyId,
      member_id: creator.memberId,
      secret_hash: hashSecret(secret),
      path: request.path,
      prefix: request.prefix,
      visibility: request.visibility,
      cache_control: request.cacheControl,
      content_disposition: request.contentDisposition,
      file_expires_at: request.fileExpiresAt,
      metadata_json: request.metadata && JSON.stringify(request.metadata),
      max_size: request.maxSize,
      extensions_json: request.allowedExtensions && JSON.stringify(request.allowedExtensions),
      overwrite: request.overwrite ? 1 : 0,
      max_uses: request.maxUses,
      uses: 0,
      expires_at: now + request.expiresIn * 1000,
      created_at: now,
      revoked_at: null,
      share_id: shareId,
      allow_fetch: request.allowFetch ? 1 : 0,
      allow_delete: request.allowDelete ? 1 : 0,
    };
    const { accountId } = storage;
    const details = { path: row.path, prefix: row.prefix, max_uses: row.max_uses, expires_at: formatTime(row.expires_at) };
    const target = { targetType: 'upload_token', targetId: row.id };
    await this.#metadata.write(async (query) => {
      await insertToken.run(query, row);
      await recordActivity(query, creator, now, { accountId, action: 'upload_token.created', ...target, details });
    });
    return { ...toRecord(row), token: secret };
  }

  /** Lists tokens, newest first. @param options `after` is the id of the last token of the previous page. */
  async list(storage: Storage, options: { limit: number; after?: string }): Promise<UploadTokenRecord[]> {
    let query = this.#metadata.db
      .selectFrom('upload_tokens')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(options.limit);
    if (options.after !== undefined) {
      const last = await this.#row(storage, options.after);
      query = query.where((e) =>
        e.or([e('created_at', '<', last.created_at), e.and([e('created_at', '=', last.created_at), e('id', '<', last.id)])]),
      );
    }
    return (await query.execute()).map(toRecord);
  }

  /** @throws `NOT_FOUND`. */
  async get(storage: Storage, id: string): Promise<UploadTokenRecord> {
    return toRecord(await this.#row(storage, id));
  }

  /** Revokes a token. Running uploads fail at their commit. Revoking a revoked token has no effect. @throws `NOT_FOUND` */
  async revoke(storage: Storage, id: string, creator: Creator): Promise<void> {
    await this.#row(storage, id);
    await this.#metadata.write(async (query) => {
      await waitForCommits(this.#metadata, query, id);
      const now = this.#now();
      const result = await query
        .updateTable('upload_tokens')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return;
      const target = { targetType: 'upload_token', targetId: id };
      await recordActivity(query, creator, now, { accountId: storage.accountId, action: 'upload_token.revoked', ...target });
    });
  }

  /** Finds the token of a secret. It may be expired, revoked or exhausted: the storage checks this when an upload starts. @throws reason `unknown`. */
  async authenticate(secret: string): Promise<UploadToken> {
    const row = await byHash.first(this.#metadata.db, { hash: hashSecret(secret) });
    if (!row) throw tokenInvalid('unknown');
    return {
      id: row.id,
      keyId: row.key_id,
      storage: { accountId: row.account_id, bucketId: row.bucket_id },
      record: toRecord(row),
    };
  }

  /** Returns the public properties of a token. An exhausted token is no error. @throws `BLOB_UPLOAD_TOKEN_INVALID` for a revoked or expired token. */
  async self(token: UploadToken): Promise<UploadTokenSelf> {
    const { record } = token;
    if (record.revoked_at !== null) throw tokenInvalid('revoked');
    if ((await readTokenState(this.#metadata.db, token.id)).reason) throw tokenInvalid('key_revoked');
    if (Date.parse(record.expires_at) <= this.#now()) throw tokenInvalid('expired');
    const { path, prefix, max_size, allowed_extensions, allow_fetch, allow_delete, max_uses, uses, expires_at } = record;
    const constraints = { path, prefix, max_size, allowed_extensions, allow_fetch, allow_delete };
    return { ...constraints, max_uses, uses, uses_left: max_uses - uses, expires_at };
  }

  /** Counts the tokens that can start an upload. */
  async countActive(storage: Storage): Promise<number> {
    const { count } = await this.#metadata.db
      .selectFrom('upload_tokens')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('upload_tokens.bucket_id', '=', storage.bucketId)
      .where('upload_tokens.revoked_at', 'is', null)
      .where(creatorIsActive('upload_tokens', this.#metadata))
      .where('upload_tokens.expires_at', '>', this.#now())
      .whereRef('upload_tokens.uses', '<', 'upload_tokens.max_uses')
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #row(storage: Storage, id: string): Promise<Selectable<UploadTokensTable>> {
    const row = await this.#metadata.db
      .selectFrom('upload_tokens')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new BlobError('NOT_FOUND', `There is no upload token ${id}.`, { details: { id } });
    return row;
  }
}
