import { BlobError } from '../../protocol/errors.js';
import { hashSample } from '../../protocol/checksums/content-sample.js';
import type { QueueItem } from '../queue-item.js';

/**
 * Hashes a sample before each attempt of a resumable upload. Firefox does not notice a rewritten file, so the service could join bytes of
 * two versions.
 * @returns the digest in hex, the same at every call
 * @throws BlobError `FILE_CHANGED`; DOMException if the file cannot be read
 */
export async function checkSample(item: QueueItem): Promise<string> {
  const sample = await hashSample(item.file!, item.size);
  item.sample ??= sample;
  if (sample === undefined || item.sample !== sample)
    throw new BlobError('FILE_CHANGED', 'The file changed since it was chosen.');
  return sample;
}
