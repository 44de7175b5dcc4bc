import { BlobError } from '../protocol/errors.js';

/**
 * Reads a `BlobError` that a function of the page threw. A page may contain the package twice, such as in a bundle with its own transport,
 * so an error of the other copy is converted.
 *
 * @returns undefined for any other error
 */
export function readBlobError(thrown: unknown): BlobError | undefined {
  if (thrown instanceof BlobError) return thrown;
  const { name, message, code, status, details } = Object(thrown) as Partial<BlobError>;
  const isFromOtherCopy =
    name === 'BlobError' && typeof code === 'string' && typeof status === 'number' && Object(details) === details;
  return isFromOtherCopy ? new BlobError(code, String(message), { status, details: details!, cause: thrown }) : undefined;
}

/** Converts anything thrown to a `BlobError`. An unknown error counts as a missing response. */
export const asBlobError = (cause: unknown): BlobError =>
  readBlobError(cause) ?? new BlobError('NETWORK_ERROR', (cause as Error | undefined)?.message ?? String(cause), { cause });

/** Returns whether the file on disk is the cause: it is gone, or changed since it was chosen. */
export const isUnreadable = ({ code }: BlobError): boolean => code === 'FILE_UNREADABLE' || code === 'FILE_CHANGED';
