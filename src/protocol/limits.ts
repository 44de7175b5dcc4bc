/**
 * Every bound the platform names, in one place: the element, the helper, the service and the commands all read them here.
 * Source: platform-api, "Limits", "Upload token" and "API key"; the storage rows from the REST contract.
 */

export const TOKEN_PREFIX = 'svcup_';
export const KEY_PREFIX = 'svc_live_';

/** What an upload token may fix, with the platform's bounds. Times in seconds. */
export const UPLOAD_TOKEN = {
  expiresIn: { min: 60, max: 3600, default: 900 },
  maxUses: { min: 1, max: 100, default: 1 },
  allowedExtensions: { min: 1, max: 20 },
} as const;

export const API_KEY = {
  name: { min: 1, max: 40 },
  perAccount: 10,
  allowedIps: 20,
} as const;

/** How long a temporary S3 key pair may live: a minute to a week, as presigned addresses. Seconds. */
export const S3_CREDENTIAL = { expiresIn: { min: 60, max: 604_800 } } as const;

/** UTF-8 bytes of a file's path and of each of its segments. */
export const PATH = { maxBytes: 1024, segmentMaxBytes: 255 } as const;

/** One `POST /v1/files/batch`. `maxBytes` counts the whole body. */
export const BATCH = { maxParts: 100, maxBytes: 32 * 1024 * 1024 } as const;

/** One stored file: 5 TiB, as in S3. */
export const FILE = { maxBytes: 5 * 1024 ** 4 } as const;

export const LIST = { limit: { min: 1, max: 1000, default: 100 } } as const;
export const BULK_DELETE = { min: 1, max: 1000 } as const;

/** Temporary links, seconds. */
export const LINK = { expiresIn: { min: 1, max: 604_800, default: 3600 } } as const;

/** User metadata of a file: as S3 bounds it, so that it survives the S3 endpoint. */
export const METADATA = { maxBytes: 2048, maxEntries: 64, key: /^[a-z0-9][a-z0-9._-]{0,63}$/ } as const;

export const IDEMPOTENCY = { keepSeconds: 86_400, minLength: 16, maxLength: 255 } as const;

/** A started upload may finish this long after its token expired. Seconds. */
export const UPLOAD_GRACE_SECONDS = 3600;

/** An unfinished resumable upload lives this long after its last byte, a finished one answers this long. Seconds. */
export const RESUMABLE = { keepSeconds: 86_400 } as const;

/**
 * Unfinished uploads of several requests, S3 multipart and resumable (tus) ones counted apart: of one key, and of an account. Finished, aborted
 * and expired ones do not count.
 */
export const OPEN_UPLOADS = { perCredential: 5000, perAccount: 10_000, retryAfterSeconds: 60 } as const;
