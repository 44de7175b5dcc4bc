import type { Selectable } from 'kysely';
import { validationError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { Language, UsersTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { newId, randomText } from '../../runtime/ids.js';
import type { Accounts } from '../accounts.js';

/** A user as the API returns it (identity, "Users"). */
export interface UserRecord {
  id: string;
  name: string;
  email: string;
  language: Language;
  workspace_invites_enabled: boolean;
  plan_id: number;
  is_admin: boolean;
  created_at: string;
  updated_at: string;
}

export const toUserRecord = (row: Selectable<UsersTable>): UserRecord => ({
  id: row.id,
  name: row.name,
  email: row.email,
  language: row.language,
  workspace_invites_enabled: row.workspace_invites_enabled === 1,
  plan_id: row.plan_id,
  is_admin: row.is_admin === 1,
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});

/** A user to create. The caller has validated its fields. */
export interface NewUser {
  name: string;
  email: string;
  passwordHash: string;
  /** @default "en-us" */
  language?: Language;
  /** @default false */
  isAdmin?: boolean;
  accountId?: string;
}

/** Emails are unique without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();

/** Stores users. Each user owns one account. */
export class Users {
  constructor(
    private readonly metadata: Metadata,
    private readonly accounts: Accounts,
    private readonly now: () => number,
  ) {}

  /**
   * Creates a user and the account that it owns, in the transaction of the caller.
   * @param options.accountId an existing account that the user takes over. @default a new account
   * @throws `VALIDATION_ERROR` if the email is taken.
   */
  async create(query: Query, options: NewUser): Promise<UserRecord> {
    const { name, email, passwordHash, language = 'en-us', isAdmin = false } = options;
    const now = this.now();
    const id = newId('user');
    const accountId = options.accountId ?? `u-${randomText(20)}`;
    await this.accounts.ensureIn(query, accountId);
    const row = await query
      .insertInto('users')
      .values({
        id,
        account_id: accountId,
        name,
        email,
        email_key: emailKey(email),
        password_hash: passwordHash,
        language,
        workspace_invites_enabled: 1,
        plan_id: 1,
        is_admin: isAdmin ? 1 : 0,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!row) throw validationError('email', 'belongs to another user');
    return toUserRecord(row);
  }

  /** @throws `USER_NOT_FOUND` */
  async get(id: string): Promise<UserRecord> {
    const row = await this.metadata.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) throw platformError('USER_NOT_FOUND', 'There is no such user.');
    return toUserRecord(row);
  }

  /** Whether any user exists. Without users, the service works with keys created on its data. */
  async exist(query: Query = this.metadata.db): Promise<boolean> {
    return (await query.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  }
}
