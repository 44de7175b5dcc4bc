import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Creator } from '../creator.js';
import type { Session } from './sessions.js';
import type { Sessions } from './sessions.js';
import { assertNewPassword } from './passwords.js';
import type { PasswordHasher } from './passwords.js';
import { invalidCredentials } from './sign-ins.js';
import type { SignIns } from './sign-ins.js';
import { userNotFound } from './users.js';
import type { Users } from './users.js';

/** A change of the own password. */
export interface PasswordChange {
  current: string;
  next: string;
  /** Whether all other sessions of the user end. */
  endOtherSessions: boolean;
}

/** Changes and resets passwords of users. */
export class UserPasswords {
  constructor(
    private readonly metadata: Metadata,
    private readonly stores: { users: Users; sessions: Sessions; passwords: PasswordHasher; signIns: SignIns },
    private readonly now: () => number,
  ) {}

  /**
   * Changes the password of a signed-in user.
   * @throws `INVALID_CREDENTIALS` if the current password is wrong; `RATE_LIMIT_EXCEEDED`; `VALIDATION_ERROR` for a weak new password.
   */
  async change(session: Session, creator: Creator, change: PasswordChange, ip: string, signal?: AbortSignal): Promise<void> {
    const { users, passwords, signIns, sessions } = this.stores;
    assertNewPassword(change.next);
    const user = await users.findById(session.userId);
    if (!user) throw userNotFound();
    const attempt = await signIns.countAttempt(user.email, ip);
    const match = await passwords.compare(change.current, user.password_hash, signal).catch(async (cause: unknown) => {
      await attempt.uncount();
      throw cause;
    });
    if (!match.isCorrect) throw invalidCredentials();
    await attempt.uncount();
    const hash = await passwords.hash(change.next, signal);
    await this.metadata.write(async (query) => {
      if (!(await this.#store(query, { id: user.id, hash, previous: user.password_hash }))) throw invalidCredentials();
      if (change.endOtherSessions) await sessions.endAll(query, user.id, session.id);
      await this.#record(query, creator, user.account_id, user.id);
    });
  }

  /** Sets the password of a user without the old one and ends the sessions of the user. @throws `USER_NOT_FOUND`, `VALIDATION_ERROR` */
  async reset(userId: string, creator: Creator, password: string): Promise<void> {
    assertNewPassword(password);
    const user = await this.stores.users.findById(userId);
    if (!user) throw userNotFound();
    const hash = await this.stores.passwords.hash(password);
    await this.metadata.write(async (query) => {
      await this.#store(query, { id: userId, hash });
      await this.stores.sessions.endAll(query, userId);
      await this.#record(query, creator, user.account_id, userId);
    });
  }

  /** @param change.previous the stored hash that the new one may replace. @returns whether it did. */
  async #store(query: Query, { id, hash, previous }: { id: string; hash: string; previous?: string }): Promise<boolean> {
    let update = query.updateTable('users').set({ password_hash: hash, updated_at: this.now() }).where('id', '=', id);
    if (previous !== undefined) update = update.where('password_hash', '=', previous);
    return (await update.executeTakeFirst()).numUpdatedRows > 0n;
  }

  async #record(query: Query, creator: Creator, accountId: string, userId: string): Promise<void> {
    await recordActivity(query, creator, this.now(), {
      accountId,
      action: 'user.password_changed',
      targetType: 'user',
      targetId: userId,
    });
  }
}
