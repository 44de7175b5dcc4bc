import type { ActivitiesTable } from '../drivers/metadata/identity-tables.js';

/**
 * The sender of a request as the creator of records. Upload tokens, S3 key pairs, shares and links store `keyId` and `memberId` and never
 * exceed the rights of both, see provenance.ts. The activity log names the author.
 */
export interface Creator {
  /** The API key that created the record; null if no key was used. */
  keyId: string | null;
  /** The workspace membership through which the record was created; null in the creator's own storage. */
  memberId: string | null;
  workspaceId: string | null;
  /** The user who acts, or the owner of the key. Null for `svc-blob` on the data, and for keys of accounts without a user. */
  userId: string | null;
  origin: ActivitiesTable['origin'];
}

/** `svc-blob` on the data. Its records are independent of keys and memberships. */
export const ADMIN_CREATOR: Creator = { keyId: null, memberId: null, workspaceId: null, userId: null, origin: 'admin' };

/** The service itself, or a client without a credential. */
export const SYSTEM_CREATOR: Creator = { ...ADMIN_CREATOR, origin: 'system' };

/** Describes a user who acts in person: by signing in, or by using a one-time link. */
export const userCreator = (userId: string | null): Creator => ({ ...ADMIN_CREATOR, userId, origin: 'user' });
