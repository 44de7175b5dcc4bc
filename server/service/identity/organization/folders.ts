import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { BlobError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { ResourceFoldersTable } from '../../drivers/metadata/identity-tables.js';
import { newId } from '../../runtime/ids.js';
import type { Caller } from '../workspaces/caller.js';
import type { WorkspaceContext } from '../workspaces/workspace-change.js';
import { toFolderRecord } from './organization.js';
import type { FolderColor, FolderRecord } from './organization.js';
import { closeGap, makeRoom } from './positions.js';
import type { OrderedRows } from './positions.js';
import { changeView } from './view.js';
import type { View, ViewChange } from './view.js';

export interface FolderFields {
  name: string;
  /** @default "neutral" */
  color?: FolderColor;
  /** Positions beyond the end mean the end. @default the end */
  position?: number;
}

/** Maximum number of folders of a view. */
export const MAX_FOLDERS = 100;

const foldersOf = ({ userId, workspaceId }: View): OrderedRows => ({
  table: 'resource_folders',
  where: sql`user_id = ${userId} and workspace_id = ${workspaceId}`,
});

/** @throws `NOT_FOUND`, also for the folder of another user. */
export async function requireFolder({ query, view }: ViewChange, id: string): Promise<Selectable<ResourceFoldersTable>> {
  const row = await query
    .selectFrom('resource_folders')
    .selectAll()
    .where('user_id', '=', view.userId)
    .where('workspace_id', '=', view.workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new BlobError('NOT_FOUND', `There is no folder ${id}.`, { details: { id } });
  return row;
}

/** Stores the folders of users. `workspaceId` is undefined for personal folders. */
export class ResourceFolders {
  constructor(private readonly context: WorkspaceContext) {}

  /** @throws `WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT`, `VALIDATION_ERROR` if the view is full. */
  create(caller: Caller, workspaceId: string | undefined, fields: FolderFields): Promise<FolderRecord> {
    return changeView(this.context, caller, workspaceId, async (change) => {
      const { query, view, now } = change;
      await assertNameIsFree(change, fields.name);
      await assertBelowLimit(change);
      const position = await makeRoom(query, foldersOf(view), undefined, fields.position);
      const row = await query
        .insertInto('resource_folders')
        .values({
          id: newId('folder'),
          user_id: view.userId,
          workspace_id: view.workspaceId,
          name: fields.name,
          color: fields.color ?? 'neutral',
          position,
          created_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordFolder(change, 'created', row);
      return toFolderRecord(row);
    });
  }

  /** @throws `NOT_FOUND`, `WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT` */
  change(caller: Caller, workspaceId: string | undefined, id: string, fields: Partial<FolderFields>): Promise<FolderRecord> {
    return changeView(this.context, caller, workspaceId, async (change) => {
      const { query, view } = change;
      const before = await requireFolder(change, id);
      const { name = before.name, color = before.color } = fields;
      if (name !== before.name) await assertNameIsFree(change, name);
      const position = await makeRoom(query, foldersOf(view), before.position, fields.position);
      const row = await query
        .updateTable('resource_folders')
        .set({ name, color, position })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordFolder(change, 'changed', row);
      return toFolderRecord(row);
    });
  }

  /** Deletes a folder. Its resources stay. @throws `NOT_FOUND` */
  delete(caller: Caller, workspaceId: string | undefined, id: string): Promise<void> {
    return changeView(this.context, caller, workspaceId, async (change) => {
      const row = await requireFolder(change, id);
      await change.query.deleteFrom('folder_resources').where('folder_id', '=', id).execute();
      await change.query.deleteFrom('resource_folders').where('id', '=', id).execute();
      await closeGap(change.query, foldersOf(change.view), row.position);
      await recordFolder(change, 'deleted', row);
    });
  }
}

async function assertNameIsFree({ query, view }: ViewChange, name: string): Promise<void> {
  const taken = await query
    .selectFrom('resource_folders')
    .select('id')
    .where('user_id', '=', view.userId)
    .where('workspace_id', '=', view.workspaceId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (taken)
    throw platformError(
      'WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT',
      `You already have a folder ${name} here. Choose another name.`,
    );
}

async function assertBelowLimit({ query, view }: ViewChange): Promise<void> {
  const last = await query
    .selectFrom('resource_folders')
    .select('id')
    .where('user_id', '=', view.userId)
    .where('workspace_id', '=', view.workspaceId)
    .limit(1)
    .offset(MAX_FOLDERS - 1)
    .executeTakeFirst();
  if (last)
    throw countLimitError(
      'name',
      `cannot name another folder: you have ${MAX_FOLDERS} here, the maximum. Delete one first`,
      'too_many_folders',
      MAX_FOLDERS,
    );
}

const recordFolder = (
  change: ViewChange,
  verb: ActivityChange<'folder'>,
  { id, name, color, position }: Selectable<ResourceFoldersTable>,
) => change.record({ action: `folder.${verb}`, targetType: 'folder', targetId: id, details: { name, color, position } });
