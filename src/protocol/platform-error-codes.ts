/**
 * Error codes of users, keys, OAuth, workspaces, jobs and fetches with their HTTP statuses. They are separate from `ERROR_STATUS`, because
 * pages that upload never need them.
 */
export const PLATFORM_ERROR_STATUS = {
  INVALID_PAYLOAD: 400,
  API_KEY_INVALID_NAME: 400,
  API_KEY_INVALID_SCOPES: 400,
  API_KEY_INVALID_IPS: 400,
  /** The email or the password is wrong. The response is the same for both. */
  INVALID_CREDENTIALS: 401,
  WORKSPACE_OWNER_ONLY: 403,
  /** The user is no administrator, or the sign-in arrived over http from another machine. */
  FORBIDDEN: 403,
  /** The user tried to grant a permission that they lack. */
  WORKSPACE_PERMISSION_ESCALATION: 403,
  USER_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  API_KEY_LIMIT_REACHED: 409,
  /** The account has as many unfinished jobs as it may have. */
  JOB_LIMIT_REACHED: 409,
  WORKSPACE_ROLE_IN_USE: 409,
  WORKSPACE_RESOURCE_FOLDER_NAME_CONFLICT: 409,
  /** A URL gave no file. `details.reason` states why. */
  FETCH_FAILED: 422,
  FETCH_LIMIT_REACHED: 429,
  FETCH_DISABLED: 501,
} as const;

export type PlatformErrorCode = keyof typeof PLATFORM_ERROR_STATUS;
