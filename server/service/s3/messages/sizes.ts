/** Bounds of S3 itself. Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */

/** One PUT, one part, one form. Bytes. */
export const MAX_PUT = 5 * 1024 ** 3;
/** All parts but the last. Bytes. */
export const MIN_PART = 5 * 1024 ** 2;
export const MAX_PARTS = 10_000;
