import { sql } from 'kysely';
import type { Core } from '../../server/service/core.js';

export interface InsertedFiles {
  /** Start of the keys; the number of the file follows, with seven digits. */
  prefix: string;
  count: number;
  /** @default "text/plain" */
  type?: string;
  /** ms since 1970 of the first file. Each further file is one ms later. @default 1 */
  updatedAt?: number;
  /** @default "main" */
  account?: string;
}

/**
 * Inserts rows of files without bytes, because uploading as many files would take minutes. File `n` has a size of `n` bytes in its row.
 * Works on SQLite and PostgreSQL.
 */
export async function insertFiles(core: Core, files: InsertedFiles): Promise<void> {
  const { prefix, count, type = 'text/plain', updatedAt = 1, account = 'main' } = files;
  const { accountId, bucketId } = (await core.accounts.mainStorage(account))!;
  await core.write(async (query) => {
    await sql`insert into files (id, account_id, bucket_id, key, size, content_type, headers_json, visibility, metadata_json, tags_json,
        sha256, etag, checksums_json, segments_json, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < cast(${count} as integer))
      select cast(${`file_${prefix}`} as text) || n, cast(${accountId} as text), cast(${bucketId} as text),
        cast(${prefix} as text) || substr(cast(10000000 + n as text), 2), n, cast(${type} as text), '{}', 'private', '{}', '{}', '', 'e',
        '{}', '[]', cast(${updatedAt} as bigint) + n - 1, cast(${updatedAt} as bigint) + n - 1
      from numbers`.execute(query);
    const bytes = (count * (count + 1)) / 2;
    const values = { account_id: accountId, slot: 0, files: count, bytes, public_files: 0 };
    await query
      .insertInto('usage')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'slot'])
          .doUpdateSet({ files: sql`usage.files + excluded.files`, bytes: sql`usage.bytes + excluded.bytes` }),
      )
      .execute();
  });
}
