import type { Selectable } from 'kysely';
import { BlobError, invalid } from '../../../src/protocol/errors.js';
import { assertPath, assertPrefix } from '../../../src/protocol/paths.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';
import { allowsAddress, CREATOR_COLUMNS, creatorIsActive, provenanceOf } from '../identity/provenance.js';
import type { Provenance } from '../identity/provenance.js';
import { lockAccount } from '../identity/lock-account.js';
import { newId } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import type { SharesTable } from '../drivers/metadata/tables.js';
import { hashPassword } from './passwords.js';
import { SharePasswords } from './share-passwords.js';
import type { Storage } from '../identity/credential.js';

/** One file or folder behind an unguessable link. */
export interface Share {
  id: string;
  storage: Storage;
  path: string | null;
  prefix: string | null;
  hasPassword: boolean;
  /** ms. */
  expiresAt: number | null;
  maxDownloads: number | null;
  downloads: number;
  createdAt: number;
}

/** The client that opens a share. */
export interface Visitor {
  /** The client's address. */
  address: string;
  password?: string | undefined;
}

export interface ShareFields {
  /** null takes it away. */
  password?: string | null;
  expires_at?: string | null;
  max_downloads?: number | null;
}

/** Shares of an account that have not expired. */
export const MAX_SHARES = 10_000;

const toShare = (row: Selectable<SharesTable>): Share => ({
  id: row.id,
  storage: { accountId: row.account_id, bucketId: row.bucket_id },
  path: row.path,
  prefix: row.prefix,
  hasPassword: row.password_hash !== null,
  expiresAt: row.expires_at,
  maxDownloads: row.max_downloads,
  downloads: row.downloads,
  createdAt: row.created_at,
});

/** Without its id, which may open a share again: details are logged. */
const notFound = () => new BlobError('NOT_FOUND', 'There is no such share.');

export class Shares {
  readonly #passwords: SharePasswords;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {
    this.#passwords = new SharePasswords(metadata);
  }

  /** @param keyId of the API key that creates it; null: independent. @throws `VALIDATION_ERROR`, `INVALID_PATH`. */
  async create(
    storage: Storage,
    keyId: string | null,
    what: { path?: string; prefix?: string },
    fields: ShareFields,
  ): Promise<Share> {
    if ((what.path === undefined) === (what.prefix === undefined)) throw invalid('path', 'or prefix must be named, and not both');
    const place = {
      path: what.path === undefined ? null : assertPath(what.path),
      prefix: what.prefix === undefined ? null : assertPrefix(what.prefix),
    };
    const columns = await this.#columns(fields);
    const row = await this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      await this.#assertMayCreate(query, storage);
      return query
        .insertInto('shares')
        .values({
          ...place,
          ...columns,
          id: newId('share'),
          account_id: storage.accountId,
          bucket_id: storage.bucketId,
          downloads: 0,
          created_at: this.now(),
          key_id: keyId,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return toShare(row);
  }

  /** @throws `VALIDATION_ERROR` */
  async #assertMayCreate(query: Query, { bucketId }: Storage): Promise<void> {
    const last = await query
      .selectFrom('shares')
      .select('id')
      .where('bucket_id', '=', bucketId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', this.now())]))
      .limit(1)
      .offset(MAX_SHARES - 1)
      .executeTakeFirst();
    if (last)
      throw invalid('path', `is refused: an account has at most ${MAX_SHARES} shares that have not expired`, {
        limit: MAX_SHARES,
      });
  }

  /** Newest first, without those whose creating key was revoked; `after` is an id, exclusive. */
  async list(storage: Storage, options: { limit: number; after?: string }): Promise<Share[]> {
    let query = this.metadata.db
      .selectFrom('shares')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where(creatorIsActive('shares.key_id'))
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

  async change(storage: Storage, id: string, fields: ShareFields): Promise<Share> {
    const columns = await this.#columns(fields);
    const row = await this.metadata.write((query) =>
      query
        .updateTable('shares')
        .set(columns)
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .where(creatorIsActive('shares.key_id'))
        .returningAll()
        .executeTakeFirst(),
    );
    if (!row) throw notFound();
    return toShare(row);
  }

  async delete(storage: Storage, id: string): Promise<void> {
    const gone = await this.metadata.write((query) =>
      query.deleteFrom('shares').where('bucket_id', '=', storage.bucketId).where('id', '=', id).executeTakeFirst(),
    );
    if (gone.numDeletedRows === 0n) throw notFound();
  }

  /**
   * A share for whoever has its link and its password. The answer is the same for a share that is unknown, over or used up, whose creating
   * key has ended or may no longer read, and for an address that the key does not allow.
   * @returns `password` when there is one and this is not it. @throws `NOT_FOUND`, `RATE_LIMIT_EXCEEDED` after too many wrong passwords.
   */
  async open(id: string, { address, password }: Visitor): Promise<Share | 'password'> {
    const found = await this.#find(id);
    if (!found?.provenance.mayRead || !allowsAddress(found.provenance, address)) throw notFound();
    const { row } = found;
    const share = toShare(row);
    if (this.#isOver(share)) throw notFound();
    if (row.password_hash === null) return share;
    const isRight = password !== undefined && (await this.#passwords.isRight(row.id, row.password_hash, password, address));
    return isRight ? share : 'password';
  }

  /** Takes one download, atomically. @throws `NOT_FOUND` when there is none left. */
  async countDownload(id: string): Promise<void> {
    const counted = await this.metadata.write((query) =>
      query
        .updateTable('shares')
        .set((e) => ({ downloads: e('downloads', '+', 1) }))
        .where('id', '=', id)
        .where(creatorIsActive('shares.key_id'))
        .where((e) => e.or([e('max_downloads', 'is', null), e('downloads', '<', e.ref('max_downloads'))]))
        .executeTakeFirst(),
    );
    if (counted.numUpdatedRows === 0n) throw notFound();
  }

  #isOver({ expiresAt, maxDownloads, downloads }: Share): boolean {
    return (expiresAt !== null && expiresAt <= this.now()) || (maxDownloads !== null && downloads >= maxDownloads);
  }

  /** @returns undefined also when the creating key was revoked. */
  async #find(id: string): Promise<{ row: Selectable<SharesTable>; provenance: Provenance } | undefined> {
    const row = await this.metadata.db
      .selectFrom('shares')
      .leftJoin('api_keys', 'api_keys.id', 'shares.key_id')
      .selectAll('shares')
      .select(CREATOR_COLUMNS)
      .where('shares.id', '=', id)
      .executeTakeFirst();
    const provenance = row && provenanceOf(row);
    return provenance && { row, provenance };
  }

  async #columns({ password, expires_at, max_downloads }: ShareFields) {
    return {
      ...(password !== undefined && { password_hash: password === null ? null : await hashPassword(password) }),
      ...(expires_at !== undefined && { expires_at: parseFileOptions({ expires_at }, this.now()).expiresAt ?? null }),
      ...(max_downloads !== undefined && { max_downloads }),
    };
  }
}
