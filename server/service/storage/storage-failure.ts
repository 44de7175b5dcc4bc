import { BlobError } from '../../../src/protocol/errors.js';
import { DatabaseUnavailable } from '../drivers/metadata/database-unavailable.js';
import { isDatabaseFull } from '../drivers/metadata/metadata.js';
import { isOutOfDescriptors } from '../runtime/descriptors.js';
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.js';

/**
 * Translates failures of the database and of the operating system for clients.
 * @returns `STORAGE_FULL` for a full disk, `SERVICE_UNAVAILABLE` where a retry may help, undefined for any other error.
 */
export function storageFailure(error: unknown): BlobError | undefined {
  if (isDatabaseFull(error)) return new BlobError('STORAGE_FULL', 'The disk is full; nothing was stored.', { cause: error });
  const details = { retry_after: RETRY_AFTER_SECONDS };
  if (error instanceof DatabaseUnavailable)
    return new BlobError('SERVICE_UNAVAILABLE', 'The database does not respond. Try again.', { details, cause: error });
  if (isOutOfDescriptors(error))
    return new BlobError('SERVICE_UNAVAILABLE', 'The service has too many open files and connections. Try again.', {
      details,
      cause: error,
    });
  return undefined;
}
