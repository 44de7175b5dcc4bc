import type { BlobError } from '../../protocol/errors.js';
import type { MessageKey } from '../locales/localizer.js';

/**
 * Texts for files that the service could not fetch. A key is a code, or a code with its reason or field.
 * @see docs/guides/fetch-by-url.md
 */
export const LINK_ERRORS: ReadonlyMap<string, MessageKey> = new Map([
  ['FETCH_FAILED', 'linkWithoutFile'],
  ['FETCH_FAILED address', 'linkNotPublic'],
  ['FETCH_FAILED connection', 'linkUnreachable'],
  ['FETCH_FAILED timeout', 'linkUnreachable'],
  ['FETCH_FAILED too_slow', 'linkUnreachable'],
  ['FETCH_LIMIT_REACHED', 'tooManyUploads'],
  ['FETCH_DISABLED', 'linksNotAllowed'],
  ['BLOB_UPLOAD_TOKEN_CONSTRAINT allow_fetch', 'linksNotAllowed'],
  // The service refuses an internal address that the URL itself states before it requests it.
  ['VALIDATION_ERROR url', 'linkNotPublic'],
]);

/** Returns the text for an error that only links have. */
export const findLinkError = ({ code, details }: BlobError): MessageKey | undefined =>
  LINK_ERRORS.get(`${code} ${String(details['reason'] ?? details['field'] ?? details['path'])}`) ?? LINK_ERRORS.get(code);
