import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Creator } from '../creator.js';
import { waitForCommits } from '../revocation-lock.js';
import type { Sessions } from './sessions.js';
import { userNotFound } from './users.js';

/** Disables and enables users. */
export class UserStatus {
  constructor(
    private readonly metadata: Metadata,
    private readonly sessions: Sessions,
    private readonly now: () => number,
  ) {}

  /**
   * Disables a user with everything that acts for the user: sessions, API keys, S3 key pairs, upload tokens and pending invitations. Running uploads
   * fail at their commit. Files, shares and public links stay.
   * @returns false if the user was disabled already. @throws `USER_NOT_FOUND`
   */
  async disable(userId: string, creator: Creator): Promise<boolean> {
    return this.metadata.write(async (query) => {
      const user = await this.#lock(query, userId);
      if (user.disabled_at !== null) return false;
      const accountId = user.account_id;
      const now = this.now();
      for (const id of await locksOf(query, userId, accountId)) await waitForCommits(this.metadata, query, id);
      await query.updateTable('users').set({ disabled_at: now, updated_at: now }).where('id', '=', userId).execute();
      for (const table of ['api_keys', 's3_credentials'] as const)
        await query.updateTable(table).set({ disabled_at: now }).where('account_id', '=', accountId).execute();
      await query
        .updateTable('upload_tokens')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .execute();
      await query.deleteFrom('one_time_links').where('created_by', '=', userId).execute();
      await this.sessions.endAll(query, userId);
      await this.#record(query, creator, accountId, userId, 'user.disabled');
      return true;
    });
  }

  /** Enables a user, with the API keys and S3 key pairs. Sessions and upload tokens do not come back. @returns false if the user was enabled. */
  async enable(userId: string, creator: Creator): Promise<boolean> {
    return this.metadata.write(async (query) => {
      const user = await this.#lock(query, userId);
      if (user.disabled_at === null) return false;
      await query.updateTable('users').set({ disabled_at: null, updated_at: this.now() }).where('id', '=', userId).execute();
      for (const table of ['api_keys', 's3_credentials'] as const)
        await query.updateTable(table).set({ disabled_at: null }).where('account_id', '=', user.account_id).execute();
      await this.#record(query, creator, user.account_id, userId, 'user.enabled');
      return true;
    });
  }

  /** Locks the user, so that no sign-in starts a session meanwhile. */
  async #lock(query: Query, userId: string): Promise<{ account_id: string; disabled_at: number | null }> {
    const select = query.selectFrom('users').select(['account_id', 'disabled_at']).where('id', '=', userId);
    const user = await this.metadata.forUpdate(select).executeTakeFirst();
    if (!user) throw userNotFound();
    return user;
  }

  async #record(query: Query, creator: Creator, accountId: string, userId: string, action: ActivityAction): Promise<void> {
    await recordActivity(query, creator, this.now(), { accountId, action, targetType: 'user', targetId: userId });
  }
}

/**
 * Lists the ids of everything that can commit for the user, in the order in which all revocations lock: ascending. The id of the account stands for
 * its upload tokens, whose number has no limit. The id of the user stands for its jobs.
 */
async function locksOf(query: Query, userId: string, accountId: string): Promise<string[]> {
  const keys = await query
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute();
  const pairs = await query
    .selectFrom('s3_credentials')
    .select('id')
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute();
  const sessions = await query.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();
  const members = await query.selectFrom('workspace_members').select('id').where('user_id', '=', userId).execute();
  return [accountId, userId, ...[...keys, ...pairs, ...sessions, ...members].map(({ id }) => id)].sort();
}
