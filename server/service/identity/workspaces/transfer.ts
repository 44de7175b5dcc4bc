import { validationError } from '../../../../src/protocol/errors.js';
import { lockAccount } from '../lock-account.js';
import { newId } from '../../runtime/ids.js';
import type { Caller } from './caller.js';
import { findMember, insertMember } from './members.js';
import { permissionsOf, insertRole } from './roles.js';
import { ADMIN_ROLE, SEED_ROLES, withoutBlob } from './seed-roles.js';
import { changeWorkspace } from './workspace-change.js';
import type { WorkspaceChange, WorkspaceContext } from './workspace-change.js';
import { assertBelowLimit, memberIdsOf } from './workspaces.js';

/**
 * Transfers a workspace to a member. The former owner becomes a member with the role admin.
 *
 * The workspace selects the storage of the new owner from now on. The former owner cannot give others access to it, so all roles lose their
 * permissions of Blob Storage, and invites end. Memberships get new ids, so that nothing which they created in the storage of the former owner
 * revives if the workspace returns.
 * @throws `WORKSPACE_OWNER_ONLY`, `VALIDATION_ERROR`
 */
export function transferWorkspace(context: WorkspaceContext, caller: Caller, id: string, userId: string): Promise<void> {
  return changeWorkspace(context, caller, id, async (change) => {
    change.requireOwner();
    const { query, now } = change;
    const accountId = await requireNewOwner(change, userId);
    // The limit of workspaces holds for the new owner too.
    await lockAccount(context.metadata, query, accountId);
    await assertBelowLimit(query, userId, 'user_id');
    await change.waitForCommits(await memberIdsOf(query, id));
    await change.record({
      action: 'workspace.transferred',
      targetType: 'workspace',
      targetId: id,
      details: { from: caller.userId, to: userId },
    });
    await query.deleteFrom('workspace_invites').where('workspace_id', '=', id).execute();
    await deleteMembershipOf(change, userId);
    await renewMemberships(change);
    await removeBlobPermissions(change);
    await query.updateTable('workspaces').set({ owner_id: userId, updated_at: now }).where('id', '=', id).execute();
    await insertMember(query, { workspaceId: id, userId: caller.userId, roleId: await adminRole(change), now });
  });
}

/** @returns the account of the new owner. @throws `VALIDATION_ERROR` */
async function requireNewOwner({ query, workspaceId, now }: WorkspaceChange, userId: string): Promise<string> {
  const member = await findMember(query, workspaceId, userId);
  const isActive = member && member.disabled_at === null && (member.expires_at === null || member.expires_at > now);
  if (!isActive) throw validationError('user_id', `must be the id of a member; got ${userId}`);
  const { account_id } = await query.selectFrom('users').select('account_id').where('id', '=', userId).executeTakeFirstOrThrow();
  return account_id;
}

/** The new owner keeps the own view of folders and favorites. */
const deleteMembershipOf = ({ query, workspaceId }: WorkspaceChange, userId: string) =>
  query.deleteFrom('workspace_members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute();

async function renewMemberships({ query, workspaceId }: WorkspaceChange): Promise<void> {
  for (const id of await memberIdsOf(query, workspaceId))
    await query
      .updateTable('workspace_members')
      .set({ id: newId('mem') })
      .where('id', '=', id)
      .execute();
}

async function removeBlobPermissions({ query, workspaceId }: WorkspaceChange): Promise<void> {
  const roles = await query.selectFrom('workspace_roles').selectAll().where('workspace_id', '=', workspaceId).execute();
  for (const role of roles)
    await query
      .updateTable('workspace_roles')
      .set({ permissions_json: JSON.stringify(withoutBlob(permissionsOf(role))) })
      .where('id', '=', role.id)
      .execute();
}

/** Finds the role admin, or creates it if it was deleted or renamed. */
async function adminRole({ query, workspaceId, now }: WorkspaceChange): Promise<string> {
  const seed = SEED_ROLES.find(({ name }) => name === ADMIN_ROLE)!;
  const created = await insertRole(query, workspaceId, seed, now);
  if (created) return created.id;
  const { id } = await query
    .selectFrom('workspace_roles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', ADMIN_ROLE)
    .executeTakeFirstOrThrow();
  return id;
}
