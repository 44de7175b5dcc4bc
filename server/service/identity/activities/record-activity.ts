import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import { newId } from '../../runtime/ids.js';
import type { ActivitiesTable } from '../../drivers/metadata/identity-tables.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { Creator } from '../creator.js';

/** A change to record. */
export interface Activity {
  /** The account that was acted on; null if it is unknown. */
  accountId: string | null;
  action: ActivityAction;
  targetType: string;
  targetId?: string | null;
  /** @default "success" */
  status?: ActivitiesTable['status'];
  /** Never contains a secret. @default {} */
  details?: Readonly<Record<string, unknown>>;
}

/** Writes an entry of the activity log in the transaction of the change, so that both exist or neither. */
export async function recordActivity(query: Query, creator: Creator, now: number, activity: Activity): Promise<void> {
  const { accountId, action, targetType, targetId = null, status = 'success', details = {} } = activity;
  await query
    .insertInto('activities')
    .values({
      id: newId('act'),
      account_id: accountId,
      workspace_id: creator.workspaceId,
      status,
      target_type: targetType,
      target_id: targetId,
      author_id: creator.userId ?? creator.keyId,
      author: await creatorName(query, creator),
      origin: creator.origin,
      action,
      details_json: JSON.stringify(details),
      created_at: now,
    })
    .execute();
}

/** Reads the name at the time of the change. A later change of the name does not change the log. */
export async function creatorName(query: Query, { userId, keyId }: Creator): Promise<string | null> {
  const table = userId === null ? 'api_keys' : 'users';
  const id = userId ?? keyId;
  if (id === null) return null;
  const row = await query.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst();
  return row?.name ?? null;
}
