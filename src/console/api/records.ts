// Records of the REST API that more than one section reads. `src/protocol/types.ts` has files and upload tokens.

export interface User {
  id: string;
  name: string;
  email: string;
  language: 'en-us' | 'pt-br' | 'es-es';
  workspace_invites_enabled: boolean;
  plan_id: number;
  is_admin: boolean;
}

export interface Workspace {
  id: string;
  name: string;
  owner_id: string;
  /** Permissions of the user. */
  permissions: string[];
}
