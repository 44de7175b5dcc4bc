import { createQueryContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { listBuckets } from '../s3/commands/list-buckets.js';
import type { BucketEntry } from '../s3/commands/list-buckets.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { PagePosition, ListPage } from '../s3/commands/list-objects.js';
import { S3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place } from '../types.js';

/** Entry of a listing: an object, or with a delimiter the common prefix of objects. */
export type Listed = ObjectEntry | { prefix: string };

/** Yields all objects below a prefix in the order of keys. Requests the next page while the present one is used. */
export async function* listAllObjects(context: TransferContext, place: Place): AsyncGenerator<ObjectEntry> {
  const requestPage = (after?: PagePosition) =>
    context.executor.request(place.prefix, 0, () =>
      listObjects(context.store, { ...place, ...(after && { next: after }), signal: context.signal }),
    );
  const requireProgress = paginationGuard();
  let page = await requestPage();
  for (;;) {
    requireProgress(page.next, entryCount(page));
    const next = page.next && requestPage(page.next);
    // The promise is awaited below. Until then, an error must not count as unhandled.
    next?.catch(() => {});
    yield* page.objects;
    if (next === undefined) return;
    page = await next;
  }
}

/** Lists the buckets that the credentials may see. */
export function listAllBuckets(store: Store, options: RunOptions = {}): Promise<BucketEntry[]> {
  const context = createQueryContext(store, options);
  return context.executor.request('buckets', 0, () => listBuckets(store, context.signal));
}

/** Lists objects for display. With `delimiter`, lists one level. */
export async function* list(
  store: Store,
  place: Place,
  options: RunOptions & { delimiter?: string } = {},
): AsyncGenerator<Listed> {
  const context = createQueryContext(store, options);
  const { delimiter } = options;
  const requireProgress = paginationGuard();
  let next: PagePosition | undefined;
  do {
    const page = await context.executor.request(place.prefix, 0, () =>
      listObjects(store, {
        ...place,
        ...(delimiter !== undefined && { delimiter }),
        ...(next && { next }),
        signal: context.signal,
      }),
    );
    for (const prefix of page.prefixes) yield { prefix };
    yield* page.objects;
    next = page.next;
    requireProgress(next, entryCount(page));
  } while (next !== undefined);
}

/** Largest number of empty pages in a row. Stores send some when they skip deleted or hidden objects. */
const MAX_EMPTY_PAGES = 1000;

/**
 * Returns a function that is called for each page and fails a listing that does not advance. It keeps one token and replaces it
 * after 1, 2, 4, 8, … pages; the token must not come again (Brent's cycle detection). A store that invents tokens without end is
 * recognized by its empty pages.
 */
export function paginationGuard(): (next: PagePosition | undefined, entries: number) => void {
  let keptToken: string | undefined;
  let pages = 0;
  let emptyPages = 0;
  return (next, entries) => {
    emptyPages = entries === 0 ? emptyPages + 1 : 0;
    if (next !== undefined && emptyPages >= MAX_EMPTY_PAGES)
      throw new S3Error('ListingBroken', `The store reports more objects, but sent ${MAX_EMPTY_PAGES} empty pages in a row.`);
    // `listObjects` has checked that a key in place of a token advances.
    if (next === undefined || !('token' in next)) return;
    if (next.token === keptToken) throw new S3Error('ListingBroken', 'The store sent the same page of the listing again.');
    if (Number.isInteger(Math.log2(++pages))) keptToken = next.token;
  };
}

/** Returns the number of objects and prefixes of a page. */
export const entryCount = (page: ListPage): number => page.objects.length + page.prefixes.length;
