import { validationError } from '../../../../src/protocol/errors.js';
import type { BlobError } from '../../../../src/protocol/errors.js';
import { LIST } from '../../../../src/protocol/limits.js';
import type { Storage } from '../../identity/credential.js';
import type { BlobStorage } from '../blob-storage.js';
import type { StoredFile } from '../types.js';

/** The fields of a collected file. Records with all fields would take much memory for many files. */
export type CollectedFile = Pick<StoredFile, 'id' | 'key' | 'size' | 'etag' | 'updatedAt' | 'scan'>;

/**
 * Lists all files whose keys begin with a prefix.
 * @param max files at most
 * @throws `VALIDATION_ERROR` with `path: 'prefix'` if there are more
 */
export async function collectFiles(
  blobs: Pick<BlobStorage, 'list'>,
  storage: Storage,
  prefix: string,
  { max, signal }: { max: number; signal: AbortSignal },
): Promise<CollectedFile[]> {
  const collected: CollectedFile[] = [];
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const { files, next } = await blobs.list(storage, { prefix, limit: LIST.limit.max, ...(after !== undefined && { after }) });
    for (const { id, key, size, etag, updatedAt, scan } of files) collected.push({ id, key, size, etag, updatedAt, scan });
    if (collected.length > max) throw tooManyFiles(max);
    after = next ?? undefined;
  } while (after !== undefined);
  return collected;
}

export const tooManyFiles = (max: number): BlobError =>
  validationError('prefix', `must have at most ${max} files for one archive; take its subfolders one by one`, {
    details: { limit: max },
  });
