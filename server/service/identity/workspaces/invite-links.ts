import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { hashSecret } from '../../runtime/ids.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Caller } from './caller.js';
import { assertMembersBelowLimit, deleteMember, findMember, insertMember } from './members.js';
import type { Membership } from './memberships.js';
import type { Permission } from './permissions.js';
import { waitForCommits } from '../revocation-lock.js';
import { lockWorkspace } from './workspace-change.js';
import type { WorkspaceContext } from './workspace-change.js';

/** An invite as the invited user sees it. */
export interface ReceivedInvite {
  workspace: { id: string; name: string };
  role: { id: string; name: string; permissions: Permission[] };
  /** Name of the user who created it. */
  invited_by: string;
  /** The only address that may accept it; null: every user with the link. */
  email: string | null;
  expires_at: string;
}

/** The same for unknown, expired, used and foreign invites, so that a link reveals nothing to others. */
const inviteNotFound = () =>
  new BlobError('NOT_FOUND', 'This invite is not valid: it has expired, was used or deleted, or is for another address.');

/** Selects an invite, also of one that has ended. */
const selectInvite = (query: Query, token: string) =>
  query
    .selectFrom('workspace_invites')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_invites.workspace_id')
    .innerJoin('workspace_roles', 'workspace_roles.id', 'workspace_invites.role_id')
    .innerJoin('users as inviter', 'inviter.id', 'workspace_invites.created_by')
    .select([
      'workspace_invites.id',
      'workspace_invites.workspace_id',
      'workspace_invites.email_key',
      'workspace_invites.role_id',
      'workspace_invites.created_by',
      'workspace_invites.expires_at',
      'workspace_invites.uses',
      'workspace_invites.max_uses',
      'workspaces.name as workspace',
      'workspace_roles.name as role',
      'workspace_roles.permissions_json',
      'inviter.name as invited_by',
      'inviter.disabled_at as inviter_disabled_at',
    ])
    .where('workspace_invites.secret_hash', '=', hashSecret(token));

type InviteRow = Awaited<ReturnType<ReturnType<typeof selectInvite>['executeTakeFirstOrThrow']>>;

/** Lets signed-in users read, accept and decline invites by their links. */
export class InviteLinks {
  constructor(private readonly context: WorkspaceContext) {}

  /** Returns whether some user could accept an invite. It tells a person without a session whether signing in is worth it, and nothing else. */
  async isOpen(token: string): Promise<boolean> {
    const { db } = this.context.metadata;
    const row = await selectInvite(db, token).executeTakeFirst();
    return row !== undefined && this.#isOpen(db, row);
  }

  /** @throws `NOT_FOUND` */
  async get(caller: Caller, token: string): Promise<ReceivedInvite> {
    return toReceivedInvite(await this.#require(this.context.metadata.db, caller, token));
  }

  /**
   * Returns the id of the workspace if the caller is a member, also of an invite that is used up, and otherwise the invite.
   * @throws `NOT_FOUND`
   */
  async getOrWorkspace(caller: Caller, token: string): Promise<{ invite: ReceivedInvite } | { workspaceId: string }> {
    const { metadata, memberships } = this.context;
    const row = await selectInvite(metadata.db, token).executeTakeFirst();
    const membership = row && (await memberships.find(row.workspace_id, caller.userId));
    if (membership) return { workspaceId: membership.workspaceId };
    return { invite: toReceivedInvite(await this.#requireOpen(metadata.db, caller, row)) };
  }

  /**
   * Makes the caller a member. A member who accepts again keeps the own role, and the invite keeps its use.
   * @returns the id of the workspace. @throws `NOT_FOUND`; `VALIDATION_ERROR` if the user accepts no invites or the workspace is full.
   */
  accept(caller: Caller, token: string): Promise<string> {
    const { metadata, memberships, now } = this.context;
    return metadata.write(async (query) => {
      const { workspace_id: workspaceId } = await this.#require(query, caller, token);
      await lockWorkspace(metadata, query, workspaceId);
      // Other accepts may have used it up, and the inviter may have been removed, while this transaction waited for the lock.
      const invite = await this.#require(query, caller, token);
      if (await memberships.find(workspaceId, caller.userId, query)) return workspaceId;
      await assertAcceptsInvites(query, caller.userId);
      await this.#endExpiredMembership(query, workspaceId, caller.userId);
      await assertMembersBelowLimit(query, workspaceId);
      await takeUse(query, invite.id);
      await insertMember(query, { workspaceId, userId: caller.userId, roleId: invite.role_id, now: now() });
      await this.#record(query, caller, invite, 'workspace_member.joined', { role: invite.role, invite_id: invite.id });
      return workspaceId;
    });
  }

  /** Declines an invite. An invite for an address is deleted. An invite for every user stays unchanged. @throws `NOT_FOUND` */
  decline(caller: Caller, token: string): Promise<void> {
    return this.context.metadata.write(async (query) => {
      const invite = await this.#require(query, caller, token);
      // Without a change there is no record. Otherwise each holder of the link could fill the log of the workspace.
      if (invite.email_key === null) return;
      await query.deleteFrom('workspace_invites').where('id', '=', invite.id).execute();
      await this.#record(query, caller, invite, 'workspace_invite.declined', { invite_id: invite.id });
    });
  }

  /** Whether an invite can be accepted. It ends when its creator may no longer give its role. */
  async #isOpen(query: Query, row: InviteRow): Promise<boolean> {
    if (row.expires_at <= this.context.now() || row.uses >= row.max_uses || row.inviter_disabled_at !== null) return false;
    const inviter = await this.context.memberships.find(row.workspace_id, row.created_by, query);
    return inviter !== undefined && mayGive(inviter, row);
  }

  /** Finds an open invite for a user. @throws `NOT_FOUND` */
  async #require(query: Query, caller: Caller, token: string): Promise<InviteRow> {
    return this.#requireOpen(query, caller, await selectInvite(query, token).executeTakeFirst());
  }

  /** @throws `NOT_FOUND` unless the invite is open and for the user */
  async #requireOpen(query: Query, caller: Caller, row: InviteRow | undefined): Promise<InviteRow> {
    if (!row || !(await this.#isOpen(query, row))) throw inviteNotFound();
    if (row.email_key !== null && row.email_key !== (await emailKeyOf(query, caller.userId))) throw inviteNotFound();
    return row;
  }

  async #endExpiredMembership(query: Query, workspaceId: string, userId: string): Promise<void> {
    const expired = await findMember(query, workspaceId, userId);
    if (!expired) return;
    await waitForCommits(this.context.metadata, query, expired.id);
    await deleteMember(query, workspaceId, userId);
  }

  async #record(query: Query, caller: Caller, invite: InviteRow, action: ActivityAction, details: Record<string, unknown>) {
    const { account_id } = await query
      .selectFrom('workspaces')
      .innerJoin('users', 'users.id', 'workspaces.owner_id')
      .select('users.account_id')
      .where('workspaces.id', '=', invite.workspace_id)
      .executeTakeFirstOrThrow();
    const creator = { ...caller.creator, workspaceId: invite.workspace_id };
    const target = { targetType: 'user', targetId: caller.userId };
    await recordActivity(query, creator, this.context.now(), { accountId: account_id, action, ...target, details });
  }
}

const toReceivedInvite = (row: InviteRow): ReceivedInvite => ({
  workspace: { id: row.workspace_id, name: row.workspace },
  role: { id: row.role_id, name: row.role, permissions: JSON.parse(row.permissions_json) as Permission[] },
  invited_by: row.invited_by,
  email: row.email_key,
  expires_at: formatTime(row.expires_at),
});

const mayGive = ({ permissions }: Membership, { permissions_json }: InviteRow): boolean =>
  permissions.includes('members:manage') &&
  (JSON.parse(permissions_json) as Permission[]).every((permission) => permissions.includes(permission));

async function emailKeyOf(query: Query, userId: string): Promise<string | undefined> {
  const row = await query.selectFrom('users').select('email_key').where('id', '=', userId).executeTakeFirst();
  return row?.email_key;
}

/** @throws `VALIDATION_ERROR` */
async function assertAcceptsInvites(query: Query, userId: string): Promise<void> {
  const user = await query
    .selectFrom('users')
    .select('workspace_invites_enabled')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (user.workspace_invites_enabled === 0)
    throw validationError('workspace_invites_enabled', 'must be true to accept an invite; change it with PATCH /v1/users/me');
}

/** Counts a use, atomically for parallel accepts. @throws `NOT_FOUND` if none is left. */
async function takeUse(query: Query, id: string): Promise<void> {
  const result = await query
    .updateTable('workspace_invites')
    .set((e) => ({ uses: e('uses', '+', 1) }))
    .where('id', '=', id)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw inviteNotFound();
}
