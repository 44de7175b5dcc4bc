import { BlobError } from '../protocol/errors.js';

/** Converts anything thrown to a `BlobError`. An unknown error counts as a missing response. */
export const asBlobError = (cause: unknown): BlobError =>
  cause instanceof BlobError
    ? cause
    : new BlobError('NETWORK_ERROR', (cause as Error | undefined)?.message ?? String(cause), { cause });

/** Returns whether the file on disk is the cause: it is gone, or changed since it was chosen. */
export const isUnreadable = ({ code }: BlobError): boolean => code === 'FILE_UNREADABLE' || code === 'FILE_CHANGED';
