import type { Caller } from '../workspaces/caller.js';
import type { WorkspaceContext } from '../workspaces/workspace-change.js';
import { ResourceFolders } from './folders.js';
import { readOrganization } from './organization.js';
import type { Organization } from './organization.js';
import { ResourcePlaces } from './resources.js';
import { personalView, workspaceView } from './view.js';

/** The folders and favorites of users: personal ones, and those of each member in a workspace. */
export class Organizations {
  readonly folders: ResourceFolders;
  readonly places: ResourcePlaces;

  constructor(private readonly context: WorkspaceContext) {
    this.folders = new ResourceFolders(context);
    this.places = new ResourcePlaces(context);
  }

  /** @param workspaceId undefined for the personal view. @throws `WORKSPACE_NOT_FOUND` */
  async read(caller: Caller, workspaceId: string | undefined): Promise<Organization> {
    const { metadata, memberships } = this.context;
    const view =
      workspaceId === undefined
        ? personalView(caller)
        : workspaceView(caller.userId, await memberships.require(workspaceId, caller.userId));
    return readOrganization(metadata.db, view);
  }
}
