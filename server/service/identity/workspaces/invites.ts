import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { WorkspaceInvitesTable } from '../../drivers/metadata/identity-tables.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { hashSecret, newId, newSecret } from '../../runtime/ids.js';
import { emailKey } from '../users/users.js';
import type { Caller } from './caller.js';
import { permissionsOf, requireRole } from './roles.js';
import { changeWorkspace } from './workspace-change.js';
import type { WorkspaceChange, WorkspaceContext } from './workspace-change.js';

/** An invite as the API returns it. Its token is returned once. */
export interface InviteRecord {
  id: string;
  /** The only address that may accept it; null: every user with the link. */
  email: string | null;
  role_id: string;
  max_uses: number;
  uses: number;
  created_by: string;
  expires_at: string;
  created_at: string;
}

export interface NewInvite {
  email?: string;
  role_id: string;
  /** @default 7 */
  expires_in_days?: number;
  /** @default 1 */
  max_uses?: number;
}

type InviteRow = Selectable<WorkspaceInvitesTable>;

/** Limits of the fields of an invite. */
export const INVITE = {
  expiresInDays: { min: 1, max: 30, default: 7 },
  maxUses: { min: 1, max: 100, default: 1 },
} as const;
/** Maximum number of invites of a workspace. */
export const MAX_INVITES = 100;

/** The start of each invite token. The log hides what follows, see rest/request-log.ts. */
export const INVITE_PREFIX = 'svcinv_';
const DAY_MS = 86_400_000;

const toRecord = (row: InviteRow): InviteRecord => ({
  id: row.id,
  email: row.email_key,
  role_id: row.role_id,
  max_uses: row.max_uses,
  uses: row.uses,
  created_by: row.created_by,
  expires_at: formatTime(row.expires_at),
  created_at: formatTime(row.created_at),
});

/** Invites that can still be accepted. */
const openInvites = (query: Query, now: number) =>
  query
    .selectFrom('workspace_invites')
    .where('workspace_invites.expires_at', '>', now)
    .whereRef('workspace_invites.uses', '<', 'workspace_invites.max_uses');

/** Creates and lists invites of a workspace. `InviteLinks` accepts them. A caller needs `members:manage`. */
export class WorkspaceInvites {
  constructor(private readonly context: WorkspaceContext) {}

  /** Creates an invite. @returns the record with its token, which is not stored. */
  create(caller: Caller, workspaceId: string, invite: NewInvite): Promise<InviteRecord & { token: string }> {
    const token = newSecret(INVITE_PREFIX);
    const { email, role_id, expires_in_days = INVITE.expiresInDays.default, max_uses = INVITE.maxUses.default } = invite;
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('members:manage');
      const role = await requireRole(change.query, workspaceId, role_id);
      change.assertMayGrant(permissionsOf(role));
      if (email !== undefined) await assertMayInvite(change, email);
      await deleteExpiredInvites(change);
      await assertBelowLimit(change);
      const row = await change.query
        .insertInto('workspace_invites')
        .values({
          id: newId('inv'),
          workspace_id: workspaceId,
          secret_hash: hashSecret(token),
          email_key: email === undefined ? null : emailKey(email),
          role_id,
          expires_at: change.now + expires_in_days * DAY_MS,
          max_uses,
          uses: 0,
          created_by: caller.userId,
          created_at: change.now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordInvite(change, 'created', row.id, { email: row.email_key, role: role.name, max_uses });
      return { ...toRecord(row), token };
    });
  }

  /** Lists the invites that can still be accepted, newest first. @throws `WORKSPACE_PERMISSION_DENIED` */
  async list(workspaceId: string): Promise<InviteRecord[]> {
    const { metadata, now } = this.context;
    const rows = await openInvites(metadata.db, now())
      .selectAll('workspace_invites')
      .where('workspace_id', '=', workspaceId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toRecord);
  }

  /** Ends an invite. @throws `NOT_FOUND` */
  delete(caller: Caller, workspaceId: string, id: string): Promise<void> {
    return changeWorkspace(this.context, caller, workspaceId, async (change) => {
      change.require('members:manage');
      const result = await change.query
        .deleteFrom('workspace_invites')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw new BlobError('NOT_FOUND', `There is no invite ${id}.`, { details: { id } });
      await recordInvite(change, 'deleted', id);
    });
  }
}

/** @throws `VALIDATION_ERROR` for a member, and for a user who accepts no invites. */
async function assertMayInvite({ query, workspaceId, membership, now }: WorkspaceChange, email: string): Promise<void> {
  const user = await query
    .selectFrom('users')
    .select(['id', 'workspace_invites_enabled'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst();
  if (!user) return;
  if (user.workspace_invites_enabled === 0)
    throw validationError('email', 'belongs to a user who does not accept invites to workspaces');
  const member = await query
    .selectFrom('workspace_members')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', user.id)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirst();
  if (member || user.id === membership.ownerId) throw validationError('email', 'belongs to a member of this workspace');
}

/** Expired invites would otherwise accumulate. Used-up invites stay until then, so that their links still lead members to the workspace. */
async function deleteExpiredInvites({ query, workspaceId, now }: WorkspaceChange): Promise<void> {
  await query.deleteFrom('workspace_invites').where('workspace_id', '=', workspaceId).where('expires_at', '<=', now).execute();
}

async function assertBelowLimit({ query, workspaceId, now }: WorkspaceChange): Promise<void> {
  const last = await openInvites(query, now)
    .select('workspace_invites.id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .offset(MAX_INVITES - 1)
    .executeTakeFirst();
  if (last)
    throw countLimitError(
      'role_id',
      `cannot get another invite: the workspace has ${MAX_INVITES}, the maximum. Delete one first`,
      'too_many_invites',
      MAX_INVITES,
    );
}

const recordInvite = (
  change: WorkspaceChange,
  verb: ActivityChange<'workspace_invite'>,
  id: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> => change.record({ action: `workspace_invite.${verb}`, targetType: 'workspace_invite', targetId: id, details });
