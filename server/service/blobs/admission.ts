import { BlobError } from '../../../src/protocol/errors.js';
import type { TokenInvalidReason } from '../../../src/protocol/errors.js';
import { UPLOAD_GRACE_SECONDS } from '../../../src/protocol/limits.js';
import type { Query } from '../metadata/metadata.js';
import { statement } from '../metadata/prepared.js';
import type { Credential, Upload } from './types.js';

const REASONS: Record<TokenInvalidReason, string> = {
  unknown: 'The upload token is unknown.',
  expired: 'The upload token has expired.',
  revoked: 'The upload token was revoked.',
  exhausted: 'All uses of the upload token are spent.',
  key_revoked: 'The key that made the upload token was revoked.',
};

export const tokenInvalid = (reason: TokenInvalidReason): BlobError =>
  new BlobError('BLOB_UPLOAD_TOKEN_INVALID', REASONS[reason], { details: { reason } });

const tokenAndKey = statement<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('upload_tokens')
    .leftJoin('api_keys', 'api_keys.id', 'upload_tokens.key_id')
    .select([
      'upload_tokens.revoked_at',
      'upload_tokens.expires_at',
      'api_keys.revoked_at as key_revoked_at',
      'api_keys.id as key_id',
    ])
    .where('upload_tokens.id', '=', id),
);

const countUse = statement<{ id: string }>()((query, { id }) =>
  query
    .updateTable('upload_tokens')
    .set((e) => ({ uses: e('uses', '+', 1) }))
    .where('id', '=', id)
    .whereRef('uses', '<', 'max_uses'),
);

const keyRevoked = statement<{ id: string }>()((query, { id }) =>
  query.selectFrom('api_keys').select('revoked_at').where('id', '=', id),
);
const pairRevoked = statement<{ id: string }>()((query, { id }) =>
  query.selectFrom('s3_credentials').select('revoked_at').where('id', '=', id),
);

/** Why a token opens nothing now, or undefined. Uses are judged by `takeUse` alone. */
async function tokenProblem(query: Query, id: string): Promise<{ reason?: TokenInvalidReason; expiresAt: number }> {
  const token = await tokenAndKey.first(query, { id });
  if (!token) return { reason: 'unknown', expiresAt: 0 };
  if (token.revoked_at !== null) return { reason: 'revoked', expiresAt: token.expires_at };
  if (token.key_id === null || token.key_revoked_at !== null) return { reason: 'key_revoked', expiresAt: token.expires_at };
  return { expiresAt: token.expires_at };
}

/** Takes one use, atomically: of parallel takers no more succeed than there are uses. @throws `BLOB_UPLOAD_TOKEN_INVALID`. */
export async function takeUse(query: Query, tokenId: string, now: number): Promise<void> {
  const taken = await countUse.run(query, { id: tokenId });
  const { reason, expiresAt } = await tokenProblem(query, tokenId);
  if (reason) throw tokenInvalid(reason);
  if (expiresAt <= now) throw tokenInvalid('expired');
  if (taken === 0) throw tokenInvalid('exhausted');
}

export async function giveUseBack(query: Query, tokenId: string): Promise<void> {
  await query
    .updateTable('upload_tokens')
    .set((e) => ({ uses: e('uses', '-', 1) }))
    .where('id', '=', tokenId)
    .where('uses', '>', 0)
    .execute();
}

/** Whether a token may fetch the answer of an upload that was done: by itself always, of another's while it is valid. */
export async function assertMayRepeat(query: Query, credential: Credential, doneBy: string | null, now: number): Promise<void> {
  if (credential.kind !== 'token') return;
  const { reason, expiresAt } = await tokenProblem(query, credential.id);
  if (reason) throw tokenInvalid(reason);
  if (credential.id !== doneBy && expiresAt <= now) throw tokenInvalid('expired');
}

/** The last look before a commit. Expiry counts from the start of the upload, revocation counts now. */
export async function assertStillAllowed(query: Query, credential: Credential, startedAt: number, now: number): Promise<void> {
  await assertNotRevoked(query, credential);
  if (credential.kind === 'token' && now > startedAt + UPLOAD_GRACE_SECONDS * 1000) throw tokenInvalid('expired');
}

/**
 * The last look before bytes of an upload of several requests count, whoever sends them. A token's hour counts from the creation for the upload
 * it made, else from the request it sends. What a resumable upload's maker may no more, nobody does in its name; an S3 upload is anybody's who
 * may write to its place.
 */
export async function assertMayGoOn(
  query: Query,
  upload: Pick<Upload, 'kind' | 'credential' | 'createdAt'>,
  sender: { credential: Credential; startedAt: number },
  now: number,
): Promise<void> {
  const { credential, startedAt } = sender;
  const isMaker = credential.kind === upload.credential.kind && credential.id === upload.credential.id;
  await assertStillAllowed(query, credential, isMaker ? upload.createdAt : startedAt, now);
  if (upload.kind === 'tus' && !isMaker) await assertNotRevoked(query, upload.credential);
}

/** @throws 401 when what a credential stands for was revoked; expiry is no matter here. */
export async function assertNotRevoked(query: Query, credential: Credential): Promise<void> {
  if (credential.kind === 'token') {
    const { reason } = await tokenProblem(query, credential.id);
    if (reason) throw tokenInvalid(reason);
    return;
  }
  const row = await (credential.kind === 'key' ? keyRevoked : pairRevoked).first(query, { id: credential.id });
  if (!row || row.revoked_at !== null) throw new BlobError('API_KEY_INVALID', 'The key was revoked while the upload ran.');
}
