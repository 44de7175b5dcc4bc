import type { Query } from '../../drivers/metadata/metadata.js';

/** Credentials that ended with a revoked key. Temporary links end too, but have no record. */
export interface RevokedWithKey {
  /** Tokens that could still start an upload. */
  uploadTokens: number;
  s3Credentials: { id: string; name: string }[];
  shares: { path: string | null; prefix: string | null }[];
  webhooks: { id: string; url: string }[];
}

/** Finds the active credentials that a key created. */
export async function findRevokedWithKey(query: Query, keyId: string, now: number): Promise<RevokedWithKey> {
  const { count } = await query
    .selectFrom('upload_tokens')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirstOrThrow();
  const s3Credentials = await query
    .selectFrom('s3_credentials')
    .select(['id', 'name'])
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const shares = await query
    .selectFrom('shares')
    .select(['path', 'prefix'])
    .where('key_id', '=', keyId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .where((e) => e.or([e('max_downloads', 'is', null), e('downloads', '<', e.ref('max_downloads'))]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const webhooks = await query
    .selectFrom('webhooks')
    .select(['id', 'url'])
    .where('key_id', '=', keyId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { uploadTokens: Number(count), s3Credentials, shares, webhooks };
}
