import { S3Error } from '../../../src/s3/index.js';
import { byId } from '../by-id.js';

/** What a person at this page can do about a store's refusal. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'The key may not do this: check its policy for this bucket and folder.',
  AuthorizationHeaderMalformed: 'Say the region of the bucket.',
  ChecksumMismatch: 'The bytes were damaged on the way. Try again; if it stays, check the network.',
  ConnectionFailed: 'Check the address and the network, and that the bucket’s CORS rules name this page’s origin.',
  CredentialsMissing: 'The backend gave no keys. Is it running?',
  EntityTooLarge: 'The store takes no object of this size.',
  ExpiredToken: 'The keys ran out. Connect again with new ones.',
  FileChanged: 'The file was written to since it was chosen. Choose it again.',
  InvalidAccessKeyId: 'The store does not know this key: check it and the address.',
  NameUnsafe: 'Rename the file.',
  NoSuchBucket: 'Check the bucket’s name, or make it.',
  PreconditionFailed: 'An object of this key is there, and nothing is to be replaced.',
  QuotaExceeded: 'The storage is full. Make room, then try again.',
  RequestTimeTooSkewed: 'Set this machine’s clock.',
  SignatureDoesNotMatch: 'The secret key is wrong for this key id.',
  SlowDown: 'The store is overloaded. Try again later.',
  SourceUnreadable: 'The file is not where it was. Choose it again.',
  Stalled: 'The connection stood still. Try again: what was sent is kept.',
};

export const adviceFor = (code: string): string =>
  ADVICE[code] ?? 'The words above are the store’s own; its operator knows more.';

/** An error in a sentence and what to do in another. */
export function whatToDo(error: unknown): string {
  if (!(error instanceof S3Error)) return String(error);
  return error.code === 'ConnectionFailed'
    ? `Cannot be reached. ${ADVICE[error.code]}`
    : `${error.message} ${adviceFor(error.code)}`;
}

/** A line of text and how it is meant. */
export function say(id: string, text: string, tone: 'good' | 'bad' | '' = ''): void {
  const line = byId(id);
  line.textContent = text;
  line.dataset['tone'] = tone;
}
