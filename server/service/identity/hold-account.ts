import type { Metadata, Query } from '../drivers/metadata/metadata.js';

/**
 * Holds an account for the rest of a transaction, so that several who make something at once cannot pass a limit together.
 * @returns whether there is such an account.
 */
export async function holdAccount({ locking }: Metadata, query: Query, id: string): Promise<boolean> {
  const select = query.selectFrom('accounts').select('id').where('id', '=', id);
  return (await locking(select).executeTakeFirst()) !== undefined;
}
