import { BlobError } from './errors.js';
import type { BlobErrorOptions } from './errors.js';
import { PLATFORM_ERROR_STATUS } from './platform-error-codes.js';
import type { PlatformErrorCode } from './platform-error-codes.js';

/** Creates an error of users, keys, OAuth or workspaces with the status of its code. */
export const platformError = (code: PlatformErrorCode, message: string, options: BlobErrorOptions = {}): BlobError =>
  new BlobError(code, message, { status: PLATFORM_ERROR_STATUS[code], ...options });
