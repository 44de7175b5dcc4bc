import type { ActivityChange } from '../../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { formatTime, validateFutureTime } from '../../../../src/protocol/time.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { newId } from '../../runtime/ids.js';
import type { Caller } from './caller.js';
import { permissionsOf, requireRole } from './roles.js';
import { changeWorkspace } from './workspace-change.js';
import type { WorkspaceChange, WorkspaceContext } from './workspace-change.js';

/** A member as the API returns it. The owner is no member. */
export interface MemberRecord {
  user_id: string;
  name: string;
  email: string;
  role_id: string;
  role: string;
  /** Null: the membership does not expire. */
  expires_at: string | null;
  joined_at: string;
}

/** Changes of a membership. */
export interface MemberFields {
  role_id: string;
  /** ISO 8601, in the future; null: it never expires. Omitted: the expiry stays. */
  expires_at?: string | null;
}

/** Maximum number of members of a workspace. */
export const MAX_MEMBERS = 500;

const selectMembers = (query: Query, workspaceId: string) =>
  query
    .selectFrom('workspace_members')
    .innerJoin('users', 'users.id', 'workspace_members.user_id')
    .innerJoin('workspace_roles', 'workspace_roles.id', 'workspace_members.role_id')
    .select([
      'workspace_members.id',
      'workspace_members.user_id',
      'workspace_members.role_id',
      'workspace_members.expires_at',
      'workspace_members.joined_at',
      'users.name',
      'users.email',
      'users.disabled_at',
      'workspace_roles.name as role',
      'workspace_roles.permissions_json',
    ])
    .where('workspace_members.workspace_id', '=', workspaceId);

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;

const toMemberRecord = (row: MemberRow): MemberRecord => ({
  user_id: row.user_id,
  name: row.name,
  email: row.email,
  role_id: row.role_id,
  role: row.role,
  expires_at: row.expires_at === null ? null : formatTime(row.expires_at),
  joined_at: formatTime(row.joined_at),
});

/** Finds a member of a workspace, also one whose membership has expired. */
export const findMember = (query: Query, workspaceId: string, userId: string): Promise<MemberRow | undefined> =>
  selectMembers(query, workspaceId).where('workspace_members.user_id', '=', userId).executeTakeFirst();

const isExpired = ({ expires_at }: MemberRow, now: number): boolean => expires_at !== null && expires_at <= now;

const memberNotFound = (userId: string) =>
  platformError('USER_NOT_FOUND', `The user ${userId} is not a member of this workspace.`, { details: { user_id: userId } });

/** Stores the members of workspaces. Invites add them, see invites.ts. */
export class WorkspaceMembers {
  constructor(private readonly context: WorkspaceContext) {}

  /** Lists members in the order in which they joined, also expired ones. */
  async list(workspaceId: string): Promise<MemberRecord[]> {
    const rows = await selectMembers(this.context.metadata.db, workspaceId)
      .orderBy('workspace_members.joined_at')
      .orderBy('workspace_members.id')
      .execute();
    return rows.map(toMemberRecord);
  }

  /** Changes the role and the expiry of a member. */
  change(caller: Caller, workspaceId: string, userId: string, fields: MemberFields): Promise<MemberRecord> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('members:manage');
      const member = await requireMember(change, userId);
      const role = await requireRole(change.query, workspaceId, fields.role_id);
      change.assertMayGrant([...permissionsOf(member), ...permissionsOf(role)]);
      const expiresAt = fields.expires_at === undefined ? member.expires_at : parseExpiry(fields.expires_at, change.now);
      assertMayExtend(change, member, expiresAt);
      await change.waitForCommits([member.id]);
      await change.query
        .updateTable('workspace_members')
        .set({
          role_id: role.id,
          expires_at: expiresAt,
          // Credentials that an expired membership created have ended and must not revive.
          ...(isExpired(member, change.now) && { id: newId('mem') }),
        })
        .where('id', '=', member.id)
        .execute();
      await recordMember(change, 'changed', userId, {
        role: role.name,
        expires_at: expiresAt === null ? null : formatTime(expiresAt),
      });
      return toMemberRecord((await findMember(change.query, workspaceId, userId))!);
    });
  }

  /** Removes a member, or lets the caller leave. Credentials that the membership created end. */
  remove(caller: Caller, workspaceId: string, userId: string): Promise<void> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      const isLeaving = userId === caller.userId && !change.isOwner;
      if (!isLeaving) change.require('members:manage');
      const member = await requireMember(change, userId);
      if (!isLeaving) change.assertMayGrant(permissionsOf(member));
      await change.waitForCommits([member.id]);
      await deleteMember(change.query, workspaceId, userId);
      await recordMember(change, isLeaving ? 'left' : 'removed', userId, { role: member.role });
    });
  }
}

/** @throws `USER_NOT_FOUND`; `WORKSPACE_OWNER_ONLY` for the owner, whom a transfer alone replaces. */
async function requireMember(change: WorkspaceChange, userId: string): Promise<MemberRow> {
  const { query, workspaceId, membership } = change;
  if (userId === membership.ownerId)
    throw platformError(
      'WORKSPACE_OWNER_ONLY',
      'The owner of the workspace cannot be changed or removed. Only the owner may transfer the workspace.',
    );
  const member = await findMember(query, workspaceId, userId);
  if (!member) throw memberNotFound(userId);
  return member;
}

const parseExpiry = (expiresAt: string | null, now: number): number | null =>
  expiresAt === null ? null : validateFutureTime('expires_at', expiresAt, now);

/** Rejects members who prolong their own access. @throws `WORKSPACE_PERMISSION_ESCALATION` */
function assertMayExtend({ caller }: WorkspaceChange, member: MemberRow, expiresAt: number | null): void {
  if (member.user_id !== caller.userId || member.expires_at === null) return;
  if (expiresAt === null || expiresAt > member.expires_at)
    throw platformError('WORKSPACE_PERMISSION_ESCALATION', 'You cannot prolong your own membership. Ask another member.');
}

/** Deletes a membership, the member's view of the workspace, and invites of the member. */
export async function deleteMember(query: Query, workspaceId: string, userId: string): Promise<void> {
  for (const table of ['favorites', 'folder_resources', 'resource_folders', 'workspace_members'] as const)
    await query.deleteFrom(table).where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute();
  await query.deleteFrom('workspace_invites').where('workspace_id', '=', workspaceId).where('created_by', '=', userId).execute();
}

/** A member to add. The caller has checked that the user has no membership. */
export interface NewMember {
  workspaceId: string;
  userId: string;
  roleId: string;
  now: number;
}

export async function insertMember(query: Query, { workspaceId, userId, roleId, now }: NewMember): Promise<string> {
  const id = newId('mem');
  await query
    .insertInto('workspace_members')
    .values({ id, workspace_id: workspaceId, user_id: userId, role_id: roleId, expires_at: null, joined_at: now })
    .execute();
  return id;
}

/** @throws `VALIDATION_ERROR` */
export async function assertMembersBelowLimit(query: Query, workspaceId: string): Promise<void> {
  const last = await query
    .selectFrom('workspace_members')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .offset(MAX_MEMBERS - 1)
    .executeTakeFirst();
  if (last)
    throw countLimitError(
      'workspace_id',
      `names a workspace with ${MAX_MEMBERS} members, the maximum`,
      'too_many_members',
      MAX_MEMBERS,
    );
}

export const recordMember = (
  change: Pick<WorkspaceChange, 'record'>,
  verb: ActivityChange<'workspace_member'>,
  userId: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> => change.record({ action: `workspace_member.${verb}`, targetType: 'user', targetId: userId, details });
