import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../activities/record-activity.js';
import type { Activity } from '../activities/record-activity.js';
import { waitForCommits } from '../revocation-lock.js';
import type { Caller } from './caller.js';
import type { Membership, Memberships } from './memberships.js';
import { permissionDenied, SCOPE_TO_GRANT, workspaceNotFound } from './permissions.js';
import type { Permission } from './permissions.js';

/** A transaction that changes a workspace. The row of the workspace is locked, so the rights of the caller stay until it ends. */
export class WorkspaceChange {
  constructor(
    readonly query: Query,
    /** ms since 1970 */
    readonly now: number,
    readonly caller: Caller,
    readonly membership: Membership,
    private readonly metadata: Metadata,
  ) {}

  get workspaceId(): string {
    return this.membership.workspaceId;
  }

  get isOwner(): boolean {
    return this.membership.memberId === null;
  }

  /** @throws `WORKSPACE_PERMISSION_DENIED` */
  require(permission: Permission): void {
    requirePermission(this.membership, permission);
  }

  /** @throws `WORKSPACE_OWNER_ONLY` */
  requireOwner(): void {
    if (!this.isOwner) throw platformError('WORKSPACE_OWNER_ONLY', 'Only the owner of the workspace may do this.');
  }

  /**
   * Rejects a change that gives or takes permissions which the caller lacks. An API key must also have the scopes of the permissions.
   * @throws `WORKSPACE_PERMISSION_ESCALATION`
   */
  assertMayGrant(permissions: readonly Permission[]): void {
    const missing = permissions.filter((permission) => !this.#mayGrant(permission));
    if (missing.length > 0)
      throw platformError(
        'WORKSPACE_PERMISSION_ESCALATION',
        `You cannot give or change permissions that you lack: ${missing.join(', ')}. Ask the owner of the workspace.`,
        { details: { missing } },
      );
  }

  #mayGrant(permission: Permission): boolean {
    const scope = SCOPE_TO_GRANT[permission];
    const hasScope = scope === undefined || this.caller.scopes === undefined || this.caller.scopes.includes(scope);
    return hasScope && this.membership.permissions.includes(permission);
  }

  /** Waits for commits that act through memberships. Call it before their rights shrink. Every caller takes the locks in ascending order. */
  async waitForCommits(memberIds: readonly string[]): Promise<void> {
    for (const id of [...memberIds].toSorted()) await waitForCommits(this.metadata, this.query, id);
  }

  /** Writes an entry to the activity log of the workspace. */
  async record(activity: Omit<Activity, 'accountId'>): Promise<void> {
    const { caller, membership, workspaceId } = this;
    const creator = { ...caller.creator, memberId: membership.memberId, workspaceId };
    await recordActivity(this.query, creator, this.now, { accountId: membership.storage.accountId, ...activity });
  }
}

/** @throws `WORKSPACE_PERMISSION_DENIED` */
export function requirePermission({ permissions }: Membership, permission: Permission): void {
  if (!permissions.includes(permission)) throw permissionDenied(permission);
}

/** Dependencies of everything that changes workspaces. */
export interface WorkspaceContext {
  metadata: Metadata;
  memberships: Memberships;
  now: () => number;
}

/**
 * Runs a change of a workspace in a transaction. Changes of one workspace run one after another, so limits hold under parallel requests, and the
 * rights of the caller are read after the changes before.
 * @throws `WORKSPACE_NOT_FOUND` for strangers and expired members.
 */
export function changeWorkspace<T>(
  { metadata, memberships, now }: WorkspaceContext,
  caller: Caller,
  workspaceId: string,
  job: (change: WorkspaceChange) => Promise<T>,
): Promise<T> {
  return metadata.write(async (query) => {
    if (!(await lockWorkspace(metadata, query, workspaceId))) throw workspaceNotFound(workspaceId);
    const membership = await memberships.require(workspaceId, caller.userId, query);
    return job(new WorkspaceChange(query, now(), caller, membership, metadata));
  });
}

/** Locks a workspace until the transaction ends. @returns false if it does not exist. */
export async function lockWorkspace({ forUpdate }: Metadata, query: Query, id: string): Promise<boolean> {
  const select = query.selectFrom('workspaces').select('id').where('id', '=', id);
  return (await forUpdate(select).executeTakeFirst()) !== undefined;
}
