import { BlobError } from '../../../src/protocol/errors.js';
import { asSentence } from './messages.js';

/** A refusal without a reason, in the words of stores and of the engine, which has no more than a status then. */
const NO_REASON = /^(access ?denied|forbidden|the store answered 40[13])\.?$/i;

/**
 * `AccessDenied` may be of the keys, of the kind of file, of a policy: where the store says which, its own words stand in the list
 * and below it, in place of what either would guess.
 * @param error what sending a file met; any other stays as it is
 */
export function explainRefusal(error: unknown, path: string): unknown {
  if (!(error instanceof BlobError) || error.details['s3_code'] !== 'AccessDenied') return error;
  const { message, details, cause } = error;
  // The list shows the message of this code as it stands.
  const told = (text: string, more: object = {}) =>
    new BlobError('TOKEN_REFUSED', text, { details: { ...details, ...more }, cause });
  if (NO_REASON.test(message)) return told('Refused by the store, which does not say why.');
  // AWS names the object in it: without that, all files of one cause stand together.
  const reason = asSentence(message.replaceAll(`/${path}"`, '/…"'));
  return told(reason, { advice: 'So says the store. Mend what it names, then try again.' });
}
