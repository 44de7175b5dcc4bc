import type { Selectable } from 'kysely';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { WorkspacesTable } from '../../drivers/metadata/identity-tables.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { newId } from '../../runtime/ids.js';
import { recordActivity } from '../activities/record-activity.js';
import { lockAccount } from '../lock-account.js';
import type { Caller } from './caller.js';
import { PERMISSIONS } from './permissions.js';
import type { Permission } from './permissions.js';
import { insertRole } from './roles.js';
import { SEED_ROLES } from './seed-roles.js';
import { changeWorkspace } from './workspace-change.js';
import type { WorkspaceContext } from './workspace-change.js';

/** A workspace as the API returns it. */
export interface WorkspaceRecord {
  id: string;
  name: string;
  owner_id: string;
  /** Permissions of the caller. */
  permissions: Permission[];
  created_at: string;
  updated_at: string;
}

/** The owner of a workspace, who has all permissions. */
export interface OwnerRecord {
  user_id: string;
  name: string;
  email: string;
}

type WorkspaceRow = Selectable<WorkspacesTable>;

/** Maximum number of workspaces that a user owns. */
export const MAX_WORKSPACES = 100;

const toRecord = (row: WorkspaceRow, permissions: readonly Permission[]): WorkspaceRecord => ({
  id: row.id,
  name: row.name,
  owner_id: row.owner_id,
  permissions: [...permissions],
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});

export const requireWorkspace = (query: Query, id: string): Promise<WorkspaceRow> =>
  query.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Stores workspaces. Members, roles, invites and folders have classes of their own. */
export class Workspaces {
  constructor(private readonly context: WorkspaceContext) {}

  /** Lists the workspaces that a user owns or is a member of, oldest first. */
  async list(userId: string): Promise<WorkspaceRecord[]> {
    const { metadata, now } = this.context;
    const rows = await metadata.db
      .selectFrom('workspaces')
      .innerJoin('users as owner', 'owner.id', 'workspaces.owner_id')
      .leftJoin('workspace_members', (join) =>
        join.onRef('workspace_members.workspace_id', '=', 'workspaces.id').on('workspace_members.user_id', '=', userId),
      )
      .leftJoin('workspace_roles', 'workspace_roles.id', 'workspace_members.role_id')
      .selectAll('workspaces')
      .select('workspace_roles.permissions_json')
      .where('owner.disabled_at', 'is', null)
      .where((e) =>
        e.or([
          e('workspaces.owner_id', '=', userId),
          e.and([
            e('workspace_members.id', 'is not', null),
            e.or([e('workspace_members.expires_at', 'is', null), e('workspace_members.expires_at', '>', now())]),
          ]),
        ]),
      )
      .orderBy('workspaces.created_at')
      .orderBy('workspaces.id')
      .execute();
    return rows.map((row) =>
      toRecord(row, row.owner_id === userId ? PERMISSIONS : (JSON.parse(row.permissions_json!) as Permission[])),
    );
  }

  /** Creates a workspace with the seed roles. The caller becomes its owner. @throws `VALIDATION_ERROR` */
  async create(caller: Caller, name: string): Promise<WorkspaceRecord> {
    const { metadata, now } = this.context;
    return metadata.write(async (query) => {
      await lockAccount(metadata, query, caller.accountId);
      await assertBelowLimit(query, caller.userId);
      const created_at = now();
      const row = await query
        .insertInto('workspaces')
        .values({ id: newId('ws'), owner_id: caller.userId, name, created_at, updated_at: created_at })
        .returningAll()
        .executeTakeFirstOrThrow();
      for (const role of SEED_ROLES) await insertRole(query, row.id, role, created_at);
      await recordActivity(query, { ...caller.creator, workspaceId: row.id }, created_at, {
        accountId: caller.accountId,
        action: 'workspace.created',
        targetType: 'workspace',
        targetId: row.id,
        details: { name },
      });
      return toRecord(row, PERMISSIONS);
    });
  }

  /** @throws `WORKSPACE_NOT_FOUND` */
  async get(userId: string, id: string): Promise<WorkspaceRecord & { owner: OwnerRecord }> {
    const { metadata, memberships } = this.context;
    const { permissions, ownerId } = await memberships.require(id, userId);
    const row = await requireWorkspace(metadata.db, id);
    const owner = await metadata.db
      .selectFrom('users')
      .select(['id as user_id', 'name', 'email'])
      .where('id', '=', ownerId)
      .executeTakeFirstOrThrow();
    return { ...toRecord(row, permissions), owner };
  }

  /** Changes the name. @throws `WORKSPACE_OWNER_ONLY` */
  rename(caller: Caller, id: string, name: string): Promise<WorkspaceRecord> {
    return changeWorkspace(this.context, caller, id, async (change) => {
      change.requireOwner();
      const row = await change.query
        .updateTable('workspaces')
        .set({ name, updated_at: change.now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await change.record({ action: 'workspace.renamed', targetType: 'workspace', targetId: id, details: { name } });
      return toRecord(row, PERMISSIONS);
    });
  }

  /** Deletes a workspace. Credentials that members created in the owner's storage end; files stay. @throws `WORKSPACE_OWNER_ONLY` */
  delete(caller: Caller, id: string): Promise<void> {
    return changeWorkspace(this.context, caller, id, async (change) => {
      change.requireOwner();
      const { name } = await requireWorkspace(change.query, id);
      await change.waitForCommits(await memberIdsOf(change.query, id));
      // In the order of their references.
      const tables = [
        'favorites',
        'folder_resources',
        'resource_folders',
        'workspace_invites',
        'workspace_members',
        'workspace_roles',
      ] as const;
      for (const table of tables) await change.query.deleteFrom(table).where('workspace_id', '=', id).execute();
      await change.query.deleteFrom('workspaces').where('id', '=', id).execute();
      await change.record({ action: 'workspace.deleted', targetType: 'workspace', targetId: id, details: { name } });
    });
  }
}

export async function memberIdsOf(query: Query, workspaceId: string): Promise<string[]> {
  const rows = await query.selectFrom('workspace_members').select('id').where('workspace_id', '=', workspaceId).execute();
  return rows.map((row) => row.id);
}

/** @throws `VALIDATION_ERROR` */
export async function assertBelowLimit(query: Query, ownerId: string, field = 'name'): Promise<void> {
  const last = await query
    .selectFrom('workspaces')
    .select('id')
    .where('owner_id', '=', ownerId)
    .limit(1)
    .offset(MAX_WORKSPACES - 1)
    .executeTakeFirst();
  if (last)
    throw countLimitError(
      field,
      `cannot have another workspace: the user owns ${MAX_WORKSPACES}, the maximum. Delete one first`,
      'too_many_workspaces',
      MAX_WORKSPACES,
    );
}
