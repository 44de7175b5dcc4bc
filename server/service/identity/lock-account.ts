import type { Metadata, Query } from '../drivers/metadata/metadata.js';

/**
 * Locks an account until the transaction ends, so that parallel requests cannot exceed a limit together.
 * @returns whether the account exists.
 */
export async function lockAccount({ forUpdate }: Metadata, query: Query, id: string): Promise<boolean> {
  const select = query.selectFrom('accounts').select('id').where('id', '=', id);
  return (await forUpdate(select).executeTakeFirst()) !== undefined;
}
