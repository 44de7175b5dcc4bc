// Columns of users, sessions, OAuth, workspaces and the activity log. The conventions of tables.ts hold here too.

export type Language = 'pt-br' | 'en-us' | 'es-es';

export interface UsersTable {
  id: string;
  account_id: string;
  name: string;
  /** As the user wrote it. */
  email: string;
  /** In lower case. Unique. */
  email_key: string;
  password_hash: string;
  language: Language;
  workspace_invites_enabled: number;
  plan_id: number;
  is_admin: number;
  disabled_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface SessionsTable {
  id: string;
  user_id: string;
  /** Hash of the cookie. */
  secret_hash: string;
  ip: string;
  user_agent: string;
  created_at: number;
  last_used_at: number;
}

/** A link that works once: the set-up of the first administrator, or the invitation of a user. Its row is deleted when it is used. */
export interface OneTimeLinksTable {
  id: string;
  kind: 'setup' | 'invitation';
  secret_hash: string;
  /** The invited address. */
  email: string | null;
  /** The language of the invited user. */
  language: Language | null;
  /** The administrator who created it; null for the service itself. */
  created_by: string | null;
  created_at: number;
  expires_at: number;
}

/** A consent page that a signed-in user has opened. */
export interface OauthConsentsTable {
  id: string;
  secret_hash: string;
  session_id: string;
  /** The validated authorization request. */
  request_json: string;
  created_at: number;
  expires_at: number;
}

export interface OauthCodesTable {
  id: string;
  code_hash: string;
  client_id: string;
  redirect_uri: string;
  user_id: string;
  resource: string | null;
  scopes_json: string;
  /** The `code_challenge` of method S256. */
  challenge: string;
  client_json: string;
  /** The key that the user chose to replace. */
  replaces_key_id: string | null;
  /** The key that the exchange created. A replay revokes it. */
  key_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface WorkspacesTable {
  id: string;
  owner_id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

export interface WorkspaceRolesTable {
  id: string;
  workspace_id: string;
  name: string;
  permissions_json: string;
  created_at: number;
  updated_at: number;
}

/** A membership. Its id changes when a removed user joins again, so that nothing created by the old membership revives. */
export interface WorkspaceMembersTable {
  id: string;
  workspace_id: string;
  user_id: string;
  role_id: string;
  /** Null: the membership does not expire. */
  expires_at: number | null;
  joined_at: number;
}

export interface WorkspaceInvitesTable {
  id: string;
  workspace_id: string;
  secret_hash: string;
  /** The only address that may accept it, in lower case; null: anyone with the link. */
  email_key: string | null;
  role_id: string;
  expires_at: number;
  max_uses: number;
  uses: number;
  created_by: string;
  created_at: number;
}

export interface ResourceFoldersTable {
  id: string;
  user_id: string;
  /** Empty for the personal folders of the user. */
  workspace_id: string;
  name: string;
  color: string;
  position: number;
  created_at: number;
}

export interface FolderResourcesTable {
  user_id: string;
  workspace_id: string;
  resource_type: string;
  resource_id: string;
  folder_id: string;
  position: number;
}

export interface FavoritesTable {
  user_id: string;
  workspace_id: string;
  resource_type: string;
  resource_id: string;
  position: number;
}

/** An entry of the activity log. */
export interface ActivitiesTable {
  id: string;
  /** The account that was acted on; null for failed sign-ins of unknown users. */
  account_id: string | null;
  workspace_id: string | null;
  status: 'success' | 'failure';
  target_type: string;
  target_id: string | null;
  author_id: string | null;
  author: string | null;
  origin: 'user' | 'api_key' | 'system' | 'admin';
  action: string;
  details_json: string;
  created_at: number;
}

export interface IdentityTables {
  users: UsersTable;
  sessions: SessionsTable;
  one_time_links: OneTimeLinksTable;
  oauth_consents: OauthConsentsTable;
  oauth_codes: OauthCodesTable;
  workspaces: WorkspacesTable;
  workspace_roles: WorkspaceRolesTable;
  workspace_members: WorkspaceMembersTable;
  workspace_invites: WorkspaceInvitesTable;
  resource_folders: ResourceFoldersTable;
  folder_resources: FolderResourcesTable;
  favorites: FavoritesTable;
  activities: ActivitiesTable;
}
