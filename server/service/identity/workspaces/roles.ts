import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { WorkspaceRolesTable } from '../../drivers/metadata/identity-tables.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { newId } from '../../runtime/ids.js';
import type { Caller } from './caller.js';
import { sortPermissions } from './permissions.js';
import type { Permission } from './permissions.js';
import { changeWorkspace } from './workspace-change.js';
import type { WorkspaceChange, WorkspaceContext } from './workspace-change.js';

/** A role as the API returns it. */
export interface RoleRecord {
  id: string;
  name: string;
  permissions: Permission[];
  created_at: string;
  updated_at: string;
}

export interface RoleFields {
  name: string;
  permissions: readonly Permission[];
}

type RoleRow = Selectable<WorkspaceRolesTable>;

/** Maximum number of roles of a workspace. */
export const MAX_ROLES = 50;

export const toRoleRecord = (row: RoleRow): RoleRecord => ({
  id: row.id,
  name: row.name,
  permissions: permissionsOf(row),
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});

export const permissionsOf = (row: Pick<RoleRow, 'permissions_json'>): Permission[] =>
  JSON.parse(row.permissions_json) as Permission[];

/** @throws `NOT_FOUND` */
export async function requireRole(query: Query, workspaceId: string, id: string): Promise<RoleRow> {
  const row = await query
    .selectFrom('workspace_roles')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new BlobError('NOT_FOUND', `There is no role ${id} in this workspace.`, { details: { id } });
  return row;
}

/** Inserts a role. @returns undefined if the workspace has a role of this name. */
export const insertRole = (
  query: Query,
  workspaceId: string,
  { name, permissions }: RoleFields,
  now: number,
): Promise<RoleRow | undefined> =>
  query
    .insertInto('workspace_roles')
    .values({
      id: newId('role'),
      workspace_id: workspaceId,
      name,
      permissions_json: JSON.stringify(sortPermissions(permissions)),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst();

const nameTaken = () => validationError('name', 'is the name of another role in this workspace');

/** Stores the roles of workspaces. A caller needs `roles:manage` and all permissions that a role had and gets. */
export class WorkspaceRoles {
  constructor(private readonly context: WorkspaceContext) {}

  async list(workspaceId: string): Promise<RoleRecord[]> {
    const rows = await this.context.metadata.db
      .selectFrom('workspace_roles')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toRoleRecord);
  }

  create(caller: Caller, workspaceId: string, fields: RoleFields): Promise<RoleRecord> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('roles:manage');
      change.assertMayGrant(fields.permissions);
      await assertBelowLimit(change);
      const row = await insertRole(change.query, workspaceId, fields, change.now);
      if (!row) throw nameTaken();
      await recordRole(change, 'created', row);
      return toRoleRecord(row);
    });
  }

  /** Replaces the given fields. Members with the role have the new permissions at their next request. */
  change(caller: Caller, workspaceId: string, id: string, fields: Partial<RoleFields>): Promise<RoleRecord> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('roles:manage');
      const before = await requireRole(change.query, workspaceId, id);
      const permissions = sortPermissions(fields.permissions ?? permissionsOf(before));
      change.assertMayGrant([...permissionsOf(before), ...permissions]);
      const name = fields.name ?? before.name;
      if (name !== before.name) await assertNameIsFree(change, name);
      if (fields.permissions) await change.waitForCommits(await membersWith(change, id));
      const row = await change.query
        .updateTable('workspace_roles')
        .set({ name, permissions_json: JSON.stringify(permissions), updated_at: change.now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordRole(change, 'changed', row);
      return toRoleRecord(row);
    });
  }

  /** @throws `WORKSPACE_ROLE_IN_USE` if a member has the role, or if a valid invite gives it. */
  delete(caller: Caller, workspaceId: string, id: string): Promise<void> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('roles:manage');
      const row = await requireRole(change.query, workspaceId, id);
      change.assertMayGrant(permissionsOf(row));
      await deleteEndedInvites(change, id);
      await assertUnused(change, id);
      await change.query.deleteFrom('workspace_roles').where('id', '=', id).execute();
      await recordRole(change, 'deleted', row);
    });
  }
}

async function assertBelowLimit({ query, workspaceId }: WorkspaceChange): Promise<void> {
  const last = await query
    .selectFrom('workspace_roles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .offset(MAX_ROLES - 1)
    .executeTakeFirst();
  if (last)
    throw countLimitError(
      'name',
      `cannot name another role: the workspace has ${MAX_ROLES} roles, the maximum. Delete one first`,
      'too_many_roles',
      MAX_ROLES,
    );
}

async function assertNameIsFree({ query, workspaceId }: WorkspaceChange, name: string): Promise<void> {
  const taken = await query
    .selectFrom('workspace_roles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (taken) throw nameTaken();
}

async function membersWith({ query }: WorkspaceChange, roleId: string): Promise<string[]> {
  const rows = await query.selectFrom('workspace_members').select('id').where('role_id', '=', roleId).execute();
  return rows.map((row) => row.id);
}

/** Invites that can no longer be accepted do not hold their role. */
async function deleteEndedInvites({ query, now }: WorkspaceChange, roleId: string): Promise<void> {
  await query
    .deleteFrom('workspace_invites')
    .where('role_id', '=', roleId)
    .where((e) => e.or([e('expires_at', '<=', now), e('uses', '>=', e.ref('max_uses'))]))
    .execute();
}

async function assertUnused({ query }: WorkspaceChange, roleId: string): Promise<void> {
  for (const [table, holder] of [
    ['workspace_members', 'a member'],
    ['workspace_invites', 'an invite'],
  ] as const) {
    const used = await query.selectFrom(table).select('id').where('role_id', '=', roleId).limit(1).executeTakeFirst();
    if (used)
      throw platformError(
        'WORKSPACE_ROLE_IN_USE',
        `The role belongs to ${holder}. Assign another role or delete the invite first.`,
      );
  }
}

const recordRole = (change: WorkspaceChange, verb: ActivityChange<'workspace_role'>, row: RoleRow): Promise<void> =>
  change.record({
    action: `workspace_role.${verb}`,
    targetType: 'workspace_role',
    targetId: row.id,
    details: { name: row.name, permissions: permissionsOf(row) },
  });
