import type { Rejection } from '../../queue/types.js';
import { BlobError, REFUSED } from '../../protocol/errors.js';
import { normalizeExtension } from '../../protocol/file-names.js';
import { drawable, shorten } from '../../protocol/display-text.js';
import type { MessageKey, Localizer } from './localizer.js';

/** What is wrong and what to do, in words. Rules and errors carry codes and numbers; the text is made only here. */

export function rejectionText(localizer: Localizer, { code, details }: Rejection): string {
  switch (code) {
    case 'BLOCKED_FILE_TYPE':
      return typeNotAllowedText(localizer, details);
    case 'BLOB_FILE_TOO_LARGE':
      return tooLargeText(localizer, details);
    case 'EMPTY_FILE':
      return localizer.text('fileEmpty');
    case 'TOO_MANY_FILES':
      return localizer.text('tooManyFiles', { count: Number(details['max_files'] ?? 1) });
    case 'TOTAL_TOO_LARGE':
      return localizer.text('totalTooLarge', { size: localizer.size(Number(details['max_total_size'])) });
    case 'DUPLICATE_FILE':
      return localizer.text('duplicate');
    case 'CONTENT_MISMATCH':
      return localizer.text('contentMismatch');
  }
}

const BY_CODE: ReadonlyMap<string, MessageKey> = new Map([
  ['NETWORK_ERROR', 'connectionInterrupted'],
  ['STALLED', 'connectionInterrupted'],
  ['UPLOAD_TOO_SLOW', 'connectionInterrupted'],
  ['FILE_UNREADABLE', 'fileUnreadable'],
  ['FILE_CHANGED', 'fileChanged'],
  ['TOKEN_SUPPLY_FAILED', 'uploadsUnavailable'],
  ['AUTH_TOKEN_MISSING', 'uploadsUnavailable'],
  // The page, not the file, is at fault.
  ['VALIDATION_ERROR', 'uploadsUnavailable'],
  ['BLOB_UPLOAD_TOKEN_INVALID', 'permissionExpired'],
  ['BLOB_UPLOAD_TOKEN_CONSTRAINT', 'fileNotAllowed'],
  ['NO_FILE_UPLOADED', 'fileEmpty'],
  ['FILE_EXISTS', 'fileExists'],
  ['INVALID_PATH', 'invalidName'],
  ['STORAGE_FULL', 'storageFull'],
  ['RATE_LIMIT_EXCEEDED', 'tooManyUploads'],
  ['DAILY_QUOTA_EXCEEDED', 'tooManyUploads'],
  ['CHECKSUM_MISMATCH', 'fileDamaged'],
]);

export function errorText(localizer: Localizer, error: BlobError): string {
  // The token route's own error says more than ours about it.
  const { code, message, details } = error.cause instanceof BlobError ? error.cause : error;
  const siteMessage = code === 'TOKEN_REFUSED' ? siteMessageOf(message) : undefined;
  if (siteMessage !== undefined) return siteMessage;
  if (details['part']) return localizer.text('scriptNotLoaded');
  if (code === 'BLOCKED_FILE_TYPE') return typeNotAllowedText(localizer, details);
  // A proxy before the service says it in its own way.
  if (code === 'BLOB_FILE_TOO_LARGE' || error.status === 413) return tooLargeText(localizer, details);
  // A token alone carries as many files as it has uses.
  const most = details['max_files'];
  if (Number.isInteger(most) && Number(most) > 0) return localizer.text('tooManyFiles', { count: Number(most) });
  return localizer.text(BY_CODE.get(code) ?? BY_CODE.get(error.code) ?? 'notUploaded');
}

/** Longest message of a site (UTF-16 units) that fits beside a file. */
const SITE_MESSAGE_MAX = 300;

/** The message that the site's token route wrote for the person; undefined if it wrote none. */
function siteMessageOf(message: unknown): string | undefined {
  const text = typeof message === 'string' ? drawable(message, ' ').trim() : '';
  if (text === '' || text === REFUSED || text === 'TOKEN_REFUSED') return undefined;
  return shorten(text, SITE_MESSAGE_MAX);
}

function typeNotAllowedText(localizer: Localizer, details: Readonly<Record<string, unknown>>): string {
  // The list may come from an answer, so it can hold anything.
  const stated = details['allowed_extensions'];
  const allowed = Array.isArray(stated) && stated.length <= 6 ? stated : [];
  const types = allowed.flatMap((one) => (typeof one === 'string' ? (normalizeExtension(one)?.toUpperCase() ?? []) : []));
  return types.length === 0
    ? localizer.text('typeNotAllowed')
    : localizer.text('typeNotOneOf', { types: localizer.anyOf(types) });
}

function tooLargeText(localizer: Localizer, details: Readonly<Record<string, unknown>>): string {
  const size = details['max_size'];
  return typeof size === 'number'
    ? localizer.text('fileTooLarge', { size: localizer.size(size) })
    : localizer.text('fileTooLargeNoLimit');
}
