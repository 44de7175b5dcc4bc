/** Bytes of the first batches, while the speed is unknown. */
const FIRST_BYTES = 1024 * 1024;
/** The largest batch is far below the service's limit, so that a broken connection costs little. */
const MAX_BYTES = 8 * 1024 * 1024;
const MIN_BYTES = 64 * 1024;
/** Seconds that a batch may take. Its files count as stored only at its end. */
const SECONDS = 3;

/**
 * Computes how many bytes of files one batch may contain, so that files are stored at short intervals on slow connections too.
 *
 * @param speed bytes per second of all requests; null while it is unknown
 * @param requests number of requests that share the connection
 */
export const batchBytes = (speed: number | null, requests: number): number =>
  speed === null ? FIRST_BYTES : Math.min(MAX_BYTES, Math.max(MIN_BYTES, (speed * SECONDS) / requests));
