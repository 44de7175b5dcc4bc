import type { Selectable } from 'kysely';
import { formatTime } from '../../../../src/protocol/time.js';
import type { ActivitiesTable } from '../../drivers/metadata/identity-tables.js';

/** An entry of the activity log as the API returns it. */
export interface ActivityRecord {
  id: string;
  status: ActivitiesTable['status'];
  target_type: string;
  target_id: string | null;
  workspace_id: string | null;
  author_id: string | null;
  author: string | null;
  origin: ActivitiesTable['origin'];
  action: string;
  details: Record<string, unknown>;
  created_at: string;
}

export const toActivityRecord = (row: Selectable<ActivitiesTable>): ActivityRecord => ({
  id: row.id,
  status: row.status,
  target_type: row.target_type,
  target_id: row.target_id,
  workspace_id: row.workspace_id,
  author_id: row.author_id,
  author: row.author,
  origin: row.origin,
  action: row.action,
  details: JSON.parse(row.details_json) as Record<string, unknown>,
  created_at: formatTime(row.created_at),
});
