import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../src/protocol/count-limits.js';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { validatePath, validatePrefix } from '../../../src/protocol/paths.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';
import { recordActivity } from '../identity/activities/record-activity.js';
import type { Creator } from '../identity/creator.js';
import type { PasswordHasher } from '../identity/users/passwords.js';
import { allowsAddress, creatorColumns, creatorIsActive, provenanceOf } from '../identity/provenance.js';
import type { Provenance } from '../identity/provenance.js';
import { lockAccount } from '../identity/lock-account.js';
import { newId } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import type { SharesTable } from '../drivers/metadata/sharing-tables.js';
import { SharePasses } from './share-passes.js';
import { SharePasswords } from './share-passwords.js';
import { assertFieldsOfMode, ShareEnded, toShare } from './share.js';
import type { Share, ShareFields, Visitor } from './share.js';
import { parseTitle } from './share-title.js';
import type { Storage } from '../identity/credential.js';
import { parseTokenRequest } from '../identity/token-request.js';

export { ShareEnded } from './share.js';
export type { Share, ShareFields, Visitor } from './share.js';

/** Maximum number of unexpired shares of an account. */
export const MAX_SHARES = 10_000;

/** The error does not contain the id, because errors are logged and the id opens the share. */
const notFound = (cause?: ShareEnded) => new BlobError('NOT_FOUND', 'There is no such share.', cause && { cause });

/** Stores shares, and opens them for visitors. */
export class Shares {
  readonly #passwords: SharePasswords;
  readonly #passes: SharePasses;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
    hasher: PasswordHasher,
    secret: Uint8Array,
  ) {
    this.#passwords = new SharePasswords(metadata, hasher);
    this.#passes = new SharePasses(secret);
  }

  /**
   * Creates a share.
   * @param target exactly one of `path` and `prefix`; the mode `upload` needs a prefix.
   * @throws `VALIDATION_ERROR`, `INVALID_PATH`.
   */
  async create(
    storage: Storage,
    creator: Creator,
    target: { path?: string; prefix?: string; mode?: Share['mode'] },
    fields: ShareFields,
  ): Promise<Share> {
    if ((target.path === undefined) === (target.prefix === undefined))
      throw validationError('path', 'or `prefix` must be sent, but not both');
    const path = target.path === undefined ? null : validatePath(target.path);
    const mode = target.mode ?? 'read';
    const prefix = target.prefix === undefined ? null : parsePrefix(target.prefix, mode);
    if (mode === 'upload' && prefix === null) throw validationError('prefix', 'must be sent for the mode upload');
    assertFieldsOfMode(mode, fields);
    const columns = await this.#columns(fields);
    const row = await this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      await this.#assertBelowLimit(query, storage);
      const now = this.now();
      const created = await query
        .insertInto('shares')
        .values({
          path,
          prefix,
          mode,
          ...columns,
          files_received: 0,
          id: newId('share'),
          account_id: storage.accountId,
          bucket_id: storage.bucketId,
          downloads: 0,
          created_at: now,
          key_id: creator.keyId,
          member_id: creator.memberId,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#record(query, storage, creator, 'created', created);
      return created;
    });
    return toShare(row);
  }

  /** @throws `VALIDATION_ERROR` */
  async #assertBelowLimit(query: Query, { bucketId }: Storage): Promise<void> {
    const lastAllowed = await query
      .selectFrom('shares')
      .select('id')
      .where('bucket_id', '=', bucketId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', this.now())]))
      .limit(1)
      .offset(MAX_SHARES - 1)
      .executeTakeFirst();
    if (lastAllowed)
      throw countLimitError(
        'path',
        `cannot be shared: the account has ${MAX_SHARES} unexpired shares, the maximum. Delete one first`,
        'too_many_shares',
        MAX_SHARES,
      );
  }

  /** Lists shares whose creating key is active, newest first. @param options `after` is the id of the last share of the previous page. */
  async list(storage: Storage, options: { limit: number; after?: string }): Promise<Share[]> {
    let query = this.metadata.db
      .selectFrom('shares')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where(creatorIsActive('shares', this.metadata))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(options.limit);
    if (options.after !== undefined) {
      const { id, createdAt } = await this.get(storage, options.after);
      query = query.where((e) =>
        e.or([e('created_at', '<', createdAt), e.and([e('created_at', '=', createdAt), e('id', '<', id)])]),
      );
    }
    return (await query.execute()).map(toShare);
  }

  async get(storage: Storage, id: string): Promise<Share> {
    const found = await this.#find(id);
    if (found?.row.bucket_id !== storage.bucketId) throw notFound();
    return toShare(found.row);
  }

  async change(storage: Storage, id: string, creator: Creator, fields: ShareFields): Promise<Share> {
    assertFieldsOfMode((await this.get(storage, id)).mode, fields);
    const columns = await this.#columns(fields);
    const row = await this.metadata.write(async (query) => {
      const changed = await query
        .updateTable('shares')
        .set(columns)
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .where(creatorIsActive('shares', this.metadata))
        .returningAll()
        .executeTakeFirst();
      if (changed) await this.#record(query, storage, creator, 'changed', changed);
      return changed;
    });
    if (!row) throw notFound();
    return toShare(row);
  }

  async delete(storage: Storage, id: string, creator: Creator): Promise<void> {
    await this.metadata.write(async (query) => {
      const share = query.deleteFrom('shares').where('bucket_id', '=', storage.bucketId).where('id', '=', id);
      const deleted = await share.returning(['path', 'prefix']).executeTakeFirst();
      if (!deleted) throw notFound();
      await this.#record(query, storage, creator, 'deleted', deleted);
    });
  }

  /** Records what is shared. The id of the share opens it, so the activity log does not contain it. */
  #record(
    query: Query,
    { accountId }: Storage,
    creator: Creator,
    verb: ActivityChange<'share'>,
    { path, prefix }: Pick<Share, 'path' | 'prefix'>,
  ) {
    const target = { targetType: 'share', details: { path, prefix } };
    return recordActivity(query, creator, this.now(), { accountId, action: `share.${verb}`, ...target });
  }

  /**
   * Opens a share for a visitor. Every rejection has the same error. The share may be unknown, expired or used up. Its creating key may be revoked,
   * may no longer read, or does not allow the address.
   * @returns `password` if the password is missing or wrong.
   * @throws `NOT_FOUND`, `RATE_LIMIT_EXCEEDED` after too many wrong passwords.
   */
  async open(id: string, { address, password, pass }: Visitor): Promise<Share | 'password'> {
    const found = await this.#find(id);
    if (!found || !allowsAddress(found.provenance, address)) throw notFound();
    const { row, provenance } = found;
    if (row.mode === 'upload' ? !provenance.mayWrite : !provenance.mayRead) throw notFound();
    const share = toShare(row);
    const end = this.#endOf(share);
    if (end) throw notFound(end);
    if (row.password_hash === null) return share;
    if (pass !== undefined && this.#passes.isValid(pass, row.id, row.password_hash)) return share;
    const isCorrect = password !== undefined && (await this.#passwords.isCorrect(row.id, row.password_hash, password, address));
    return isCorrect ? share : 'password';
  }

  /**
   * Opens a share by its password and issues a pass, which a browser keeps instead of the password.
   * @returns undefined if the password is wrong. @throws like `open`.
   */
  async unlock(id: string, visitor: Visitor): Promise<{ share: Share; pass: string | null } | undefined> {
    const share = await this.open(id, visitor);
    if (share === 'password') return undefined;
    // Read again, because a correct password replaces an outdated hash.
    const hash = (await this.#find(id))?.row.password_hash ?? null;
    return { share, pass: hash === null ? null : this.#passes.issue(id, hash) };
  }

  /** Counts one download atomically. @throws `NOT_FOUND` if the share has none left. */
  async countDownload(id: string): Promise<void> {
    const result = await this.metadata.write((query) =>
      query
        .updateTable('shares')
        .set((e) => ({ downloads: e('downloads', '+', 1) }))
        .where('id', '=', id)
        .where(creatorIsActive('shares', this.metadata))
        .where((e) => e.or([e('max_downloads', 'is', null), e('downloads', '<', e.ref('max_downloads'))]))
        .executeTakeFirst(),
    );
    if (result.numUpdatedRows === 0n) throw notFound(new ShareEnded('used up'));
  }

  #endOf({ expiresAt, maxDownloads, downloads, maxFiles, filesReceived }: Share): ShareEnded | undefined {
    if (expiresAt !== null && expiresAt <= this.now()) return new ShareEnded('expired');
    const isUsedUp = (maxDownloads !== null && downloads >= maxDownloads) || (maxFiles !== null && filesReceived >= maxFiles);
    return isUsedUp ? new ShareEnded('used up') : undefined;
  }

  /** @returns undefined if the share is unknown or its creating key is revoked. */
  async #find(id: string): Promise<{ row: Selectable<SharesTable>; provenance: Provenance } | undefined> {
    const row = await this.metadata.db
      .selectFrom('shares')
      .leftJoin('api_keys', 'api_keys.id', 'shares.key_id')
      .selectAll('shares')
      .select(creatorColumns('shares', this.metadata))
      .where('shares.id', '=', id)
      .executeTakeFirst();
    const provenance = row && provenanceOf(row);
    return provenance && { row, provenance };
  }

  async #columns({ password, expires_at, max_downloads, title, accent, ...limits }: ShareFields) {
    const { max_size, allowed_extensions, max_files } = limits;
    const extensions = allowed_extensions && parseTokenRequest({ allowed_extensions }, this.now()).allowedExtensions;
    return {
      ...(max_size !== undefined && { max_size }),
      ...(extensions !== undefined && { extensions_json: extensions && JSON.stringify(extensions) }),
      ...(max_files !== undefined && { max_files }),
      ...(title !== undefined && { title: title === null ? null : parseTitle(title) }),
      ...(accent !== undefined && { accent: accent?.toLowerCase() ?? null }),
      ...(password !== undefined && { password_hash: password === null ? null : await this.#passwords.hash(password) }),
      ...(expires_at !== undefined && { expires_at: parseFileOptions({ expires_at }, this.now()).expiresAt ?? null }),
      ...(max_downloads !== undefined && { max_downloads }),
    };
  }
}

/** A share that shows files needs a folder. An upload request may be for the whole storage, of which visitors see nothing. */
const parsePrefix = (prefix: string, mode: Share['mode']): string =>
  mode === 'upload' && (prefix === '' || prefix === '/') ? '' : validatePrefix(prefix);
