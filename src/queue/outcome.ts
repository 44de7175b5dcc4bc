import { BlobError } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';

/** The result of one file of a request: the stored file, or why it was not stored. */
export type Outcome = FileRecord | BlobError;

/** Ends a request because of another file in it. The remaining files are sent again at once. */
export const SEND_AGAIN = new BlobError('ABORTED', 'The request was ended.');
