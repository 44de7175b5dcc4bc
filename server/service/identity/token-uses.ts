import { BlobError } from '../../../src/protocol/errors.js';
import type { TokenInvalidReason } from '../../../src/protocol/errors.js';
import type { Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential } from './credential.js';
import { creatorColumns, provenanceOf } from './provenance.js';

const REASONS: Record<TokenInvalidReason, string> = {
  unknown: 'The upload token is unknown.',
  expired: 'The upload token has expired.',
  revoked: 'The upload token was revoked.',
  exhausted: 'All uses of the upload token are spent.',
  key_revoked: 'The key that created the upload token was revoked, or may no longer write.',
};

export const tokenInvalid = (reason: TokenInvalidReason): BlobError =>
  new BlobError('BLOB_UPLOAD_TOKEN_INVALID', REASONS[reason], { details: { reason } });

const tokenAndKey = preparedQuery<{ id: string }>()((query, { id }, dialect) =>
  query
    .selectFrom('upload_tokens')
    .leftJoin('api_keys', 'api_keys.id', 'upload_tokens.key_id')
    .leftJoin('shares', 'shares.id', 'upload_tokens.share_id')
    .select(['upload_tokens.share_id', 'shares.id as found_share_id', 'shares.expires_at as share_expires_at'])
    .select(['upload_tokens.revoked_at', 'upload_tokens.expires_at', 'upload_tokens.key_id', 'upload_tokens.member_id'])
    .select(creatorColumns('upload_tokens', dialect))
    .where('upload_tokens.id', '=', id),
);

const countUse = preparedQuery<{ id: string }>()((query, { id }) =>
  query
    .updateTable('upload_tokens')
    .set((e) => ({ uses: e('uses', '+', 1) }))
    .where('id', '=', id)
    .whereRef('uses', '<', 'max_uses'),
);

const countShareUse = preparedQuery<{ shareId: string }>()((query, { shareId }) =>
  query
    .updateTable('shares')
    .set((e) => ({ files_received: e('files_received', '+', 1) }))
    .where('id', '=', shareId)
    .where((e) => e.or([e('max_files', 'is', null), e('files_received', '<', e.ref('max_files'))])),
);

const usesOf = preparedQuery<{ id: string }>()((query, { id }) =>
  query.selectFrom('upload_tokens').select(['uses', 'max_uses']).where('id', '=', id),
);
const uploadOfKey = preparedQuery<{ keyId: string }>()((query, { keyId }) =>
  query.selectFrom('idempotency').select('token_id').where('id', '=', keyId),
);
const uploadOfToken = preparedQuery<{ id: string }>()((query, { id }) =>
  query.selectFrom('idempotency').select('id').where('token_id', '=', id).limit(1),
);

/** The state of a stored token without its uses. */
export interface TokenState {
  /** Present when the token is unknown or revoked, or when its key was revoked or may no longer write. */
  reason?: TokenInvalidReason;
  /** ms since 1970. 0 for an unknown token. */
  expiresAt: number;
  /** The share that issued the token. */
  shareId: string | null;
}

/** Reads whether a token and the key that created it still permit uploads. Ignores expiry and uses. */
export async function readTokenState(query: Query, id: string): Promise<TokenState> {
  const token = await tokenAndKey.first(query, { id });
  if (!token) return { reason: 'unknown', expiresAt: 0, shareId: null };
  const shareId = token.share_id;
  const expiresAt = Math.min(token.expires_at, token.share_expires_at ?? Infinity);
  const isShareDeleted = shareId !== null && token.found_share_id === null;
  if (token.revoked_at !== null || isShareDeleted) return { reason: 'revoked', expiresAt, shareId };
  if (!provenanceOf(token)?.mayWrite) return { reason: 'key_revoked', expiresAt, shareId };
  return { expiresAt, shareId };
}

/** Reads the state of a token. Ignores its uses. @throws `BLOB_UPLOAD_TOKEN_INVALID` for an unknown, revoked or expired token. */
export async function readValidToken(query: Query, tokenId: string, now: number): Promise<TokenState> {
  const state = await readTokenState(query, tokenId);
  if (state.reason) throw tokenInvalid(state.reason);
  if (state.expiresAt <= now) throw tokenInvalid('expired');
  return state;
}

/**
 * Takes one use of a token in the transaction that reserves an upload. The update is conditional on `uses < max_uses`, so parallel uploads
 * never take more uses than the token has, nor more files than the share that issued it accepts.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`; the transaction then rolls back and the use is not taken.
 */
export async function takeUse(query: Query, tokenId: string, now: number): Promise<void> {
  const taken = await countUse.run(query, { id: tokenId });
  const { shareId } = await readValidToken(query, tokenId, now);
  if (taken === 0) throw tokenInvalid('exhausted');
  if (shareId !== null && (await countShareUse.run(query, { shareId })) === 0) throw tokenInvalid('exhausted');
}

/** Gives one use back in the transaction that deletes the reservation of a failed upload. */
export async function giveUseBack(query: Query, tokenId: string): Promise<void> {
  await query
    .updateTable('upload_tokens')
    .set((e) => ({ uses: e('uses', '-', 1) }))
    .where('id', '=', tokenId)
    .where('uses', '>', 0)
    .execute();
  const token = await query.selectFrom('upload_tokens').select('share_id').where('id', '=', tokenId).executeTakeFirst();
  const shareId = token?.share_id ?? null;
  if (shareId === null) return;
  await query
    .updateTable('shares')
    .set((e) => ({ files_received: e('files_received', '-', 1) }))
    .where('id', '=', shareId)
    .where('files_received', '>', 0)
    .execute();
}

/**
 * Validates a token before the service parses a request body to find the file in it. A token without uses left passes only if the request may
 * repeat a finished upload: it carries that upload's idempotency key, or its keys are in the body and the token has made an upload with a key.
 * @param idempotencyId id of the request's idempotency key, see `idempotencyId`; undefined for a request without one.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`.
 */
export async function assertMayStart(
  query: Query,
  credential: Credential,
  idempotencyId: string | 'in the body' | undefined,
  now: number,
): Promise<void> {
  if (credential.kind !== 'token') return;
  const { id } = credential;
  const { reason, expiresAt } = await readTokenState(query, id);
  if (reason) throw tokenInvalid(reason);
  const token = await usesOf.first(query, { id });
  const isExpired = expiresAt <= now;
  if (!isExpired && token && token.uses < token.max_uses) return;
  if (idempotencyId === 'in the body') {
    if (await uploadOfToken.first(query, { id })) return;
  } else if (idempotencyId !== undefined) {
    const upload = await uploadOfKey.first(query, { keyId: idempotencyId });
    if (upload && (!isExpired || upload.token_id === id)) return;
  }
  throw tokenInvalid(isExpired ? 'expired' : 'exhausted');
}

/**
 * Decides whether a credential may receive the stored result of an upload. The token that made the upload may do so after its expiry; another
 * token only while it is valid.
 * @param uploaderId id of the token that made the upload, or null.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`.
 */
export async function assertMayRepeat(
  query: Query,
  credential: Credential,
  uploaderId: string | null,
  now: number,
): Promise<void> {
  if (credential.kind !== 'token') return;
  const { reason, expiresAt } = await readTokenState(query, credential.id);
  if (reason) throw tokenInvalid(reason);
  if (credential.id !== uploaderId && expiresAt <= now) throw tokenInvalid('expired');
}
