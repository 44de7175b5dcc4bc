import { BlobError } from '../../../src/protocol/errors.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential } from './credential.js';
import { CREATOR_COLUMNS, creatingKey, provenanceOf } from './provenance.js';
import { lockAgainstRevocation } from './revocation-lock.js';
import { scopeDenied } from './scopes.js';
import { readTokenState, tokenInvalid } from './token-uses.js';

const pairAndKey = preparedQuery<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('s3_credentials')
    .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
    .select('s3_credentials.key_id')
    .select(CREATOR_COLUMNS)
    .where('s3_credentials.id', '=', id)
    .where('s3_credentials.revoked_at', 'is', null),
);

/**
 * Validates a credential and the key that created it. Ignores expiry.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`, `API_KEY_INVALID` when revoked; `API_KEY_SCOPE_DENIED` when the key may no longer write.
 */
export async function assertNotRevoked(query: Query, credential: Credential): Promise<void> {
  if (credential.kind === 'token') {
    const { reason } = await readTokenState(query, credential.id);
    if (reason) throw tokenInvalid(reason);
    return;
  }
  const row = await (credential.kind === 'key' ? creatingKey : pairAndKey).first(query, { id: credential.id });
  const provenance = row && provenanceOf(row);
  if (!provenance) throw new BlobError('API_KEY_INVALID', 'The key was revoked while the upload ran.');
  if (!provenance.mayWrite) throw scopeDenied('blob:write');
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
