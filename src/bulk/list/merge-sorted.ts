import { S3Error, sourceError } from '../errors.js';
import { compareKeys } from '../s3/object-keys.js';

/** The items with one name on both sides. At least one of them is defined. */
export interface Pair<Left, Right> {
  name: string;
  left?: Left;
  right?: Right;
  /** One side has the folder as an item (`sub/`), and the other side has items in it. */
  folder?: true;
}

/**
 * Walks two sources in the order of keys side by side, without holding either in memory.
 * @throws S3Error `ListingBroken` if a source is not in order, because items on both sides would look like items on one side
 */
export async function* mergeSorted<Left, Right>(
  lefts: AsyncIterable<Left> | Iterable<Left>,
  rights: AsyncIterable<Right> | Iterable<Right>,
  nameOfLeft: (left: Left) => string,
  nameOfRight: (right: Right) => string,
): AsyncGenerator<Pair<Left, Right>> {
  const left = iterate(lefts);
  const right = iterate(rights);
  const [leftName, rightName] = [orderedName(nameOfLeft), orderedName(nameOfRight)];
  try {
    let [a, b] = await Promise.all([left.next(), right.next()]);
    let [nameA, nameB] = [leftName(a), rightName(b)];
    while (nameA !== undefined || nameB !== undefined) {
      const order = nameA === undefined ? 1 : nameB === undefined ? -1 : compareKeys(nameA, nameB);
      yield {
        name: (order <= 0 ? nameA : nameB)!,
        ...(order <= 0 && { left: a.value as Left }),
        ...(order >= 0 && { right: b.value as Right }),
        ...(isFolderOf(order < 0 ? nameA : nameB, order < 0 ? nameB : nameA) && { folder: true }),
      };
      if (order <= 0) nameA = leftName((a = await left.next()));
      if (order >= 0) nameB = rightName((b = await right.next()));
    }
  } finally {
    // Not awaited: a source may be waiting for something that only its signal ends.
    for (const iterator of [left, right]) void close(iterator).catch(() => {});
  }
}

/**
 * Wraps a source of the caller, so that its errors are reported as such.
 * @throws S3Error `SourceUnreadable`
 */
export function callerSource<Item>(source: () => AsyncIterable<Item> | Iterable<Item>): AsyncIterable<Item> {
  const convertErrors = <Result>(work: () => Result): Result => {
    try {
      const result = work();
      return result instanceof Promise ? (result.catch(throwSourceError) as Result) : result;
    } catch (error) {
      return throwSourceError(error);
    }
  };
  const files = convertErrors(() => iterate(source()));
  const next = (): unknown => files.next();
  // Results that are available at once are returned without a promise.
  const iterator = { next: () => convertErrors(next), return: () => files.return?.() } as AsyncIterator<Item>;
  return { [Symbol.asyncIterator]: () => iterator };
}

function throwSourceError(error: unknown): never {
  throw sourceError(error);
}

/** Lets an iterator close its files and listings. */
async function close(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  await iterator.return?.();
}

/** Returns whether `name` is a folder that holds `other`. The contents of a folder follow directly after it. */
const isFolderOf = (name: string | undefined, other: string | undefined): boolean =>
  name?.endsWith('/') === true && other !== name && other?.startsWith(name) === true;

const iterate = <Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> =>
  Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();

/**
 * Returns a function that returns the name of each item, and undefined at the end.
 * @throws S3Error `ListingBroken` if an item is not in the order of keys
 */
export function orderedName<Item>(nameOf: (item: Item) => string): (next: IteratorResult<Item>) => string | undefined {
  let last: string | undefined;
  return ({ done, value }) => {
    if (done) return undefined;
    const name = nameOf(value);
    // Two kinds of names may be out of order: an unreadable directory lacks its slash, and invalid Unicode was replaced after sorting.
    if (isProblem(value) || name.includes('\uFFFD')) return name;
    if (last !== undefined && compareKeys(last, name) >= 0)
      throw new S3Error('ListingBroken', `${name} follows ${last}. Both sides must be in the order of keys.`);
    return (last = name);
  };
}

const isProblem = (item: unknown): boolean => (item as { problem?: unknown }).problem !== undefined;
