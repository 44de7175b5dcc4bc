import { BlobError } from '../../../../src/protocol/errors.js';
import type { Language } from '../../drivers/metadata/identity-tables.js';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import { FIRST_ACCOUNT } from '../first-account.js';
import { lockAccount } from '../lock-account.js';
import type { OneTimeLinks } from './one-time-links.js';
import { assertNewPassword } from './passwords.js';
import type { PasswordHasher } from './passwords.js';
import { parseEmail, parseName } from './user-fields.js';
import type { UserRecord, Users } from './users.js';

/** A set-up link is valid for this time. */
const LIFETIME_MS = 30 * 60_000;

/** Fields that the claimer of a one-time link enters. */
export interface PersonalData {
  name: string;
  password: string;
  language?: Language;
}

export const linkInvalid = (): BlobError =>
  new BlobError('NOT_FOUND', 'This link is not valid. It may have been used, replaced by a newer one, or expired.');

/** Creates the first administrator with a one-time link, which the operator reads on the machine of the service. */
export class FirstAdministrator {
  constructor(
    private readonly metadata: Metadata,
    private readonly stores: { users: Users; links: OneTimeLinks; passwords: PasswordHasher },
  ) {}

  /** Returns whether the set-up is still open: no user exists. */
  async isMissing(): Promise<boolean> {
    return !(await this.stores.users.exist());
  }

  /** Replaces the set-up link by a new one. @returns its secret; undefined if a user exists. */
  async renewLink(): Promise<string | undefined> {
    return this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, FIRST_ACCOUNT);
      await query.deleteFrom('one_time_links').where('kind', '=', 'setup').execute();
      if (await this.stores.users.exist(query)) return undefined;
      return (await this.stores.links.create(query, { kind: 'setup', lifetime: LIFETIME_MS })).secret;
    });
  }

  /**
   * Creates the first administrator, who takes over the account `main`. The link is used up in the same transaction, so of parallel claims one
   * succeeds.
   * @throws `VALIDATION_ERROR`; `NOT_FOUND` if the link is not valid or a user exists.
   */
  async claim(secret: string, data: PersonalData & { email: string }, signal?: AbortSignal): Promise<UserRecord> {
    const { users, links, passwords } = this.stores;
    const email = parseEmail(data.email);
    const name = parseName(data.name);
    assertNewPassword(data.password);
    // Hashes are slow, so only valid links cause one.
    if (!(await links.isValid('setup', secret))) throw linkInvalid();
    const passwordHash = await passwords.hash(data.password, signal);
    return this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, FIRST_ACCOUNT);
      const link = await links.claim(query, 'setup', secret);
      if (!link || (await users.exist(query))) throw linkInvalid();
      const { language } = data;
      return users.add(query, 'self', { name, email, passwordHash, isAdmin: true, ...(language && { language }) });
    });
  }
}
