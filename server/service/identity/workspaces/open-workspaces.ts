import type { Caller } from './caller.js';
import { InviteLinks } from './invite-links.js';
import { WorkspaceInvites } from './invites.js';
import { WorkspaceMembers } from './members.js';
import { WorkspaceRoles } from './roles.js';
import { transferWorkspace } from './transfer.js';
import type { WorkspaceContext } from './workspace-change.js';
import { Workspaces } from './workspaces.js';

/** The parts of workspaces, by the names that routes use. */
export interface WorkspaceParts {
  workspaces: Workspaces;
  workspaceRoles: WorkspaceRoles;
  workspaceMembers: WorkspaceMembers;
  workspaceInvites: WorkspaceInvites;
  inviteLinks: InviteLinks;
  /** See `transferWorkspace` of transfer.ts. */
  transferWorkspace(caller: Caller, id: string, userId: string): Promise<void>;
}

export const openWorkspaces = (context: WorkspaceContext): WorkspaceParts => ({
  workspaces: new Workspaces(context),
  workspaceRoles: new WorkspaceRoles(context),
  workspaceMembers: new WorkspaceMembers(context),
  workspaceInvites: new WorkspaceInvites(context),
  inviteLinks: new InviteLinks(context),
  transferWorkspace: (caller, id, userId) => transferWorkspace(context, caller, id, userId),
});
