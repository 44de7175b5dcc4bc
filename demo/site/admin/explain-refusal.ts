import { BlobError } from '../../../src/protocol/errors.js';
import { asSentence } from './messages.js';

/** Messages of stores, and of the engine, that give no reason. */
const NO_REASON = /^(access ?denied|forbidden|the store \w+(?: with)?(?: status)? 40[13])\.?$/i;

/**
 * Replaces an `AccessDenied` by an error with the message of the store, because the reason may be the key, the kind of file or a policy. The list
 * shows the message of `TOKEN_REFUSED` unchanged.
 * @returns any other error unchanged
 */
export function explainRefusal(error: unknown, path: string): unknown {
  if (!(error instanceof BlobError) || error.details['s3_code'] !== 'AccessDenied') return error;
  const { message, details, cause } = error;
  const withMessage = (text: string, more: object = {}) =>
    new BlobError('TOKEN_REFUSED', text, { details: { ...details, ...more }, cause });
  if (NO_REASON.test(message)) return withMessage('The store refused the file and gave no reason.');
  // AWS names the object. Without the name, all files with the same cause are listed together.
  const reason = asSentence(message.replaceAll(`/${path}"`, '/…"'));
  return withMessage(reason, { advice: 'This is the message of the store. Fix what it names, then try again.' });
}
