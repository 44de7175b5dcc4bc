import { deleteObject } from '../s3/commands/delete-object.js';
import { DELETE_MAX, deleteObjects, fitsXml } from '../s3/commands/delete-objects.js';
import { isRetryable, S3Error, toS3Error } from '../errors.js';
import { keyProblem } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { throwIfAborted } from '../transfer/abort.js';
import { factsAt, unlessUntold } from '../list/head-object.js';
import { listAll } from '../list/list.js';
import { notAnObject, WITHOUT_R } from '../list/empty-prefix.js';
import { unattended } from '../transfer/unref-timer.js';
import { withRun } from '../transfer/run.js';
import type { Run, RunOptions } from '../transfer/run.js';

export interface RemoveOptions extends RunOptions {
  /** Only objects for which it says true. */
  filter?: (entry: ObjectEntry) => boolean;
  /** Only these keys. A store does not say which of them there were. */
  keys?: AsyncIterable<string> | Iterable<string>;
  /** The prefix is the whole key of one object, of which is told whether it was there. */
  exact?: boolean;
}

/** Every object under a prefix, or those of a list of keys. */
export function remove(store: Store, place: Place, options: RemoveOptions = {}): Promise<Summary> {
  return withRun(store, options, async (run) => {
    if (options.exact) return removeExact(run, place);
    const entries = options.keys === undefined ? wanted(run, place, options) : named(run, options.keys);
    await run.pump(
      'delete',
      batches(entries),
      (batch) => batch[0]!.key,
      (batch) => removeBatch(run, place.bucket, batch),
    );
    return undefined;
  });
}

async function removeExact(run: Run, { bucket, prefix: key }: Place): Promise<void> {
  run.meter.plan(0);
  run.meter.planned();
  await run.pump('delete', [key], String, async () => {
    const facts = await factsAt(run, bucket, key).catch((error: unknown) => unlessUntold(error) ?? UNTOLD);
    if (facts !== undefined) return removeBatch(run, bucket, [{ key, size: facts.size }]);
    // All the same: the answer to a HEAD does not tell a bucket that is missing from an object.
    const error = run.dryRun ? undefined : (await deleteAll(run, bucket, [key])).get(key);
    if (error !== undefined) throw error;
    return run.skip('delete', key, 0, 'not there');
  });
}

/** Of an object that may be there. */
const UNTOLD = { size: 0 };

/** What a store answers that cannot read a list of keys, or knows no such request. */
const UNREADABLE = new Set(['BadRequest', 'MalformedXML', 'MethodNotAllowed', 'NotImplemented']);

/** @returns the errors by key, those that a stop cut short included; the others are gone. */
async function deleteAll(run: Run, bucket: string, keys: string[]): Promise<Map<string, S3Error>> {
  const together = keys.filter(fitsXml);
  const failed = new Map<string, S3Error>();
  const alone = (some: string[]): Promise<unknown> =>
    Promise.all(
      some.map((key) =>
        ask(
          run,
          () => [key],
          (signal) => deleteObject(run.store, { bucket, key, signal }),
        ).catch((error: unknown) => failed.set(key, notFatal(run, error))),
      ),
    );
  if (together.length < keys.length) await alone(keys.filter((key) => !fitsXml(key)));
  if (together.length === 0) return failed;
  let left = together;
  try {
    await ask(
      run,
      () => left,
      async (signal) => {
        const refused = await deleteObjects(run.store, { bucket, keys: left, signal });
        left = [];
        // A store may fail at some of them in an answer of 200: those are asked for again.
        for (const [key, error] of refused)
          if (isRetryable(error)) left.push(key);
          else failed.set(key, error);
        if (left.length > 0) throw refused.get(left[0]!)!;
      },
    );
  } catch (thrown) {
    const error = notFatal(run, thrown);
    if (UNREADABLE.has(error.code)) await alone(left);
    else for (const key of left) failed.set(key, error);
  }
  return failed;
}

/** What a stop cuts short is told of the keys that it is true of: others of the same request may be gone. */
function notFatal(run: Run, thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  if (run.isFatal(error) && !run.signal.aborted) throw error;
  return error;
}

/** A deletion cannot be taken back: after a stop its answer is waited for, so that the last words are true. Less than a run's `GRACE_MS`. */
const ANSWER_MS = 10_000;

/** One request; of those of its keys whose answer never comes before the run's end, the summary tells that they may be gone. */
async function ask(run: Run, keys: () => string[], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  let unheard = false;
  try {
    await run.request(keys()[0]!, 0, async () => {
      throwIfAborted(run.signal);
      unheard = true;
      await work(lateSignal(run)).catch((error: unknown) => {
        const { status } = toS3Error(error);
        unheard = status < 300 || status >= 500;
        throw error;
      });
    });
  } catch (error) {
    if (unheard && (run.signal.aborted || run.isFatal(toS3Error(error))))
      run.summary.maybeDeleted = (run.summary.maybeDeleted ?? 0) + keys().length;
    throw error;
  }
}

// One for all requests of a run, since wires listen to each signal that they meet.
const late = new WeakMap<Run, AbortSignal>();

/** Fires `ANSWER_MS` after that of the run. */
function lateSignal(run: Run): AbortSignal {
  const known = late.get(run);
  if (known !== undefined) return known;
  const stop = new AbortController();
  const wait = (): void => unattended(() => stop.abort(run.signal.reason), ANSWER_MS);
  run.signal.addEventListener('abort', wait, { once: true });
  late.set(run, stop.signal);
  return stop.signal;
}

export async function removeBatch(run: Run, bucket: string, batch: { key: string; size: number }[]): Promise<void> {
  const keys = batch.map((entry) => entry.key);
  const failed = run.dryRun ? new Map<string, never>() : await deleteAll(run, bucket, keys);
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
  let empty = true;
  for await (const entry of listAll(run, place)) {
    empty = false;
    if (options.filter?.(entry) === false) continue;
    run.meter.plan(0);
    yield entry;
  }
  run.meter.planned();
  if (empty) await notAnObject(run, place, WITHOUT_R);
}

async function* named(run: Run, keys: AsyncIterable<string> | Iterable<string>): AsyncGenerator<{ key: string; size: number }> {
  for await (const key of keys) {
    run.meter.plan(0);
    // A store would say that it is gone.
    const problem = keyProblem(key);
    if (problem === undefined) yield { key, size: 0 };
    else run.fail('delete', key, new S3Error('NameUnsafe', problem));
  }
  run.meter.planned();
}
