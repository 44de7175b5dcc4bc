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

/** The part of `GET /v1/s3-credentials` that addresses a storage over S3. */
export interface S3Place {
  bucket: string;
  /** Null if the service does not know its S3 address. */
  endpoint: string | null;
}

/** Stands for an S3 address that the service does not know. */
export const UNKNOWN_ENDPOINT = 'https://S3-ADDRESS';
