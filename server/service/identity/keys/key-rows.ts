import type { Selectable } from 'kysely';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { API_KEY } from '../../../../src/protocol/limits.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { ApiKeysTable } from '../../drivers/metadata/tables.js';
import { lockAccount } from '../lock-account.js';

/** Finds a key by the hash of its secret, or of the secret before its last rotation. */
export const byHash = preparedQuery<{ hash: string }>()((query, { hash }) =>
  query
    .selectFrom('api_keys')
    .innerJoin('buckets', 'buckets.account_id', 'api_keys.account_id')
    .leftJoin('users', 'users.account_id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select(['buckets.id as bucket_id', 'users.id as user_id', 'users.plan_id', 'users.disabled_at as user_disabled_at'])
    .where((e) => e.or([e('api_keys.secret_hash', '=', hash), e('api_keys.previous_hash', '=', hash)]))
    .where('buckets.is_main', '=', 1),
);

export const keyInvalid = (): BlobError => new BlobError('API_KEY_INVALID', 'The API key is not valid.');

export const keyNotFound = (id: string): BlobError =>
  platformError('API_KEY_NOT_FOUND', `There is no API key ${id}.`, { details: { id } });

const activeKeys = (query: Query, accountId: string) =>
  query.selectFrom('api_keys').where('account_id', '=', accountId).where('revoked_at', 'is', null);

/** Locks an active key until the transaction ends. @throws `API_KEY_NOT_FOUND` */
export async function lockKey(
  { forUpdate }: Metadata,
  query: Query,
  accountId: string,
  id: string,
): Promise<Selectable<ApiKeysTable>> {
  const row = await forUpdate(activeKeys(query, accountId).selectAll().where('id', '=', id)).executeTakeFirst();
  if (!row) throw keyNotFound(id);
  return row;
}

/** Locks the oldest active key of a name that no OAuth client received. */
export const lockKeyOfName = (
  { forUpdate }: Metadata,
  query: Query,
  accountId: string,
  name: string,
): Promise<Selectable<ApiKeysTable> | undefined> =>
  forUpdate(
    activeKeys(query, accountId)
      .selectAll()
      .where('name', '=', name)
      .where('oauth_client_json', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1),
  ).executeTakeFirst();

/**
 * Locks an account that may get another key. Parallel requests cannot exceed the limit, and a user who is being disabled gets no key.
 * @throws `VALIDATION_ERROR`, `API_KEY_LIMIT_REACHED`
 */
export async function lockAccountForNewKey(metadata: Metadata, query: Query, accountId: string): Promise<void> {
  if (!(await lockAccount(metadata, query, accountId))) throw validationError('account', `must exist; got "${accountId}"`);
  const user = await metadata
    .forUpdate(query.selectFrom('users').select('disabled_at').where('account_id', '=', accountId))
    .executeTakeFirst();
  if (user && user.disabled_at !== null) throw validationError('account', 'belongs to a disabled user; enable the user first');
  const { count } = await activeKeys(query, accountId)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= API_KEY.perAccount)
    throw platformError(
      'API_KEY_LIMIT_REACHED',
      `The account has ${API_KEY.perAccount} API keys, the maximum. Revoke one first.`,
      { details: { limit: API_KEY.perAccount } },
    );
}
