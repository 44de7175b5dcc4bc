import type { Rejection } from '../../engine/types.js';
import { BlobError, REFUSED } from '../../protocol/errors.js';
import type { Key, Words } from './words.js';

/** What is wrong and what to do, in words. Rules and errors carry codes and numbers; the text is made only here. */

export function wordsForRejection(words: Words, { code, details }: Rejection): string {
  switch (code) {
    case 'BLOCKED_FILE_TYPE':
      return typeRefused(words, details);
    case 'BLOB_FILE_TOO_LARGE':
      return tooLarge(words, details);
    case 'EMPTY_FILE':
      return words.say('empty');
    case 'TOO_MANY_FILES':
      return words.say('tooManyFiles', { count: Number(details['max_files'] ?? 1) });
    case 'TOTAL_TOO_LARGE':
      return words.say('totalTooLarge', { size: words.size(Number(details['max_total_size'])) });
    case 'DUPLICATE_FILE':
      return words.say('duplicate');
    case 'CONTENT_MISMATCH':
      return words.say('mismatch');
  }
}

const BY_CODE: Readonly<Record<string, Key>> = {
  NETWORK_ERROR: 'network',
  STALLED: 'network',
  UPLOAD_TOO_SLOW: 'network',
  FILE_UNREADABLE: 'unreadable',
  FILE_CHANGED: 'changed',
  TOKEN_SUPPLY_FAILED: 'noPermission',
  AUTH_TOKEN_MISSING: 'noPermission',
  BLOB_UPLOAD_TOKEN_INVALID: 'expired',
  BLOB_UPLOAD_TOKEN_CONSTRAINT: 'notAllowed',
  NO_FILE_UPLOADED: 'empty',
  FILE_EXISTS: 'exists',
  INVALID_PATH: 'badName',
  STORAGE_FULL: 'storageFull',
  RATE_LIMIT_EXCEEDED: 'tooBusy',
  DAILY_QUOTA_EXCEEDED: 'tooBusy',
  CHECKSUM_MISMATCH: 'damaged',
};

export function wordsForError(words: Words, error: BlobError): string {
  // Why there is no token is what the site's own route says; its words are shown where it has any.
  const { code, message, details } = error.cause instanceof BlobError ? error.cause : error;
  if (code === 'TOKEN_REFUSED' && message !== REFUSED) return message;
  if (details['part']) return words.say('notLoaded');
  if (code === 'BLOCKED_FILE_TYPE') return typeRefused(words, details);
  // A proxy before the service says it in its own way.
  if (code === 'BLOB_FILE_TOO_LARGE' || error.status === 413) return tooLarge(words, details);
  // A token alone carries as many files as it has uses.
  const most = details['max_files'];
  if (Number.isFinite(most)) return words.say('tooManyFiles', { count: Number(most) });
  return words.say(BY_CODE[code] ?? BY_CODE[error.code] ?? 'unknown');
}

function typeRefused(words: Words, details: Readonly<Record<string, unknown>>): string {
  const allowed = details['allowed_extensions'];
  if (!Array.isArray(allowed) || allowed.length === 0 || allowed.length > 6) return words.say('typeRefused');
  return words.say('typeRefusedOf', { types: words.anyOf(allowed.map((one) => String(one).toUpperCase())) });
}

function tooLarge(words: Words, details: Readonly<Record<string, unknown>>): string {
  const size = details['max_size'];
  return typeof size === 'number' ? words.say('tooLarge', { size: words.size(size) }) : words.say('tooLargeUnknown');
}
