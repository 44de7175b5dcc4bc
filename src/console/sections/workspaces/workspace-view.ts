import type { ConsoleContext } from '../../shell/context.js';
import type { Permission } from './permissions.js';
import type { Role, WorkspaceDetails } from './records.js';

/** Pages of a workspace, in the order of their links. */
export const PAGES = ['members', 'roles', 'invites', 'folders', 'activity', 'settings'] as const;
export type WorkspacePage = (typeof PAGES)[number];

/** A workspace as its pages see it: the record, and what the user may do. */
export class WorkspaceView {
  constructor(
    readonly context: ConsoleContext,
    readonly details: WorkspaceDetails,
    /** Reads the workspace again, after a change. */
    readonly reload: () => Promise<void>,
  ) {}

  get isOwner(): boolean {
    return this.details.owner_id === this.context.user.id;
  }

  may(permission: Permission): boolean {
    return this.details.permissions.includes(permission);
  }

  /** Whether the user has all of these permissions, and so may give and take them. */
  mayGrant(permissions: readonly Permission[]): boolean {
    return permissions.every((permission) => this.may(permission));
  }

  roleOf(id: string): Role | undefined {
    return this.details.roles.find((role) => role.id === id);
  }

  /** Returns the address of a route of the workspace. @param rest begins with a slash, or is empty */
  path(rest = ''): string {
    return `/v1/workspaces/${encodeURIComponent(this.details.id)}${rest}`;
  }
}
