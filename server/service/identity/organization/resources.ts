import { sql } from 'kysely';
import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import type { Caller } from '../workspaces/caller.js';
import type { WorkspaceContext } from '../workspaces/workspace-change.js';
import { requireFolder } from './folders.js';
import { readOrganization } from './organization.js';
import type { Organization } from './organization.js';
import { closeGap, countRows, makeRoom } from './positions.js';
import type { OrderedRows } from './positions.js';
import { assertAccessible, changeView } from './view.js';
import type { Resource, View, ViewChange } from './view.js';

/** Maximum number of favorites of a view, and of resources in a folder. */
export const MAX_RESOURCES = 1000;

const favoritesOf = ({ userId, workspaceId }: View): OrderedRows => ({
  table: 'favorites',
  where: sql`user_id = ${userId} and workspace_id = ${workspaceId}`,
});

const resourcesOf = (folderId: string): OrderedRows => ({ table: 'folder_resources', where: sql`folder_id = ${folderId}` });

/** Puts resources into folders and among the favorites of users. Each operation may be repeated. */
export class ResourcePlaces {
  constructor(private readonly context: WorkspaceContext) {}

  /** Puts a resource into a folder, or moves it there from another one of the view. @throws `NOT_FOUND` */
  putIntoFolder(
    caller: Caller,
    workspaceId: string | undefined,
    folderId: string,
    resource: Resource,
    position?: number,
  ): Promise<Organization> {
    return this.#change(caller, workspaceId, async (change) => {
      const folder = await requireFolder(change, folderId);
      await assertAccessible(change, resource);
      const before = await findRow(change, 'folder_resources', resource).select('folder_id').executeTakeFirst();
      const current = before?.folder_id === folderId ? before.position : undefined;
      if (current === undefined) await assertBelowLimit(change, resourcesOf(folderId));
      if (before && current === undefined) await closeGap(change.query, resourcesOf(before.folder_id), before.position);
      const target = await makeRoom(change.query, resourcesOf(folderId), current, position);
      if (target === current) return;
      await change.query
        .insertInto('folder_resources')
        .values({ ...keyOf(change, resource), folder_id: folderId, position: target })
        .onConflict((conflict) =>
          conflict
            .columns(['user_id', 'workspace_id', 'resource_type', 'resource_id'])
            .doUpdateSet({ folder_id: folderId, position: target }),
        )
        .execute();
      await recordResource(change, 'folder.resource_added', resource, {
        folder_id: folderId,
        folder: folder.name,
        position: target,
        ...(before && { from_folder_id: before.folder_id }),
      });
    });
  }

  /** Takes a resource out of a folder. @throws `NOT_FOUND` for an unknown folder. */
  removeFromFolder(caller: Caller, workspaceId: string | undefined, folderId: string, resource: Resource): Promise<Organization> {
    return this.#change(caller, workspaceId, async (change) => {
      const folder = await requireFolder(change, folderId);
      const row = await findRow(change, 'folder_resources', resource).where('folder_id', '=', folderId).executeTakeFirst();
      if (!row) return;
      await deleteRow(change, 'folder_resources', resource);
      await closeGap(change.query, resourcesOf(folderId), row.position);
      await recordResource(change, 'folder.resource_removed', resource, { folder_id: folderId, folder: folder.name });
    });
  }

  /** @throws `NOT_FOUND` for a resource that the user cannot access. */
  addFavorite(caller: Caller, workspaceId: string | undefined, resource: Resource, position?: number): Promise<Organization> {
    return this.#change(caller, workspaceId, async (change) => {
      await assertAccessible(change, resource);
      const current = (await findRow(change, 'favorites', resource).executeTakeFirst())?.position;
      if (current === undefined) await assertBelowLimit(change, favoritesOf(change.view));
      const target = await makeRoom(change.query, favoritesOf(change.view), current, position);
      if (target === current) return;
      await change.query
        .insertInto('favorites')
        .values({ ...keyOf(change, resource), position: target })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'workspace_id', 'resource_type', 'resource_id']).doUpdateSet({ position: target }),
        )
        .execute();
      await recordResource(change, current === undefined ? 'favorite.added' : 'favorite.moved', resource, { position: target });
    });
  }

  removeFavorite(caller: Caller, workspaceId: string | undefined, resource: Resource): Promise<Organization> {
    return this.#change(caller, workspaceId, async (change) => {
      const row = await findRow(change, 'favorites', resource).executeTakeFirst();
      if (!row) return;
      await deleteRow(change, 'favorites', resource);
      await closeGap(change.query, favoritesOf(change.view), row.position);
      await recordResource(change, 'favorite.removed', resource);
    });
  }

  #change(caller: Caller, workspaceId: string | undefined, job: (change: ViewChange) => Promise<void>): Promise<Organization> {
    return changeView(this.context, caller, workspaceId, async (change) => {
      await job(change);
      return readOrganization(change.query, change.view);
    });
  }
}

type ResourceTable = 'folder_resources' | 'favorites';

const keyOf = ({ view }: ViewChange, { type, id }: Resource) => ({
  user_id: view.userId,
  workspace_id: view.workspaceId,
  resource_type: type,
  resource_id: id,
});

function findRow({ query, view }: ViewChange, table: ResourceTable, { type, id }: Resource) {
  return query
    .selectFrom(table as 'folder_resources')
    .select('position')
    .where('user_id', '=', view.userId)
    .where('workspace_id', '=', view.workspaceId)
    .where('resource_type', '=', type)
    .where('resource_id', '=', id);
}

const deleteRow = ({ query, view }: ViewChange, table: ResourceTable, { type, id }: Resource) =>
  query
    .deleteFrom(table)
    .where('user_id', '=', view.userId)
    .where('workspace_id', '=', view.workspaceId)
    .where('resource_type', '=', type)
    .where('resource_id', '=', id)
    .execute();

async function assertBelowLimit({ query }: ViewChange, rows: OrderedRows): Promise<void> {
  if ((await countRows(query, rows)) < MAX_RESOURCES) return;
  throw countLimitError(
    'resource_id',
    `cannot be added: there are ${MAX_RESOURCES} resources already, the maximum`,
    'too_many_resources',
    MAX_RESOURCES,
  );
}

const recordResource = (
  change: ViewChange,
  action: ActivityAction,
  { type, id }: Resource,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> => change.record({ action, targetType: type, targetId: id, details });
