import { validationError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { Language } from '../../drivers/metadata/identity-tables.js';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Creator } from '../creator.js';
import { linkInvalid } from './first-administrator.js';
import type { PersonalData } from './first-administrator.js';
import type { OneTimeLinks } from './one-time-links.js';
import { assertNewPassword } from './passwords.js';
import type { PasswordHasher } from './passwords.js';
import { parseEmail, parseName } from './user-fields.js';
import { emailKey } from './users.js';
import type { UserRecord, Users } from './users.js';

/** An invitation is valid for a week. */
const LIFETIME_MS = 7 * 86_400_000;

/** A new invitation. */
export interface Invitation {
  id: string;
  email: string;
  /** The secret of the link, shown once. */
  secret: string;
  expires_at: string;
}

/** Lets administrators invite users by one-time links. */
export class Invitations {
  constructor(
    private readonly metadata: Metadata,
    private readonly stores: { users: Users; links: OneTimeLinks; passwords: PasswordHasher },
    private readonly now: () => number,
  ) {}

  /**
   * Creates an invitation. It replaces an earlier one for the same address.
   * @param creator an administrator, or `svc-blob` on the data.
   * @throws `VALIDATION_ERROR` if the address is invalid or belongs to a user; `FORBIDDEN` if the creator is no administrator.
   */
  async create(creator: Creator, options: { email: string; language?: Language }): Promise<Invitation> {
    const email = parseEmail(options.email);
    return this.metadata.write(async (query) => {
      const inviter = creator.userId === null ? undefined : await this.stores.users.findById(creator.userId, query);
      if (creator.origin !== 'admin' && inviter?.is_admin !== 1)
        throw platformError('FORBIDDEN', 'Only an administrator may invite users.');
      if (await this.stores.users.findByEmail(email, query)) throw validationError('email', 'belongs to another user');
      await query.deleteFrom('one_time_links').where('kind', '=', 'invitation').where('email', '=', emailKey(email)).execute();
      const { id, secret, expiresAt } = await this.stores.links.create(query, {
        kind: 'invitation',
        lifetime: LIFETIME_MS,
        email: emailKey(email),
        createdBy: creator.userId,
        ...(options.language && { language: options.language }),
      });
      await recordActivity(query, creator, this.now(), {
        accountId: inviter?.account_id ?? null,
        action: 'user.invited',
        targetType: 'invitation',
        targetId: id,
        details: { email },
      });
      return { id, email, secret, expires_at: formatTime(expiresAt) };
    });
  }

  /** Creates the invited user. @throws `VALIDATION_ERROR`; `NOT_FOUND` if the link is not valid. */
  async accept(secret: string, data: PersonalData, signal?: AbortSignal): Promise<UserRecord> {
    const { users, links, passwords } = this.stores;
    const name = parseName(data.name);
    assertNewPassword(data.password);
    if (!(await links.isValid('invitation', secret))) throw linkInvalid();
    const passwordHash = await passwords.hash(data.password, signal);
    return this.metadata.write(async (query) => {
      const link = await links.claim(query, 'invitation', secret);
      if (!link?.email) throw linkInvalid();
      const language = link.language ?? data.language;
      return users.add(query, 'self', { name, email: link.email, passwordHash, ...(language && { language }) });
    });
  }
}
