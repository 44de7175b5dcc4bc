import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import type { Storage } from '../credential.js';
import { PERMISSIONS, workspaceNotFound } from './permissions.js';
import type { Permission } from './permissions.js';

/** The access of a user to a workspace. */
export interface Membership {
  workspaceId: string;
  /** Null for the owner, whose access does not end with a membership. */
  memberId: string | null;
  ownerId: string;
  /** The owner's storage. */
  storage: Storage;
  permissions: readonly Permission[];
}

const accessOf = preparedQuery<{ workspaceId: string; userId: string }>()((query, { workspaceId, userId }) =>
  query
    .selectFrom('workspaces')
    .innerJoin('users as owner', 'owner.id', 'workspaces.owner_id')
    .innerJoin('buckets', 'buckets.account_id', 'owner.account_id')
    .leftJoin('workspace_members', (join) =>
      join.onRef('workspace_members.workspace_id', '=', 'workspaces.id').on('workspace_members.user_id', '=', userId),
    )
    .leftJoin('workspace_roles', 'workspace_roles.id', 'workspace_members.role_id')
    .select([
      'workspaces.owner_id',
      'owner.account_id',
      'buckets.id as bucket_id',
      'workspace_members.id as member_id',
      'workspace_members.expires_at',
      'workspace_roles.permissions_json',
    ])
    .where('workspaces.id', '=', workspaceId)
    .where('owner.disabled_at', 'is', null)
    .where('buckets.is_main', '=', 1),
);

/** Reads the access of users to workspaces for each request, so that a removal takes effect at once on all replicas. */
export class Memberships {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** @returns undefined if the workspace is unknown, or if the user is not its owner and no member, or if the membership has expired. */
  async find(workspaceId: string, userId: string, query: Query = this.metadata.db): Promise<Membership | undefined> {
    const row = await accessOf.first(query, { workspaceId, userId });
    if (!row) return undefined;
    const common = { workspaceId, ownerId: row.owner_id, storage: { accountId: row.account_id, bucketId: row.bucket_id } };
    if (row.owner_id === userId) return { ...common, memberId: null, permissions: PERMISSIONS };
    const isActive = row.member_id !== null && (row.expires_at === null || row.expires_at > this.now());
    if (!isActive) return undefined;
    return { ...common, memberId: row.member_id, permissions: JSON.parse(row.permissions_json!) as Permission[] };
  }

  /** Does the same for a user who must have access. @throws `WORKSPACE_NOT_FOUND`, also for strangers and expired members. */
  async require(workspaceId: string, userId: string, query?: Query): Promise<Membership> {
    const membership = await this.find(workspaceId, userId, query);
    if (!membership) throw workspaceNotFound(workspaceId);
    return membership;
  }
}
