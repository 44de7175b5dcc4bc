import { BlobError } from '../../protocol/errors.js';
import { sampleOf } from '../../protocol/checksums/content-sample.js';
import type { QueueItem } from '../queue-item.js';

/**
 * Takes a sample before each try of a resumable upload. Firefox does not notice that a file was rewritten, so that bytes of two versions
 * could be put together.
 * @returns the digest in hex, the same at every call
 * @throws BlobError `FILE_CHANGED`; DOMException when the file cannot be read
 */
export async function checkSample(item: QueueItem): Promise<string> {
  const sample = await sampleOf(item.file!, item.size);
  item.sample ??= sample;
  if (sample === undefined || item.sample !== sample)
    throw new BlobError('FILE_CHANGED', 'The file changed since it was chosen.');
  return sample;
}
