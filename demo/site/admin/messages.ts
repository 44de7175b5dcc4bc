import { S3Error } from '../../../src/bulk/index.js';
import { byId } from '../by-id.js';

/** What a person at this page can do about a store's refusal. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'Most likely the key may not do this here: check the folder, and the key’s policy for this bucket.',
  AuthorizationHeaderMalformed: 'Say the region of the bucket.',
  ChecksumMismatch: 'The bytes were damaged on the way. Try again; if it stays, check the network.',
  ConnectionFailed: 'Check the address and the network, and that the bucket’s CORS rules name this page’s origin.',
  CredentialsMissing: 'The backend gave no keys. Is it running?',
  EntityTooLarge: 'The store takes no object of this size.',
  ExpiredToken: 'The keys ran out. Connect again with new ones.',
  FileChanged: 'Choose it again.',
  FILE_UNREADABLE: 'Check that you may read it, then try again.',
  InvalidAccessKeyId: 'The store does not know this key: check it and the address.',
  InvalidOption: 'Correct it and connect again.',
  InvalidToken: 'The session token is wrong for this key id.',
  NameUnsafe: 'Rename the file.',
  NoSuchBucket: 'Check the bucket’s name, or make it.',
  NoAnswer: 'Check the address and the network.',
  NotLetIn: `Check the bucket’s name, and that its CORS rules name ${location.origin}.`,
  NotS3: 'Check the address: it has to name an S3 endpoint.',
  PreconditionFailed: 'It is not to be replaced. Leave it so, or empty the list and choose “Replace”.',
  RequestTimeTooSkewed: 'Set this machine’s clock.',
  SignatureDoesNotMatch: 'The secret key is wrong for this key id: enter both again.',
  SlowDown: 'The store is overloaded. Try again later.',
  SourceUnreadable: 'Choose it again where it is now.',
  Stalled: 'The connection stood still. Try again: what was sent is kept.',
};

export const adviceFor = (code: string): string => ADVICE[code] ?? 'These are the store’s own words; its operator knows more.';

/** Some stores end theirs without a full stop. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Of these the advice says what is wrong as well, and plainer than stores do. */
const WHOLE = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch']);

/** An error in a sentence and what to do in another. */
export function describeError(error: unknown): string {
  if (!(error instanceof S3Error)) return String(error);
  const advice = adviceFor(error.code);
  return WHOLE.has(error.code) ? advice : `${asSentence(error.message)} ${advice}`;
}

/** A line of text and how it is meant. */
export function showMessage(id: string, text: string, tone: 'good' | 'bad' | '' = ''): void {
  const line = byId(id);
  if (line.textContent === text && line.dataset['tone'] === tone) return;
  line.textContent = text;
  line.dataset['tone'] = tone;
}
