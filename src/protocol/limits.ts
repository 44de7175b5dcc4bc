/** Limits of the options of an upload token. `expiresIn` counts seconds. */
export const UPLOAD_TOKEN = {
  expiresIn: { min: 60, max: 3600, default: 900 },
  maxUses: { min: 1, max: 100, default: 1 },
  allowedExtensions: { min: 1, max: 20 },
} as const;

/** Limits of API keys: characters of a name, active keys of an account, addresses in `allowed_ips`. */
export const API_KEY = {
  name: { min: 1, max: 40 },
  perAccount: 10,
  allowedIps: 20,
} as const;

/** Lifetime of a temporary S3 key pair, in seconds: from a minute to a week, like presigned URLs. */
export const S3_CREDENTIAL = { expiresIn: { min: 60, max: 604_800 } } as const;

/** Longest path and longest segment of a path, in UTF-8 bytes. */
export const PATH = { maxBytes: 1024, segmentMaxBytes: 255 } as const;

/** Limits of a request `POST /v1/files/batch`. `maxBytes` counts the whole body. */
export const BATCH = { maxParts: 100, maxBytes: 32 * 1024 * 1024 } as const;

/** Largest file: 5 TiB, like in S3. */
export const FILE = { maxBytes: 5 * 1024 ** 4 } as const;

/** Entries of one page of a list. */
export const LIST = { limit: { min: 1, max: 1000, default: 100 } } as const;
/** Longest `name` of a search, in UTF-16 units. */
export const FILE_SEARCH = { nameMaxLength: 255 } as const;
/** Files of a request `POST /v1/files/delete`. */
export const BULK_DELETE = { min: 1, max: 1000 } as const;

/** Limits of a request `POST /v1/files/fetch`. `timeout` counts seconds. */
export const FETCH = { timeout: { min: 1, max: 300 }, allowedTypes: 20 } as const;

/** Lifetime of a temporary link, in seconds. */
export const LINK = { expiresIn: { min: 1, max: 604_800, default: 3600 } } as const;

/** Previews of stored files in the element: ids of a request, seconds until the links expire, and their sizes. */
export const PREVIEW = {
  maxIds: 50,
  expiresIn: 300,
  sizes: {
    row: { w: 80, h: 80, fit: 'cover' },
    tile: { w: 360, h: 360, fit: 'cover' },
    screen: { w: 1600, h: 1600, fit: 'contain' },
  },
} as const;

/** Size of a preview: in a row, on a tile of the grid, on the whole screen. */
export type PreviewSize = keyof typeof PREVIEW.sizes;

/** Limits of resized images: pixels of a side, quality, sizes of a rule. `listedQualities` hold where everyone may choose. */
export const IMAGE = {
  side: { min: 1, max: 4096 },
  quality: { min: 1, max: 100, default: 75 },
  listedQualities: [50, 75, 90],
  sizesOfRule: 50,
} as const;

/**
 * Limits of a file's metadata. They are those of S3, so that the S3 endpoint can return all metadata. `maxBytes` counts names and
 * values in UTF-8.
 */
export const METADATA = { maxBytes: 2048, maxEntries: 64, key: /^[a-z0-9][a-z0-9._-]{0,63}$/ } as const;

/** Characters of an `Idempotency-Key`, and the time for which it is stored. */
export const IDEMPOTENCY = { keepSeconds: 86_400, minLength: 16, maxLength: 255 } as const;

/**
 * Seconds that an upload with a token may run, counted from its start, even if the token expires meanwhile. An unfinished resumable
 * upload is kept as long after the expiry of its token.
 */
export const UPLOAD_GRACE_SECONDS = 3600;

/** An unfinished resumable upload is kept this many seconds after its last byte. The state of a finished one is kept as long. */
export const RESUMABLE = { keepSeconds: 86_400 } as const;

/**
 * Most unfinished uploads of one key and of an account. S3 multipart uploads and resumable (tus) uploads are counted separately.
 * Finished, aborted and expired uploads do not count.
 */
export const OPEN_UPLOADS = { perCredential: 5000, perAccount: 10_000, retryAfterSeconds: 60 } as const;
