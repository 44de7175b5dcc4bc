// Records of workspaces. `api/records.ts` has the workspace itself.

import type { Workspace } from '../../api/records.js';
import type { Permission } from './permissions.js';

export interface Person {
  user_id: string;
  name: string;
  email: string;
}

export interface Member extends Person {
  role_id: string;
  /** Name of the role. */
  role: string;
  expires_at: string | null;
  joined_at: string;
}

export interface Role {
  id: string;
  name: string;
  permissions: Permission[];
}

export interface Invite {
  id: string;
  email: string | null;
  role_id: string;
  max_uses: number;
  uses: number;
  expires_at: string;
}

export interface PlacedResource {
  resource_type: 'application' | 'database' | 'bucket';
  resource_id: string;
  position: number;
}

export const FOLDER_COLORS = ['neutral', 'red', 'orange', 'yellow', 'green', 'blue', 'purple'] as const;
export type FolderColor = (typeof FOLDER_COLORS)[number];

export interface Folder {
  id: string;
  name: string;
  color: FolderColor;
  position: number;
  resources: PlacedResource[];
}

export interface WorkspaceDetails extends Workspace {
  owner: Person;
  /** Without `members:read`, only the user. */
  members: Member[];
  /** Without `members:read`, only the role of the user. */
  roles: Role[];
  resource_organization: { folders: Folder[]; favorites: PlacedResource[] };
}

export interface Activity {
  id: string;
  status: 'success' | 'failure';
  target_type: string;
  target_id: string | null;
  author_id: string | null;
  author: string | null;
  origin: 'user' | 'api_key' | 'system' | 'admin';
  action: string;
  details: Record<string, unknown>;
  created_at: string;
}
