import { toS3Error } from '../errors.js';
import { partAt, partCount } from './part-plan.js';
import type { Part } from './part-plan.js';
import type { Following } from './progress-meter.js';
import type { Run } from './run.js';

/**
 * Does `each` for the parts of one file, as many at once as the gate lets through and one more. The first that fails keeps more from
 * beginning, and is thrown when nothing is under way any more.
 * @param make the parts, told what is under way; its signal fires when no more are wanted
 */
export async function inParallel<Item>(
  run: Run,
  make: (inFlight: ReadonlySet<Promise<void>>, signal: AbortSignal) => AsyncIterable<Item> | Iterable<Item>,
  each: (item: Item) => Promise<void>,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const broken = new AbortController();
  try {
    for await (const part of make(inFlight, AbortSignal.any([run.signal, broken.signal]))) {
      const doing = each(part)
        .catch((error: unknown) => broken.abort(toS3Error(error)))
        .finally(() => inFlight.delete(doing));
      inFlight.add(doing);
      // More in line would only hold the memory that other files wait for.
      while (inFlight.size > run.gate.limit) await Promise.race(inFlight);
      if (broken.signal.aborted) break;
    }
  } finally {
    await Promise.all(inFlight);
  }
  broken.signal.throwIfAborted();
}

/** The parts of a file that are still to be moved; what an earlier run noted of the others is put where it belongs. */
export function* missingParts<Noted>(
  { size, partSize, have }: { size: number; partSize: number; have: ReadonlyMap<number, Noted> },
  into: Noted[],
  following: Following,
): Generator<Part> {
  for (let number = 1; number <= partCount(size, partSize); number++) {
    const part = partAt(number, size, partSize);
    const noted = have.get(number);
    if (noted === undefined) yield part;
    else {
      into[number - 1] = noted;
      following.passed(part.size);
    }
  }
}
