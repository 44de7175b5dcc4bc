import { createQueryContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { listBuckets } from '../s3/commands/list-buckets.js';
import type { BucketEntry } from '../s3/commands/list-buckets.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { ListNext, ListPage } from '../s3/commands/list-objects.js';
import { S3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place } from '../types.js';

export type Listed = ObjectEntry | { prefix: string };

/** Every object under a prefix in the order of keys; the next page is asked for while this one is used. */
export async function* listAllObjects(context: TransferContext, place: Place): AsyncGenerator<ObjectEntry> {
  const ask = (after?: ListNext) =>
    context.executor.request(place.prefix, 0, () =>
      listObjects(context.store, { ...place, ...(after && { next: after }), signal: context.signal }),
    );
  const onward = paginationGuard();
  let page = await ask();
  for (;;) {
    onward(page.next, entryCount(page));
    const next = page.next && ask(page.next);
    // It is awaited below; until then its failure must not count as unhandled.
    next?.catch(() => {});
    yield* page.objects;
    if (next === undefined) return;
    page = await next;
  }
}

/** The store's buckets that these keys may see. */
export function listAllBuckets(store: Store, options: RunOptions = {}): Promise<BucketEntry[]> {
  const context = createQueryContext(store, options);
  return context.executor.request('buckets', 0, () => listBuckets(store, context.signal));
}

/** A listing for people: with `delimiter`, one level of it. */
export async function* list(
  store: Store,
  place: Place,
  options: RunOptions & { delimiter?: string } = {},
): AsyncGenerator<Listed> {
  const context = createQueryContext(store, options);
  const { delimiter } = options;
  const onward = paginationGuard();
  let next: ListNext | undefined;
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
    onward((next = page.next), entryCount(page));
  } while (next !== undefined);
}

/** Pages without an entry, one after the other. Stores have some where they skip what is deleted or hidden. */
const MAX_EMPTY = 1000;

/**
 * Demands that a listing moves on: one of its tokens is held, ever later ones, and must not come again (Brent's search for cycles). A store that
 * makes up tokens without end is known by pages that hold nothing.
 */
export function paginationGuard(): (next: ListNext | undefined, entries: number) => void {
  let held: string | undefined;
  let pages = 0;
  let empty = 0;
  return (next, entries) => {
    empty = entries === 0 ? empty + 1 : 0;
    if (next !== undefined && empty >= MAX_EMPTY)
      throw new S3Error('ListingBroken', `The store says that it has more, and told nothing on ${MAX_EMPTY} pages.`);
    // A last key in the place of a token was compared already.
    if (next === undefined || !('token' in next)) return;
    if (next.token === held) throw new S3Error('ListingBroken', 'The store goes round in circles: it tells the same page again.');
    if (Number.isInteger(Math.log2(++pages))) held = next.token;
  };
}

export const entryCount = (page: ListPage): number => page.objects.length + page.prefixes.length;
