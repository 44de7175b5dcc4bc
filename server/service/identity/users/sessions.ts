import { randomBytes } from 'node:crypto';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { hashSecret, newId } from '../../runtime/ids.js';
import type { Storage } from '../credential.js';
import { waitForCommits } from '../revocation-lock.js';

const DAY_MS = 86_400_000;
/** A session ends after this time without a request. */
export const IDLE_MS = 14 * DAY_MS;
/** A session ends this long after the sign-in. */
export const LIFETIME_MS = 30 * DAY_MS;
/** The time of the last request is written at most once in this interval. */
const TOUCH_INTERVAL_MS = 5 * 60_000;
/** Sessions of one user. A further sign-in ends the one that was used longest ago. */
export const MAX_SESSIONS = 100;
/** Characters that are kept of a `User-Agent`. */
const MAX_USER_AGENT = 256;

/** An authenticated session. */
export interface Session {
  id: string;
  userId: string;
  isAdmin: boolean;
  /** The storage of the user's account. */
  storage: Storage;
}

/** The browser or program that signs in. */
export interface SignInClient {
  ip: string;
  userAgent: string;
  /** The session cookie that the browser has so far. Its session ends, because the new cookie replaces it and no sign-out could end it. */
  replacedCookie?: string | undefined;
}

/** A session in a list. Times are ms since 1970. */
export interface SessionEntry {
  id: string;
  ip: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
}

export const sessionEnded = (): BlobError => new BlobError('AUTH_TOKEN_MISSING', 'Your session has ended. Sign in again.');

const bySecret = preparedQuery<{ hash: string }>()((query, { hash }) =>
  query
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('buckets', 'buckets.account_id', 'users.account_id')
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.created_at',
      'sessions.last_used_at',
      'users.is_admin',
      'users.account_id',
      'buckets.id as bucket_id',
    ])
    .where('sessions.secret_hash', '=', hash)
    .where('users.disabled_at', 'is', null)
    .where('buckets.is_main', '=', 1),
);

/** Stores the sessions of users. All replicas read them from the database for each request, so an ended session ends everywhere at once. */
export class Sessions {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /**
   * Starts a session in the transaction of a sign-in, and ends the one that it replaces.
   * @returns the value of the cookie: 256 random bits, stored as a hash.
   */
  async start(query: Query, userId: string, client: SignInClient): Promise<string> {
    if (client.replacedCookie !== undefined) await this.#endBySecret(query, client.replacedCookie);
    await this.#makeRoom(query, userId);
    const secret = randomBytes(32).toString('base64url');
    const now = this.now();
    await query
      .insertInto('sessions')
      .values({
        id: newId('ses'),
        user_id: userId,
        secret_hash: hashSecret(secret),
        ip: client.ip,
        user_agent: client.userAgent.slice(0, MAX_USER_AGENT),
        created_at: now,
        last_used_at: now,
      })
      .execute();
    return secret;
  }

  /** Finds the session of a cookie. @throws `AUTH_TOKEN_MISSING` if it is unknown or has ended, or if its user is disabled. */
  async authenticate(secret: string): Promise<Session> {
    const row = await bySecret.first(this.metadata.db, { hash: hashSecret(secret) });
    const now = this.now();
    if (!row || now >= row.created_at + LIFETIME_MS || now >= row.last_used_at + IDLE_MS) throw sessionEnded();
    if (now >= row.last_used_at + TOUCH_INTERVAL_MS) await this.#touch(row.id, now);
    return {
      id: row.id,
      userId: row.user_id,
      isAdmin: row.is_admin === 1,
      storage: { accountId: row.account_id, bucketId: row.bucket_id },
    };
  }

  async #touch(id: string, now: number): Promise<void> {
    await this.metadata.write(
      (query) => query.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute(),
      { durable: false },
    );
  }

  /** Lists the sessions of a user that have not ended, newest first. */
  async list(userId: string): Promise<SessionEntry[]> {
    const now = this.now();
    const rows = await this.metadata.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('created_at', '>', now - LIFETIME_MS)
      .where('last_used_at', '>', now - IDLE_MS)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      ip: row.ip,
      userAgent: row.user_agent,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** Ends one session of a user. Uploads that use it fail at their commit. @returns false if the user has no such session. */
  async end(query: Query, userId: string, id: string): Promise<boolean> {
    await waitForCommits(this.metadata, query, id);
    const result = await query.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows > 0n;
  }

  async #endBySecret(query: Query, secret: string): Promise<void> {
    const select = query.selectFrom('sessions').select(['id', 'user_id']).where('secret_hash', '=', hashSecret(secret));
    const session = await select.executeTakeFirst();
    if (session) await this.end(query, session.user_id, session.id);
  }

  /** Ends the sessions that exceed the limit with another one. */
  async #makeRoom(query: Query, userId: string): Promise<void> {
    const ofUser = query.selectFrom('sessions').select('id').where('user_id', '=', userId);
    const newest = ofUser
      .orderBy('last_used_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_SESSIONS - 1);
    const exceeding = await ofUser.where('id', 'not in', newest).orderBy('id').execute();
    for (const { id } of exceeding) await this.end(query, userId, id);
  }

  /** Ends all sessions of a user. @param exceptId the id of a session that stays. */
  async endAll(query: Query, userId: string, exceptId?: string): Promise<void> {
    const rows = await query.selectFrom('sessions').select('id').where('user_id', '=', userId).orderBy('id').execute();
    for (const { id } of rows) if (id !== exceptId) await this.end(query, userId, id);
  }
}
