import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Language, OneTimeLinksTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { hashSecret, newId } from '../../runtime/ids.js';

export interface NewOneTimeLink {
  kind: OneTimeLinksTable['kind'];
  /** ms */
  lifetime: number;
  email?: string;
  language?: Language;
  /** The administrator who creates it. */
  createdBy?: string | null;
}

/** Stores links that work once. Only hashes of their secrets are stored. */
export class OneTimeLinks {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Creates a link. @returns its secret, 256 random bits, which the caller shows once. */
  async create(query: Query, options: NewOneTimeLink): Promise<{ id: string; secret: string; expiresAt: number }> {
    const { kind, lifetime, email = null, language = null, createdBy = null } = options;
    const secret = randomBytes(32).toString('base64url');
    const id = newId('link');
    const now = this.now();
    const expiresAt = now + lifetime;
    await query.deleteFrom('one_time_links').where('expires_at', '<=', now).execute();
    await query
      .insertInto('one_time_links')
      .values({
        id,
        kind,
        secret_hash: hashSecret(secret),
        email,
        language,
        created_by: createdBy,
        created_at: now,
        expires_at: expiresAt,
      })
      .execute();
    return { id, secret, expiresAt };
  }

  /** Returns whether a link can still be used. Claiming it decides. */
  async isValid(kind: OneTimeLinksTable['kind'], secret: string): Promise<boolean> {
    const select = this.metadata.db.selectFrom('one_time_links').select('id').where('kind', '=', kind);
    const row = await select
      .where('secret_hash', '=', hashSecret(secret))
      .where('expires_at', '>', this.now())
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Uses a link up in the transaction of its effect. One of several parallel claims gets the link. @returns undefined if it is unknown, used or expired. */
  async claim(query: Query, kind: OneTimeLinksTable['kind'], secret: string): Promise<Selectable<OneTimeLinksTable> | undefined> {
    return query
      .deleteFrom('one_time_links')
      .where('kind', '=', kind)
      .where('secret_hash', '=', hashSecret(secret))
      .where('expires_at', '>', this.now())
      .returningAll()
      .executeTakeFirst();
  }
}
