import { DELETE_MAX, deleteObjects } from '../commands/delete-objects.js';
import { isFatal, toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import type { Store } from '../store.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { listAll } from './list.js';
import { withRun } from './run.js';
import type { Run, RunOptions } from './run.js';

export interface RemoveOptions extends RunOptions {
  /** Only objects for which it says true. */
  filter?: (entry: ObjectEntry) => boolean;
}

/** Every object under a prefix, or those of a list of keys. */
export function remove(
  store: Store,
  place: Place,
  options: RemoveOptions & { keys?: AsyncIterable<string> | Iterable<string> } = {},
): Promise<Summary> {
  return withRun(store, options, async (run) => {
    const entries = options.keys === undefined ? wanted(run, place, options) : named(run, options.keys);
    await run.pump(
      'delete',
      batches(entries),
      (batch) => batch[0]!.key,
      (batch) => removeBatch(run, place.bucket, batch),
    );
  });
}

function refusedAll(keys: string[], error: S3Error): Map<string, S3Error> {
  if (isFatal(error)) throw error;
  return new Map(keys.map((key) => [key, error]));
}

export async function removeBatch(run: Run, bucket: string, batch: { key: string; size: number }[]): Promise<void> {
  const keys = batch.map((entry) => entry.key);
  const failed = run.dryRun
    ? new Map<string, never>()
    : await run
        .request(keys[0]!, 0, () => deleteObjects(run.store, { bucket, keys, signal: run.signal }))
        .catch((error: unknown) => refusedAll(keys, toS3Error(error)));
  for (const { key, size } of batch) {
    const error = failed.get(key);
    if (error === undefined) run.done('delete', key, size);
    else run.fail('delete', key, error);
  }
}

/** Groups what comes into requests of at most 1,000 keys. */
export async function* batches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < DELETE_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* wanted(run: Run, place: Place, options: RemoveOptions): AsyncGenerator<ObjectEntry> {
  for await (const entry of listAll(run, place)) {
    if (options.filter?.(entry) === false) continue;
    run.meter.plan(0);
    yield entry;
  }
  run.meter.planned();
}

async function* named(run: Run, keys: AsyncIterable<string> | Iterable<string>): AsyncGenerator<{ key: string; size: number }> {
  for await (const key of keys) {
    run.meter.plan(0);
    yield { key, size: 0 };
  }
  run.meter.planned();
}
