import type { Listing } from '../../storage/blob-storage.js';
import type { BucketContext } from '../command.js';
import { maxKeys } from './listing.js';

export interface KeyListing extends Listing {
  prefix: string;
  delimiter: string;
  max: number;
}

/**
 * Lists one page of keys, for all versions of the listing command.
 * @param maxName the query name of the page size.
 * @param after the key before the page; '' for the first page.
 */
export async function listKeys(context: BucketContext, maxName: string, after: string): Promise<KeyListing> {
  const { request, service, storage } = context;
  const prefix = request.query.get('prefix') ?? '';
  const delimiter = request.query.get('delimiter') ?? '';
  const max = maxKeys(request, maxName);
  const page =
    max === 0
      ? { files: [], prefixes: [], next: null }
      : await service.blobs.list(storage, {
          limit: max,
          ...(prefix !== '' && { prefix }),
          ...(delimiter !== '' && { delimiter }),
          ...(after !== '' && { after }),
        });
  return { prefix, delimiter, max, ...page };
}
