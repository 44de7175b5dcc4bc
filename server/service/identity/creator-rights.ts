import { BlobError } from '../../../src/protocol/errors.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import type { Creator } from './creator.js';
import { creatingKey, memberPermissions, provenanceOf } from './provenance.js';
import { lockIdsAgainstRevocation } from './revocation-lock.js';
import { scopeDenied } from './scopes.js';
import type { Scope } from './scopes.js';
import { PERMISSION_OF_SCOPE, permissionDenied } from './workspaces/permissions.js';
import type { Permission } from './workspaces/permissions.js';

type Sender = Pick<Creator, 'keyId' | 'memberId' | 'userId'>;

/**
 * Validates that the creator of a record may still act on an account with these scopes: its key, its membership, and without a key its user. A session
 * that ended does not matter, because people sign out while their work continues.
 * @throws `API_KEY_INVALID`, `API_KEY_SCOPE_DENIED`, `AUTH_TOKEN_MISSING`, `WORKSPACE_PERMISSION_DENIED`.
 */
export async function assertCreatorMay(
  query: Query,
  { keyId, memberId, userId }: Sender,
  accountId: string,
  scopes: readonly Scope[],
): Promise<void> {
  if (keyId !== null) await assertKeyMay(query, keyId, scopes);
  else if (userId !== null) await assertUserIsEnabled(query, userId);
  if (memberId === null) return;
  const row = await memberPermissions.first(query, { memberId, accountId });
  const permissions = JSON.parse(row?.permissions_json ?? '[]') as Permission[];
  for (const scope of scopes) {
    const required = PERMISSION_OF_SCOPE[scope];
    if (required && !permissions.includes(required)) throw permissionDenied(required);
  }
}

/** Does the same as the last step before a commit, see `assertNotRevokedAtCommit`. */
export async function assertCreatorMayAtCommit(
  metadata: Metadata,
  query: Query,
  creator: Sender,
  accountId: string,
  scopes: readonly Scope[],
): Promise<void> {
  // SQLite runs one transaction at a time, so the check at the start of the transaction still holds.
  if (metadata.dialect === 'sqlite') return;
  const { keyId, memberId, userId } = creator;
  await lockIdsAgainstRevocation(query, [keyId ?? userId, memberId]);
  await assertCreatorMay(query, creator, accountId, scopes);
}

async function assertKeyMay(query: Query, id: string, scopes: readonly Scope[]): Promise<void> {
  const row = await creatingKey.first(query, { id });
  const rights = row && provenanceOf(row);
  if (!rights) throw new BlobError('API_KEY_INVALID', 'The API key was revoked.');
  for (const scope of scopes)
    if (!(scope === 'blob:read' ? rights.mayRead : scope === 'blob:write' && rights.mayWrite)) throw scopeDenied(scope);
}

async function assertUserIsEnabled(query: Query, id: string): Promise<void> {
  const user = await query.selectFrom('users').select('disabled_at').where('id', '=', id).executeTakeFirst();
  if (!user || user.disabled_at !== null) throw new BlobError('AUTH_TOKEN_MISSING', 'The user was disabled.');
}
