import { compareKeys } from '../names.js';

/** The two sides of one name; at least one is there. */
export interface Pair<Left, Right> {
  name: string;
  left?: Left;
  right?: Right;
}

/** Walks two sources that are each in the order of keys, side by side: neither is ever held. */
export async function* merge<Left, Right>(
  lefts: AsyncIterable<Left> | Iterable<Left>,
  rights: AsyncIterable<Right> | Iterable<Right>,
  nameOfLeft: (left: Left) => string,
  nameOfRight: (right: Right) => string,
): AsyncGenerator<Pair<Left, Right>> {
  const left = iterate(lefts);
  const right = iterate(rights);
  let [a, b] = await Promise.all([left.next(), right.next()]);
  while (!a.done || !b.done) {
    const nameA = a.done ? undefined : nameOfLeft(a.value);
    const nameB = b.done ? undefined : nameOfRight(b.value);
    const order = nameA === undefined ? 1 : nameB === undefined ? -1 : compareKeys(nameA, nameB);
    yield {
      name: (order <= 0 ? nameA : nameB)!,
      ...(order <= 0 && { left: a.value as Left }),
      ...(order >= 0 && { right: b.value as Right }),
    };
    if (order <= 0) a = await left.next();
    if (order >= 0) b = await right.next();
  }
}

const iterate = <Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> =>
  Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
