import type { Rejection } from '../../queue/types.js';
import { BlobError, TOKEN_REFUSED_MESSAGE } from '../../protocol/errors.js';
import { normalizeExtension } from '../../protocol/extensions.js';
import { toDisplayText, truncateText } from '../../protocol/display-text.js';
import type { MessageKey, Localizer } from './localizer.js';
import { nameAccepted, nameTypes } from './name-types.js';

// Rules and errors contain codes and numbers. Only this file turns them into texts for people.

/** Returns the text for a file that was refused before the upload. */
export function rejectionText(localizer: Localizer, { code, details }: Rejection): string {
  switch (code) {
    case 'BLOCKED_FILE_TYPE':
      return details['accept']
        ? chooseTypesText(localizer, nameAccepted(details['accept'] as string[], localizer))
        : typeNotAllowedText(localizer, details);
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
  // The page is misconfigured, which the person cannot fix.
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

/** Finds the texts of errors that only links have. Pages with `sources` load and set it. */
export const linkErrors: { find?: (error: BlobError) => MessageKey | undefined } = {};

/** Texts of the page for errors, by their code. */
export type ErrorTexts = Readonly<Record<string, string>>;

/** Returns the text for a file that failed. @param ownTexts texts of the page in place of those of the localizer */
export function errorText(localizer: Localizer, error: BlobError, ownTexts: ErrorTexts | null): string {
  // An error of the token route is wrapped in TOKEN_SUPPLY_FAILED, but says more.
  const { code, message, details } = error.cause instanceof BlobError ? error.cause : error;
  // The code comes from a response, so it can be any text.
  if (ownTexts && Object.hasOwn(ownTexts, code)) return ownTexts[code]!;
  const siteMessage = code === 'TOKEN_REFUSED' ? siteMessageOf(message) : undefined;
  if (siteMessage !== undefined) return siteMessage;
  if (details['part']) return localizer.text('scriptNotLoaded');
  if (code === 'BLOCKED_FILE_TYPE') return typeNotAllowedText(localizer, details);
  // A proxy in front of the service responds with 413 and its own body.
  if (code === 'BLOB_FILE_TOO_LARGE' || error.status === 413) return tooLargeText(localizer, details);
  // A single token uploads as many files as it has uses.
  const maxFiles = details['max_files'];
  if (Number.isInteger(maxFiles) && Number(maxFiles) > 0) return localizer.text('tooManyFiles', { count: Number(maxFiles) });
  return localizer.text(linkErrors.find?.(error) ?? BY_CODE.get(code) ?? BY_CODE.get(error.code) ?? 'notUploaded');
}

/** A response may list at most this many accepted types. */
const MAX_RESPONSE_TYPES = 100;
/** Longest message of a site, in UTF-16 code units, that is shown beside a file. */
const MAX_SITE_MESSAGE = 300;

/** Returns the message that the site's token route wrote for the person; undefined if there is none. */
function siteMessageOf(message: unknown): string | undefined {
  const text = typeof message === 'string' ? toDisplayText(message, ' ').trim() : '';
  if (text === '' || text === TOKEN_REFUSED_MESSAGE || text === 'TOKEN_REFUSED') return undefined;
  return truncateText(text, MAX_SITE_MESSAGE);
}

function typeNotAllowedText(localizer: Localizer, details: Readonly<Record<string, unknown>>): string {
  // The list may come from a response, so it can contain anything.
  const value = details['allowed_extensions'];
  const extensions: unknown[] = Array.isArray(value) ? value.slice(0, MAX_RESPONSE_TYPES) : [];
  const types = nameTypes(extensions.flatMap((one) => (typeof one === 'string' ? (normalizeExtension(one) ?? []) : [])));
  return types.length === 0 ? localizer.text('typeNotAllowed') : chooseTypesText(localizer, types);
}

const chooseTypesText = (localizer: Localizer, types: readonly string[]): string =>
  localizer.text('typeNotOneOf', { types: localizer.anyOf(types) });

function tooLargeText(localizer: Localizer, details: Readonly<Record<string, unknown>>): string {
  const size = details['max_size'];
  return typeof size === 'number'
    ? localizer.text('fileTooLarge', { size: localizer.size(size) })
    : localizer.text('fileTooLargeNoLimit');
}
