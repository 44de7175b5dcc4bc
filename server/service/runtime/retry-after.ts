/** Seconds after which clients retry a request that failed with `SERVICE_UNAVAILABLE`. */
export const RETRY_AFTER_SECONDS = 5;
