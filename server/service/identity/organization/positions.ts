import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Query } from '../../drivers/metadata/metadata.js';

/** Rows of one table that have the positions 0, 1, 2, … */
export interface OrderedRows {
  table: 'resource_folders' | 'folder_resources' | 'favorites';
  /** Condition that selects the rows. */
  where: RawBuilder<unknown>;
}

export async function countRows(query: Query, { table, where }: OrderedRows): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)} where ${where}`.execute(query);
  return Number(rows[0]!.count);
}

/** Closes the gap of a row that was at a position. */
export async function closeGap(query: Query, { table, where }: OrderedRows, position: number): Promise<void> {
  await sql`update ${sql.table(table)} set position = position - 1 where ${where} and position > ${position}`.execute(query);
}

/**
 * Makes room for a row. The caller sets the position of the row afterwards.
 * @param current position of the row; undefined for a new row.
 * @param requested positions beyond the end mean the end. @default the current position, or the end for a new row
 * @returns the position for the row.
 */
export async function makeRoom(
  query: Query,
  rows: OrderedRows,
  current: number | undefined,
  requested: number | undefined,
): Promise<number> {
  const count = await countRows(query, rows);
  const last = current === undefined ? count : count - 1;
  const target = Math.min(requested ?? current ?? last, last);
  if (target === current) return target;
  if (current !== undefined) await closeGap(query, rows, current);
  const { table, where } = rows;
  await sql`update ${sql.table(table)} set position = position + 1 where ${where} and position >= ${target}`.execute(query);
  return target;
}
