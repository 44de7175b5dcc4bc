/** Limits of S3. Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */

/** The maximum size of a PUT, a part or a form. */
export const MAX_PUT_BYTES = 5 * 1024 ** 3;
/** The minimum size of every part except the last. */
export const MIN_PART_BYTES = 5 * 1024 ** 2;
export const MAX_PARTS = 10_000;
