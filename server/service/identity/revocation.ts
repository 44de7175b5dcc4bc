import { BlobError } from '../../../src/protocol/errors.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential } from './credential.js';
import { creatingKey, creatorColumns, memberPermissions, provenanceOf } from './provenance.js';
import { lockAgainstRevocation } from './revocation-lock.js';
import { scopeDenied } from './scopes.js';
import { sessionEnded } from './users/sessions.js';
import { permissionDenied } from './workspaces/permissions.js';
import type { Permission } from './workspaces/permissions.js';
import { readTokenState, tokenInvalid } from './token-uses.js';

const pairAndKey = preparedQuery<{ id: string }>()((query, { id }, dialect) =>
  query
    .selectFrom('s3_credentials')
    .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
    .select(['s3_credentials.key_id', 's3_credentials.member_id'])
    .select(creatorColumns('s3_credentials', dialect))
    .where('s3_credentials.id', '=', id)
    .where('s3_credentials.revoked_at', 'is', null)
    .where('s3_credentials.disabled_at', 'is', null),
);

const sessionOf = preparedQuery<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where('sessions.id', '=', id)
    .where('users.disabled_at', 'is', null),
);

/**
 * Validates a credential, the key that created it, and the membership through which it acts. Ignores expiry.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`, `API_KEY_INVALID`, `AUTH_TOKEN_MISSING` when revoked; `API_KEY_SCOPE_DENIED` when the key may no longer
 * write; `WORKSPACE_PERMISSION_DENIED` when the member may no longer write.
 */
export async function assertNotRevoked(query: Query, credential: Credential): Promise<void> {
  await assertMemberMayWrite(query, credential);
  if (credential.kind === 'token') {
    const { reason } = await readTokenState(query, credential.id);
    if (reason) throw tokenInvalid(reason);
    return;
  }
  if (credential.kind === 'session') {
    if (!(await sessionOf.first(query, { id: credential.id }))) throw sessionEnded();
    return;
  }
  const row = await (credential.kind === 'key' ? creatingKey : pairAndKey).first(query, { id: credential.id });
  const provenance = row && provenanceOf(row);
  if (!provenance) throw new BlobError('API_KEY_INVALID', 'The key was revoked while the upload ran.');
  if (!provenance.mayWrite) throw scopeDenied('blob:write');
}

async function assertMemberMayWrite(query: Query, { member }: Credential): Promise<void> {
  if (!member) return;
  const row = await memberPermissions.first(query, { memberId: member.id, accountId: member.accountId });
  const permissions = JSON.parse(row?.permissions_json ?? '[]') as Permission[];
  if (!permissions.includes('blob:manage')) throw permissionDenied('blob:manage');
}

/**
 * Validates credentials again as the last step before a commit, when the transaction waits for no more locks. A revocation that completed
 * before this call rejects the commit. A later revocation completes after the commit.
 * @throws as `assertNotRevoked` does.
 */
export async function assertNotRevokedAtCommit(metadata: Metadata, query: Query, ...credentials: Credential[]): Promise<void> {
  // SQLite runs one transaction at a time, so the check at the start of the transaction still holds.
  if (metadata.dialect === 'sqlite') return;
  for (const credential of credentials) {
    await lockAgainstRevocation(metadata, query, credential);
    // A separate statement sees revocations that committed while the lock was awaited.
    await assertNotRevoked(query, credential);
  }
}
