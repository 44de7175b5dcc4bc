import { formatTime } from '../../../../src/protocol/time.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { bucketNames } from './view.js';
import type { ResourceType, View } from './view.js';

/** Colors of folders. */
export const FOLDER_COLORS = ['neutral', 'red', 'orange', 'yellow', 'green', 'blue', 'purple'] as const;
export type FolderColor = (typeof FOLDER_COLORS)[number];

/** A resource in a folder or among the favorites. */
export interface PlacedResource {
  resource_type: ResourceType;
  resource_id: string;
  position: number;
}

export interface FolderRecord {
  id: string;
  name: string;
  color: FolderColor;
  position: number;
  created_at: string;
}

/** The folders and favorites of a user. */
export interface Organization {
  folders: (FolderRecord & { resources: PlacedResource[] })[];
  favorites: PlacedResource[];
}

export const toFolderRecord = (row: {
  id: string;
  name: string;
  color: string;
  position: number;
  created_at: number;
}): FolderRecord => ({
  id: row.id,
  name: row.name,
  color: row.color as FolderColor,
  position: Number(row.position),
  created_at: formatTime(Number(row.created_at)),
});

/** Reads the folders and favorites of a view. Resources that were deleted, or that the user may no longer see, are left out. */
export async function readOrganization(query: Query, view: View): Promise<Organization> {
  const { userId, workspaceId } = view;
  const select = (table: 'folder_resources' | 'favorites') =>
    query
      .selectFrom(table)
      .select(['resource_type', 'resource_id', 'position'])
      .where('user_id', '=', userId)
      .where('workspace_id', '=', workspaceId)
      .orderBy('position')
      .orderBy('resource_type')
      .orderBy('resource_id');
  const folders = await query
    .selectFrom('resource_folders')
    .selectAll()
    .where('user_id', '=', userId)
    .where('workspace_id', '=', workspaceId)
    .orderBy('position')
    .orderBy('id')
    .execute();
  const placed = await select('folder_resources').select('folder_id').execute();
  const favorites = await select('favorites').execute();
  const isVisible = await visibleResources(query, view, [...placed, ...favorites]);
  return {
    folders: folders.map((folder) => ({
      ...toFolderRecord(folder),
      resources: placed.filter((row) => row.folder_id === folder.id && isVisible(row)).map(toPlaced),
    })),
    favorites: favorites.filter(isVisible).map(toPlaced),
  };
}

interface ResourceRow {
  resource_type: string;
  resource_id: string;
  position: number;
}

const toPlaced = ({ resource_type, resource_id, position }: ResourceRow): PlacedResource => ({
  resource_type: resource_type as ResourceType,
  resource_id,
  position,
});

async function visibleResources(query: Query, { accountId, seesBuckets }: View, rows: readonly ResourceRow[]) {
  const ids = rows.filter((row) => row.resource_type === 'bucket').map((row) => row.resource_id);
  const names = seesBuckets ? await bucketNames(query, accountId, [...new Set(ids)]) : new Set<string>();
  return (row: ResourceRow): boolean => row.resource_type === 'bucket' && names.has(row.resource_id);
}
