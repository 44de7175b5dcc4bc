import { BlobError } from '../../../../src/protocol/errors.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Activity } from '../activities/record-activity.js';
import type { Caller } from '../workspaces/caller.js';
import type { Membership } from '../workspaces/memberships.js';
import { changeWorkspace } from '../workspaces/workspace-change.js';
import type { WorkspaceContext } from '../workspaces/workspace-change.js';

/** Kinds of resources that folders and favorites accept. This service has no applications and databases, so no user can access one. */
export const RESOURCE_TYPES = ['application', 'database', 'bucket'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export interface Resource {
  type: ResourceType;
  /** The name of a bucket. */
  id: string;
}

/** The folders and favorites of one user: personal ones, or those in a workspace. Other users have their own. */
export interface View {
  userId: string;
  /** Empty for the personal view. */
  workspaceId: string;
  /** The account whose resources the view contains. */
  accountId: string;
  /** Whether the user may see the buckets of the account. */
  seesBuckets: boolean;
}

export const personalView = ({ userId, accountId }: Caller): View => ({ userId, accountId, workspaceId: '', seesBuckets: true });

export const workspaceView = (userId: string, { workspaceId, storage, permissions }: Membership): View => ({
  userId,
  workspaceId,
  accountId: storage.accountId,
  seesBuckets: permissions.includes('blob:read') || permissions.includes('blob:manage'),
});

/** A transaction that changes a view. Changes of one view run one after another, so positions stay dense. */
export interface ViewChange {
  query: Query;
  now: number;
  view: View;
  record(activity: Omit<Activity, 'accountId'>): Promise<void>;
}

/**
 * Runs a change of the caller's view. @param workspaceId undefined for the personal view.
 * @throws `WORKSPACE_NOT_FOUND`
 */
export function changeView<T>(
  context: WorkspaceContext,
  caller: Caller,
  workspaceId: string | undefined,
  job: (change: ViewChange) => Promise<T>,
): Promise<T> {
  if (workspaceId === undefined) return changePersonalView(context, caller, job);
  return changeWorkspace(context, caller, workspaceId, (change) =>
    job({
      query: change.query,
      now: change.now,
      view: workspaceView(caller.userId, change.membership),
      record: (activity) => change.record(activity),
    }),
  );
}

function changePersonalView<T>({ metadata, now }: WorkspaceContext, caller: Caller, job: (change: ViewChange) => Promise<T>) {
  return metadata.write(async (query) => {
    await lockUser(metadata, query, caller.userId);
    const { accountId, creator } = caller;
    const time = now();
    return job({
      query,
      now: time,
      view: personalView(caller),
      record: (activity) => recordActivity(query, creator, time, { accountId, ...activity }),
    });
  });
}

const lockUser = ({ forUpdate }: Metadata, query: Query, id: string) =>
  forUpdate(query.selectFrom('users').select('id').where('id', '=', id)).executeTakeFirst();

/** @throws `NOT_FOUND` for a resource that does not exist or that the user may not see. */
export async function assertAccessible({ query, view }: ViewChange, { type, id }: Resource): Promise<void> {
  const names = type === 'bucket' && view.seesBuckets ? await bucketNames(query, view.accountId, [id]) : new Set<string>();
  if (!names.has(id))
    throw new BlobError('NOT_FOUND', `There is no ${type} ${id} that you can access.`, {
      details: { resource_type: type, resource_id: id },
    });
}

/** Returns which of the names are buckets of an account. */
export async function bucketNames(query: Query, accountId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await query
    .selectFrom('buckets')
    .select('name')
    .where('account_id', '=', accountId)
    .where('name', 'in', names)
    .execute();
  return new Set(rows.map((row) => row.name));
}
