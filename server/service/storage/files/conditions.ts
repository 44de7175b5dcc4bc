import { BlobError } from '../../../../src/protocol/errors.js';
import type { Conditions } from '../types.js';

/**
 * Compares the file at a key with the conditions of a request.
 * @param existing undefined if there is no live file. @throws `FILE_EXISTS`, `PRECONDITION_FAILED`, `FILE_NOT_FOUND`.
 */
export function assertConditions(existing: { etag: string } | undefined, key: string, conditions: Conditions): void {
  const { overwrite = true, ifMatch, ifNoneMatch } = conditions;
  if (existing && !overwrite)
    throw new BlobError('FILE_EXISTS', `There is already a file at ${JSON.stringify(key)}.`, { details: { path: key } });
  if (ifNoneMatch !== undefined && existing && (ifNoneMatch === '*' || ifNoneMatch === existing.etag))
    throw new BlobError('PRECONDITION_FAILED', 'There is already a file that matches If-None-Match.', {
      details: { condition: 'If-None-Match' },
    });
  if (ifMatch === undefined) return;
  if (!existing) throw new BlobError('FILE_NOT_FOUND', `There is no file at ${JSON.stringify(key)}.`, { details: { path: key } });
  if (ifMatch !== '*' && ifMatch !== existing.etag)
    throw new BlobError('PRECONDITION_FAILED', 'The file has changed: its ETag is not that of If-Match. Read the file again.', {
      details: { condition: 'If-Match' },
    });
}
