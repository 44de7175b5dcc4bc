import { BlobError } from '../../../../src/protocol/errors.js';
import type { TokenInvalidReason } from '../../../../src/protocol/errors.js';
import { RESUMABLE, UPLOAD_GRACE_SECONDS } from '../../../../src/protocol/limits.js';
import { CREATOR_COLUMNS, creatingKey, provenanceOf } from '../../identity/provenance.js';
import { holdOffRevocation } from '../../identity/revocation-lock.js';
import { scopeDenied } from '../../identity/scopes.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { statement } from '../../drivers/metadata/prepared-query.js';
import type { BlobsContext } from '../context.js';
import type { Credential, Upload } from '../types.js';

const REASONS: Record<TokenInvalidReason, string> = {
  unknown: 'The upload token is unknown.',
  expired: 'The upload token has expired.',
  revoked: 'The upload token was revoked.',
  exhausted: 'All uses of the upload token are spent.',
  key_revoked: 'The key that created the upload token was revoked, or may no longer write.',
};

export const tokenInvalid = (reason: TokenInvalidReason): BlobError =>
  new BlobError('BLOB_UPLOAD_TOKEN_INVALID', REASONS[reason], { details: { reason } });

const tokenAndKey = statement<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('upload_tokens')
    .leftJoin('api_keys', 'api_keys.id', 'upload_tokens.key_id')
    .select(['upload_tokens.revoked_at', 'upload_tokens.expires_at', 'upload_tokens.key_id'])
    .select(CREATOR_COLUMNS)
    .where('upload_tokens.id', '=', id),
);

const countUse = statement<{ id: string }>()((query, { id }) =>
  query
    .updateTable('upload_tokens')
    .set((e) => ({ uses: e('uses', '+', 1) }))
    .where('id', '=', id)
    .whereRef('uses', '<', 'max_uses'),
);

const pairAndKey = statement<{ id: string }>()((query, { id }) =>
  query
    .selectFrom('s3_credentials')
    .leftJoin('api_keys', 'api_keys.id', 's3_credentials.key_id')
    .select('s3_credentials.key_id')
    .select(CREATOR_COLUMNS)
    .where('s3_credentials.id', '=', id)
    .where('s3_credentials.revoked_at', 'is', null),
);

/** Why a token opens nothing now, or undefined. Uses are judged by `takeUse` alone. */
async function tokenProblem(query: Query, id: string): Promise<{ reason?: TokenInvalidReason; expiresAt: number }> {
  const token = await tokenAndKey.first(query, { id });
  if (!token) return { reason: 'unknown', expiresAt: 0 };
  if (token.revoked_at !== null) return { reason: 'revoked', expiresAt: token.expires_at };
  if (!provenanceOf(token)?.mayWrite) return { reason: 'key_revoked', expiresAt: token.expires_at };
  return { expiresAt: token.expires_at };
}

/** Whether a token was not revoked and its creating key still allows uploads. */
export const mayTokenWrite = async (query: Query, id: string): Promise<boolean> =>
  (await tokenProblem(query, id)).reason === undefined;

/** Takes one use, atomically: of parallel takers no more succeed than there are uses. @throws `BLOB_UPLOAD_TOKEN_INVALID`. */
export async function takeUse(query: Query, tokenId: string, now: number): Promise<void> {
  const taken = await countUse.run(query, { id: tokenId });
  const { reason, expiresAt } = await tokenProblem(query, tokenId);
  if (reason) throw tokenInvalid(reason);
  if (expiresAt <= now) throw tokenInvalid('expired');
  if (taken === 0) throw tokenInvalid('exhausted');
}

/**
 * Until when an unfinished resumable upload is kept that a credential has begun or continued just now: a day, and an hour after the end of a
 * token. An upload that nobody may continue would hold its storage for nothing.
 */
export async function keptUntil(query: Query, credential: Credential, now: number): Promise<number> {
  const latest = now + RESUMABLE.keepSeconds * 1000;
  if (credential.kind !== 'token') return latest;
  const { expiresAt } = await tokenProblem(query, credential.id);
  return Math.min(latest, expiresAt + UPLOAD_GRACE_SECONDS * 1000);
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

const usesOf = statement<{ id: string }>()((query, { id }) =>
  query.selectFrom('upload_tokens').select(['uses', 'max_uses']).where('id', '=', id),
);
const uploadOfKey = statement<{ claim: string }>()((query, { claim }) =>
  query.selectFrom('idempotency').select('token_id').where('id', '=', claim),
);
const uploadOfToken = statement<{ id: string }>()((query, { id }) =>
  query.selectFrom('idempotency').select('id').where('token_id', '=', id).limit(1),
);

/**
 * Judges a token before its request's body is read, where that has to be read to find the file in it. A spent token gets no further, unless
 * the request may be the repeat of an upload: by its key, or, where the keys stand in the body, because the token has made an upload with a key.
 * @param claim id of the request's idempotency key; undefined for a request without one.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`.
 */
export async function assertMayStart(
  query: Query,
  credential: Credential,
  claim: string | 'in the body' | undefined,
  now: number,
): Promise<void> {
  if (credential.kind !== 'token') return;
  const { id } = credential;
  const { reason, expiresAt } = await tokenProblem(query, id);
  if (reason) throw tokenInvalid(reason);
  const token = await usesOf.first(query, { id });
  const isExpired = expiresAt <= now;
  if (!isExpired && token && token.uses < token.max_uses) return;
  if (claim === 'in the body') {
    if (await uploadOfToken.first(query, { id })) return;
  } else if (claim !== undefined) {
    const upload = await uploadOfKey.first(query, { claim });
    if (upload && (!isExpired || upload.token_id === id)) return;
  }
  throw tokenInvalid(isExpired ? 'expired' : 'exhausted');
}

/** Looks before a commit. Expiry counts from the start of the upload, revocation counts now. */
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
  const [, maker] = accountable(upload, credential);
  const isMaker = isSame(credential, upload.credential);
  await assertStillAllowed(query, credential, isMaker ? upload.createdAt : startedAt, now);
  if (maker) await assertNotRevoked(query, maker);
}

const isSame = (one: Credential, other: Credential): boolean => one.kind === other.kind && one.id === other.id;

/** The credentials whose revocation ends an upload of several requests: the sender's and, of a resumable upload, also its maker's. */
export const accountable = (upload: Pick<Upload, 'kind' | 'credential'>, sender: Credential): Credential[] =>
  upload.kind === 'tus' && !isSame(sender, upload.credential) ? [sender, upload.credential] : [sender];

/**
 * The last step before the commit, when the transaction waits for no more locks: a revocation that was answered meanwhile counts, and one that
 * comes now is answered after the commit. @throws as `assertNotRevoked` does.
 */
export async function assertNotRevokedAtCommit(
  { metadata }: Pick<BlobsContext, 'metadata'>,
  query: Query,
  ...credentials: Credential[]
): Promise<void> {
  // Transactions of SQLite run one after the other: the look at the start still holds.
  if (metadata.dialect === 'sqlite') return;
  for (const credential of credentials) {
    await holdOffRevocation(metadata, query, credential);
    // A statement of its own sees what was committed while the one above waited.
    await assertNotRevoked(query, credential);
  }
}

/**
 * Judges a credential and the key that created it, whatever their expiry.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`, `API_KEY_INVALID` when revoked; `API_KEY_SCOPE_DENIED` when the key may no longer write.
 */
export async function assertNotRevoked(query: Query, credential: Credential): Promise<void> {
  if (credential.kind === 'token') {
    const { reason } = await tokenProblem(query, credential.id);
    if (reason) throw tokenInvalid(reason);
    return;
  }
  const row = await (credential.kind === 'key' ? creatingKey : pairAndKey).first(query, { id: credential.id });
  const provenance = row && provenanceOf(row);
  if (!provenance) throw new BlobError('API_KEY_INVALID', 'The key was revoked while the upload ran.');
  if (!provenance.mayWrite) throw scopeDenied('blob:write');
}
