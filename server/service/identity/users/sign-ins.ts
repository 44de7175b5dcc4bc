import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { BlobError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { UsersTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import { userCreator } from '../creator.js';
import type { Creator } from '../creator.js';
import { AttemptLimiter } from '../limits/attempt-limiter.js';
import type { Attempt } from '../limits/attempt-limiter.js';
import type { PasswordHasher } from './passwords.js';
import type { Sessions, SignInClient } from './sessions.js';
import { emailKey, toUserRecord } from './users.js';
import type { UserRecord, Users } from './users.js';

const MINUTE_MS = 60_000;
/** Wrong passwords for one account. */
const ACCOUNT_LIMITS = {
  scope: 'sign_in',
  perNetwork: { attempts: 10, windowMs: 15 * MINUTE_MS },
  perTarget: { attempts: 100, windowMs: 60 * MINUTE_MS },
} as const;
/** Wrong passwords of one network for all accounts together. */
const NETWORK_LIMITS = { scope: 'sign_in', perNetwork: { attempts: 100, windowMs: 15 * MINUTE_MS } } as const;

/** `limited`: refused without a comparison, because too many attempts failed before. */
export type SignInResult = 'success' | 'failure' | 'limited';

export interface SignedIn {
  user: UserRecord;
  /** The value of the session cookie. */
  cookie: string;
}

/** Creates the error for an unknown user, a wrong password and a disabled user alike. */
export const invalidCredentials = (): BlobError =>
  platformError('INVALID_CREDENTIALS', 'The email or the password is not correct. Check both and try again.');

/**
 * Names an account in the counters without its email. The name is no secret, because anyone with the email can compute it.
 * It does not depend on whether the user exists, so limits do not reveal that.
 */
const accountTarget = (email: string): string =>
  `sign-in:${createHash('sha256').update(emailKey(email.trim())).digest('base64url')}`;

/** Starts sessions of users with an email and a password, and ends them. */
export class SignIns {
  /** Is called after each attempt to sign in with a password. */
  onAttempt: (result: SignInResult) => void = () => {};
  readonly #byAccount: AttemptLimiter;
  readonly #byNetwork: AttemptLimiter;

  constructor(
    private readonly metadata: Metadata,
    private readonly stores: { users: Users; sessions: Sessions; passwords: PasswordHasher },
    private readonly now: () => number,
  ) {
    this.#byAccount = new AttemptLimiter(metadata, ACCOUNT_LIMITS);
    this.#byNetwork = new AttemptLimiter(metadata, NETWORK_LIMITS);
  }

  /**
   * Compares a password and starts a session with a new id. An unknown user costs the same hash as a wrong password and gets the same response.
   * @throws `INVALID_CREDENTIALS`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
   */
  async signIn(
    { email, password }: { email: string; password: string },
    client: SignInClient,
    signal?: AbortSignal,
  ): Promise<SignedIn> {
    // A refused sign-in must not write to the database, because writes delay uploads.
    this.stores.passwords.assertNotBusy();
    const attempt = await this.countAttempt(email, client.ip).catch((cause: unknown) => {
      this.onAttempt('limited');
      throw cause;
    });
    const user = await this.stores.users.findByEmail(email.trim());
    const match = await this.stores.passwords.compare(password, user?.password_hash, signal).catch(async (cause: unknown) => {
      await attempt.uncount();
      throw cause;
    });
    if (!user || !match.isCorrect || user.disabled_at !== null) {
      this.onAttempt('failure');
      await this.#recordFailure(user, client);
      throw invalidCredentials();
    }
    await attempt.uncount();
    const newHash = match.isOutdated ? await this.stores.passwords.hash(password, signal) : undefined;
    const signedIn = await this.#start(user, client, newHash);
    this.onAttempt('success');
    return signedIn;
  }

  /** Counts an attempt to enter the password of an account. @throws `RATE_LIMIT_EXCEEDED` */
  async countAttempt(email: string, ip: string): Promise<Attempt> {
    const byNetwork = await this.#byNetwork.begin('sign-in', ip);
    const byAccount = await this.#byAccount.begin(accountTarget(email), ip);
    return { uncount: async () => void (await Promise.all([byNetwork.uncount(), byAccount.uncount()])) };
  }

  /** Starts the session of a user who has just been created with a one-time link. */
  async startFor({ id }: UserRecord, client: SignInClient): Promise<SignedIn> {
    const user = await this.stores.users.findById(id);
    if (!user || user.disabled_at !== null) throw invalidCredentials();
    return this.#start(user, client);
  }

  /** Ends one session of a user. @returns false if the user has no such session. */
  async signOut(creator: Creator, userId: string, sessionId: string): Promise<boolean> {
    return this.metadata.write(async (query) => {
      if (!(await this.stores.sessions.end(query, userId, sessionId))) return false;
      await this.#recordEnd(query, creator, userId, sessionId);
      return true;
    });
  }

  /** Ends all sessions of a user but one. */
  async signOutElsewhere(creator: Creator, userId: string, exceptId: string): Promise<void> {
    await this.metadata.write(async (query) => {
      await this.stores.sessions.endAll(query, userId, exceptId);
      await this.#recordEnd(query, creator, userId, null);
    });
  }

  async #recordEnd(query: Query, creator: Creator, userId: string, sessionId: string | null): Promise<void> {
    const user = await this.stores.users.findById(userId, query);
    await recordActivity(query, creator, this.now(), {
      accountId: user?.account_id ?? null,
      action: sessionId === null ? 'session.all_others_ended' : 'session.ended',
      targetType: 'session',
      targetId: sessionId,
    });
  }

  async #start(user: Selectable<UsersTable>, client: SignInClient, newHash?: string): Promise<SignedIn> {
    return this.metadata.write(async (query) => {
      // The user may have been disabled, and the password changed, while it was compared.
      const current = await this.metadata
        .forUpdate(query.selectFrom('users').selectAll().where('id', '=', user.id))
        .executeTakeFirst();
      if (!current || current.disabled_at !== null || current.password_hash !== user.password_hash) throw invalidCredentials();
      if (newHash !== undefined)
        await query.updateTable('users').set({ password_hash: newHash }).where('id', '=', user.id).execute();
      const cookie = await this.stores.sessions.start(query, user.id, client);
      await recordActivity(query, userCreator(user.id), this.now(), {
        accountId: user.account_id,
        action: 'user.signed_in',
        targetType: 'user',
        targetId: user.id,
        details: { ip: client.ip },
      });
      return { user: toUserRecord(current), cookie };
    });
  }

  /** Records a failure. The email of an unknown user is left out, because people enter passwords there by mistake. */
  async #recordFailure(user: Selectable<UsersTable> | undefined, { ip }: SignInClient): Promise<void> {
    await this.metadata.write((query) =>
      recordActivity(query, userCreator(null), this.now(), {
        accountId: user?.account_id ?? null,
        action: 'user.sign_in_failed',
        targetType: 'user',
        targetId: user?.id ?? null,
        status: 'failure',
        details: { ip },
      }),
    );
  }
}
