import type { Listing } from '../../storage/blobs.js';
import type { BucketCall } from '../service.js';
import { maxKeys } from './listing.js';

export interface KeyPage extends Listing {
  prefix: string;
  delimiter: string;
  max: number;
}

/** One page of a bucket for any of the listings. @param maxName the query name of the page size. @param after exclusive; '' from the start. */
export async function listKeys(call: BucketCall, maxName: string, after: string): Promise<KeyPage> {
  const { request, service, storage } = call;
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
