import { BlobError } from '../protocol/errors.js';

/**
 * For the `catch` of a part of the script that is loaded when it is needed. It may be out of reach now, or gone for good since the
 * site was deployed anew.
 * @throws BlobError `NETWORK_ERROR` with `details.part`
 */
export const notLoaded =
  (part: string) =>
  (cause: unknown): never => {
    throw new BlobError('NETWORK_ERROR', `A part of the script did not load: ${part}.`, { details: { part }, cause });
  };
