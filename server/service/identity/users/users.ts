import type { Selectable } from 'kysely';
import { validationError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { Language, UsersTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { newId, randomText } from '../../runtime/ids.js';
import type { Accounts } from '../accounts.js';
import { recordActivity } from '../activities/record-activity.js';
import { userCreator } from '../creator.js';
import type { Creator } from '../creator.js';
import { FIRST_ACCOUNT } from '../first-account.js';
import { lockAccount } from '../lock-account.js';

/** A user as the API returns it. */
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
  /** An existing account that the user takes over. @default a new account */
  accountId?: string;
}

/** Fields of a profile that users change themselves. */
export interface ProfileChange {
  name?: string;
  language?: Language;
  workspace_invites_enabled?: boolean;
}

/** A user in a list for administrators. */
export interface ListedUser extends UserRecord {
  disabled_at: string | null;
}

export const userNotFound = () => platformError('USER_NOT_FOUND', 'There is no such user.');

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
    const row = await this.findById(id);
    if (!row) throw userNotFound();
    return toUserRecord(row);
  }

  async findById(id: string, query: Query = this.metadata.db): Promise<Selectable<UsersTable> | undefined> {
    return query.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Finds a user by email, without regard to case. */
  async findByEmail(email: string, query: Query = this.metadata.db): Promise<Selectable<UsersTable> | undefined> {
    return query.selectFrom('users').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();
  }

  /** Lists all users, oldest first. */
  async list(): Promise<ListedUser[]> {
    const rows = await this.metadata.db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map((row) => ({
      ...toUserRecord(row),
      disabled_at: row.disabled_at === null ? null : formatTime(row.disabled_at),
    }));
  }

  /** Changes the profile of a user. @throws `USER_NOT_FOUND` */
  async change(
    id: string,
    creator: Creator,
    { workspace_invites_enabled: invites, ...fields }: ProfileChange,
  ): Promise<UserRecord> {
    return this.metadata.write(async (query) => {
      const row = await query
        .updateTable('users')
        .set({
          ...fields,
          ...(invites !== undefined && { workspace_invites_enabled: invites ? 1 : 0 }),
          updated_at: this.now(),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw userNotFound();
      const changed = [...Object.keys(fields), ...(invites === undefined ? [] : ['workspace_invites_enabled'])];
      await recordActivity(query, creator, this.now(), {
        accountId: row.account_id,
        action: 'user.changed',
        targetType: 'user',
        targetId: id,
        details: { fields: changed },
      });
      return toUserRecord(row);
    });
  }

  /**
   * Creates a user and records it. The first administrator takes over the account `main`, with the files and keys from before there were users.
   * @throws `VALIDATION_ERROR` if the email is taken.
   */
  async add(query: Query, creator: Creator | 'self', options: Omit<NewUser, 'accountId'>): Promise<UserRecord> {
    const takesMain = options.isAdmin === true && (await this.#isMainFree(query));
    const user = await this.create(query, { ...options, ...(takesMain && { accountId: FIRST_ACCOUNT }) });
    const { account_id: accountId } = await query
      .selectFrom('users')
      .select('account_id')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    await recordActivity(query, creator === 'self' ? userCreator(user.id) : creator, this.now(), {
      accountId,
      action: 'user.created',
      targetType: 'user',
      targetId: user.id,
      details: { is_admin: user.is_admin },
    });
    return user;
  }

  /** Returns whether no user owns the account `main`. Locks it, so that parallel requests get one answer. */
  async #isMainFree(query: Query): Promise<boolean> {
    await lockAccount(this.metadata, query, FIRST_ACCOUNT);
    const owner = query.selectFrom('users').select('id').where('account_id', '=', FIRST_ACCOUNT);
    return (await owner.executeTakeFirst()) === undefined;
  }

  /** Returns whether any user exists. Without users, the service works with keys created on its data. */
  async exist(query: Query = this.metadata.db): Promise<boolean> {
    return (await query.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
  }
}
