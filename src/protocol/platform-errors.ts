import { BlobError } from './errors.js';
import type { BlobErrorOptions } from './errors.js';
import { PLATFORM_ERROR_STATUS } from './platform-error-codes.js';
import type { PlatformErrorCode } from './platform-error-codes.js';

/** Creates an error with a code of `PLATFORM_ERROR_STATUS` and its status. */
export const platformError = (code: PlatformErrorCode, message: string, options: BlobErrorOptions = {}): BlobError =>
  new BlobError(code, message, { status: PLATFORM_ERROR_STATUS[code], ...options });
