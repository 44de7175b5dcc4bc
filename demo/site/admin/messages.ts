import { S3Error } from '../../../src/bulk/index.js';
import { byId } from '../by-id.js';

/** Advice for visitors of this page, by error code. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'Check the folder, and what the policy of the key allows in this bucket.',
  AuthorizationHeaderMalformed: 'Enter the region of the bucket.',
  ChecksumMismatch: 'The bytes were damaged during the transfer. Try again. If it fails again, check the network.',
  ConnectionFailed: 'Check the address and the network, and that the CORS rules of the bucket name the origin of this page.',
  CredentialsMissing: 'Check that the backend is running.',
  EntityTooLarge: 'The store takes no object of this size.',
  ExpiredToken: 'The keys expired. Connect again with new keys.',
  FileChanged: 'Choose the file again.',
  FILE_UNREADABLE: 'Check that you may read the file, then try again.',
  InvalidAccessKeyId: 'The store does not know this key. Check the key and the address.',
  InvalidOption: 'Correct the field and connect again.',
  InvalidToken: 'The session token does not belong to this key.',
  NameUnsafe: 'Rename the file.',
  NoSuchBucket: 'Check the name of the bucket, or create it.',
  NoResponse: 'Check the address and the network.',
  NotAdmitted: `Check the name of the bucket, and that its CORS rules name ${location.origin}.`,
  NotS3: 'Check the address. It must be the address of an S3 endpoint.',
  PreconditionFailed: 'An object exists already. Keep it, or empty the list and choose “Replace”.',
  RequestTimeTooSkewed: 'Correct the clock of this machine.',
  SignatureDoesNotMatch: 'The secret key does not belong to this access key id. Enter both again.',
  SlowDown: 'The store is overloaded. Try again later.',
  SourceUnreadable: 'Choose the file again.',
  Stalled: 'The connection made no progress. Try again. Sent parts are kept.',
};

export const adviceFor = (code: string): string => ADVICE[code] ?? 'This is the message of the store. Its operator knows more.';

/** Ends a text with a full stop. Some stores leave it out. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Errors whose advice also says what happened. */
const ADVICE_IS_COMPLETE = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch']);

/** Describes an error and what to do about it. */
export function describeError(error: unknown): string {
  if (!(error instanceof S3Error)) return String(error);
  const advice = adviceFor(error.code);
  return ADVICE_IS_COMPLETE.has(error.code) ? advice : `${asSentence(error.message)} ${advice}`;
}

/** Shows a text in an element, with its tone as `data-tone`. */
export function showMessage(id: string, text: string, tone: 'good' | 'bad' | '' = ''): void {
  const element = byId(id);
  if (element.textContent === text && element.dataset['tone'] === tone) return;
  element.textContent = text;
  element.dataset['tone'] = tone;
}
