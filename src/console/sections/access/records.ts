import type { S3Place } from '../../api/records.js';
import type { Scope } from './scopes.js';

/** An API key as the API lists it. */
export interface ApiKey {
  id: string;
  name: string;
  prefix: string | null;
  last4: string | null;
  scopes: Scope[];
  allowed_ips: string[];
  created_at: string;
  last_used_at: string | null;
}

export type CreatedApiKey = ApiKey & { api_key: string };

/** An S3 key pair without its secret. */
export interface S3KeyPair {
  access_key_id: string;
  name: string;
  read_only: boolean;
  prefix: string | null;
  expires_at: string | null;
  created_at: string;
}

export type CreatedS3KeyPair = S3KeyPair & { secret_access_key: string };

/** Keys that OAuth clients received have this before their names. */
export const APP_PREFIX = 'oauth:';
export const API_KEYS = '/v1/users/me/api-keys';

export interface S3KeyPairs extends S3Place {
  s3_credentials: S3KeyPair[];
}
