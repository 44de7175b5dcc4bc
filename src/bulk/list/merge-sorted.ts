import { S3Error, sourceError } from '../errors.js';
import { compareKeys } from '../s3/object-keys.js';

/** The two sides of one name; at least one is there. */
export interface Pair<Left, Right> {
  name: string;
  left?: Left;
  right?: Right;
  /** One side has a folder as a thing of its own (`sub/`), the other has it by what lies in it. */
  folder?: true;
}

/**
 * Walks two sources that are each in the order of keys, side by side: neither is ever held.
 * @throws S3Error `ListingBroken` where one is not: what stands on both sides would look as if it stood on one
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
    // Not waited for: one of them may be asking for what only a signal ends.
    for (const one of [left, right]) void end(one).catch(() => {});
  }
}

/**
 * A tree of the caller's own, to be merged: what it throws is told as that.
 * @throws S3Error `SourceUnreadable`
 */
export function callerSource<Item>(source: () => AsyncIterable<Item> | Iterable<Item>): AsyncIterable<Item> {
  const told = <Answer>(ask: () => Answer): Answer => {
    try {
      const answer = ask();
      return answer instanceof Promise ? (answer.catch(raise) as Answer) : answer;
    } catch (error) {
      return raise(error);
    }
  };
  const files = told(() => iterate(source()));
  const next = (): unknown => files.next();
  // Results that are available at once are returned without a promise.
  const iterator = { next: () => told(next), return: () => files.return?.() } as AsyncIterator<Item>;
  return { [Symbol.asyncIterator]: () => iterator };
}

function raise(error: unknown): never {
  throw sourceError(error);
}

/** Has it close what it holds open. */
async function end(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  await iterator.return?.();
}

/** The contents of a folder follow directly after it. */
const isFolderOf = (name: string | undefined, other: string | undefined): boolean =>
  name?.endsWith('/') === true && other !== name && other?.startsWith(name) === true;

const iterate = <Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> =>
  Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();

/** Names one item after the other; undefined at the end. @throws S3Error `ListingBroken` where one comes too late */
export function orderedName<Item>(nameOf: (item: Item) => string): (next: IteratorResult<Item>) => string | undefined {
  let last: string | undefined;
  return ({ done, value }) => {
    if (done) return undefined;
    const name = nameOf(value);
    // A directory that cannot be read has its name without a slash, and what is no Unicode another than it was sorted by.
    if (isProblem(value) || name.includes('\uFFFD')) return name;
    if (last !== undefined && compareKeys(last, name) >= 0)
      throw new S3Error('ListingBroken', `${name} comes behind ${last}: what is compared has to come in the order of keys.`);
    return (last = name);
  };
}

const isProblem = (item: unknown): boolean => (item as { problem?: unknown }).problem !== undefined;
