import { BlobError } from '../../../../src/protocol/errors.js';
import type { Conditions } from '../types.js';

/** Judges what stands at a key against what the caller demands. @throws `FILE_EXISTS`, `PRECONDITION_FAILED`, `FILE_NOT_FOUND`. */
export function assertConditions(existing: { etag: string } | undefined, key: string, conditions: Conditions): void {
  const { overwrite = true, ifMatch, ifNoneMatch } = conditions;
  if (existing && !overwrite)
    throw new BlobError('FILE_EXISTS', `A file stands at ${JSON.stringify(key)} already.`, { details: { path: key } });
  if (ifNoneMatch !== undefined && existing && (ifNoneMatch === '*' || ifNoneMatch === existing.etag))
    throw new BlobError('PRECONDITION_FAILED', 'If-None-Match does not hold.', { details: { condition: 'If-None-Match' } });
  if (ifMatch === undefined) return;
  if (!existing) throw new BlobError('FILE_NOT_FOUND', `No file stands at ${JSON.stringify(key)}.`, { details: { path: key } });
  if (ifMatch !== '*' && ifMatch !== existing.etag)
    throw new BlobError('PRECONDITION_FAILED', 'If-Match does not hold.', { details: { condition: 'If-Match' } });
}
