import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';

/** Tables with rows of an account. Counters and usage are excluded, because every request may change them. */
const TABLES = [
  'api_keys',
  's3_credentials',
  'buckets',
  'files',
  'upload_tokens',
  'uploads',
  'parts',
  'resumables',
  'shares',
  'rules',
  'domains',
] as const;

export interface AccountRow {
  table: (typeof TABLES)[number];
  /** Key of the file that the row belongs to, if any. */
  key: string | undefined;
  /** All columns except those that count uses and downloads, the time of the last use, and that of a domain's last check, which readers start. */
  json: string;
}

/** Reads every row that account `main` owns, so that tests can compare them before and after a request. */
export async function readMainRows({ db }: Metadata): Promise<AccountRow[]> {
  const tables = await Promise.all(
    TABLES.map(async (table) => {
      const rows: Record<string, unknown>[] = await db.selectFrom(table).selectAll().execute();
      return rows.map((row) => {
        const { uses: _, downloads: __, last_used_at: ___, checked_at: ____, ...compared } = row;
        return { table, row: compared };
      });
    }),
  );
  const all = tables.flat();
  const keyOfUpload = new Map(all.filter(({ table }) => table === 'uploads').map(({ row }) => [row['id'], row['key']]));
  return all
    .filter(({ row }) => (row['account_id'] ?? 'main') === 'main')
    .map(({ table, row }) => {
      const key = table === 'parts' ? keyOfUpload.get(row['upload_id']) : row['key'];
      return { table, key: key as string | undefined, json: JSON.stringify(row) };
    });
}

/** Compares rows. A changed row counts as deleted and added. */
export function changesOf(
  before: readonly AccountRow[],
  after: readonly AccountRow[],
): { gone: AccountRow[]; added: AccountRow[] } {
  const [old, current] = [before, after].map((rows) => new Set(rows.map(({ table, json }) => table + json)));
  return {
    gone: before.filter(({ table, json }) => !current!.has(table + json)),
    added: after.filter(({ table, json }) => !old!.has(table + json)),
  };
}

export const isBelow = (folder: string, { key }: AccountRow): boolean => key?.startsWith(`${folder}/`) ?? false;
