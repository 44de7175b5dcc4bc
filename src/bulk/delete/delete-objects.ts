import { isRetryable, ignoreForbidden } from '../error-kinds.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { deleteObject } from '../s3/commands/delete-object.js';
import { DELETE_MAX, deleteObjects, fitsXml } from '../s3/commands/delete-objects.js';
import { S3Error, toS3Error } from '../errors.js';
import { keyProblem } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { throwIfAborted } from '../abort.js';
import { headObject } from '../list/head-object.js';
import { listAllObjects } from '../list/list-objects.js';
import { rejectObjectAsPrefix, OMIT_RECURSIVE } from '../list/empty-prefix.js';
import { unrefTimer } from '../unref-timer.js';

export interface RemoveOptions extends RunOptions {
  /** Only objects for which it says true. */
  filter?: (entry: ObjectEntry) => boolean;
  /** Only these keys. A store does not say which of them there were. */
  keys?: AsyncIterable<string> | Iterable<string>;
  /** The prefix is the whole key of one object, of which is told whether it was there. */
  exact?: boolean;
}

/** Every object under a prefix, or those of a list of keys. */
export function deleteObjectsAt(store: Store, place: Place, options: RemoveOptions = {}): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    if (options.exact) return deleteExact(context, place);
    const entries = options.keys === undefined ? deletableObjects(context, place, options) : deletableKeys(context, options.keys);
    await context.workers.forEach(
      'delete',
      groupIntoBatches(entries),
      (batch) => batch[0]!.key,
      (batch) => deleteBatch(context, place.bucket, batch),
    );
    return undefined;
  });
}

async function deleteExact(context: TransferContext, { bucket, prefix: key }: Place): Promise<void> {
  context.meter.addPlanned(0);
  context.meter.finishPlan();
  await context.workers.forEach('delete', [key], String, async () => {
    const facts = await headObject(context, bucket, key).catch((error: unknown) => ignoreForbidden(error) ?? UNKNOWN_OBJECT);
    if (facts !== undefined) return deleteBatch(context, bucket, [{ key, size: facts.size }]);
    // All the same: the answer to a HEAD does not tell a bucket that is missing from an object.
    const error = context.dryRun ? undefined : (await deleteKeys(context, bucket, [key])).get(key);
    if (error !== undefined) throw error;
    return context.report.skip('delete', key, 0, 'not there');
  });
}

/** Stands for an object that may exist. */
const UNKNOWN_OBJECT = { size: 0 };

/** Responses of stores that cannot read a list of keys, or do not know the request. */
const UNREADABLE = new Set(['BadRequest', 'MalformedXML', 'MethodNotAllowed', 'NotImplemented']);

/** @returns the errors by key, those that a stop cut short included; the others are gone. */
async function deleteKeys(context: TransferContext, bucket: string, keys: string[]): Promise<Map<string, S3Error>> {
  const together = keys.filter(fitsXml);
  const failed = new Map<string, S3Error>();
  const alone = (some: string[]): Promise<unknown> =>
    Promise.all(
      some.map((key) =>
        requestDeletion(
          context,
          () => [key],
          (signal) => deleteObject(context.store, { bucket, key, signal }),
        ).catch((error: unknown) => failed.set(key, notFatal(context, error))),
      ),
    );
  if (together.length < keys.length) await alone(keys.filter((key) => !fitsXml(key)));
  if (together.length === 0) return failed;
  let left = together;
  try {
    await requestDeletion(
      context,
      () => left,
      async (signal) => {
        const refused = await deleteObjects(context.store, { bucket, keys: left, signal });
        left = [];
        // A store may fail at some of them in an answer of 200: those are asked for again.
        for (const [key, error] of refused)
          if (isRetryable(error)) left.push(key);
          else failed.set(key, error);
        if (left.length > 0) throw refused.get(left[0]!)!;
      },
    );
  } catch (thrown) {
    const error = notFatal(context, thrown);
    if (UNREADABLE.has(error.code)) await alone(left);
    else for (const key of left) failed.set(key, error);
  }
  return failed;
}

/**
 * Returns the error unless it is fatal. After an abort it is reported for the keys it concerns: others of the same request may
 * be deleted.
 */
function notFatal(context: TransferContext, thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  if (context.executor.isFatal(error) && !context.signal.aborted) throw error;
  return error;
}

/** A deletion cannot be taken back: after a stop its answer is waited for, so that the last words are true. Less than a run's `GRACE_MS`. */
const RESPONSE_GRACE_MS = 10_000;

/** One request; of those of its keys whose answer never comes before the run's end, the summary tells that they may be gone. */
async function requestDeletion(
  context: TransferContext,
  keys: () => string[],
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let unacknowledged = false;
  try {
    await context.executor.request(keys()[0]!, 0, async () => {
      throwIfAborted(context.signal);
      unacknowledged = true;
      await work(deletionSignal(context)).catch((error: unknown) => {
        const { status } = toS3Error(error);
        unacknowledged = status < 300 || status >= 500;
        throw error;
      });
    });
  } catch (error) {
    if (unacknowledged && (context.signal.aborted || context.executor.isFatal(toS3Error(error))))
      context.report.summary.maybeDeleted = (context.report.summary.maybeDeleted ?? 0) + keys().length;
    throw error;
  }
}

// One for all requests of a context, since wires listen to each signal that they meet.
const late = new WeakMap<TransferContext, AbortSignal>();

/** Fires `RESPONSE_GRACE_MS` after that of the context. */
function deletionSignal(context: TransferContext): AbortSignal {
  const known = late.get(context);
  if (known !== undefined) return known;
  const stop = new AbortController();
  const wait = (): void => unrefTimer(() => stop.abort(context.signal.reason), RESPONSE_GRACE_MS);
  context.signal.addEventListener('abort', wait, { once: true });
  late.set(context, stop.signal);
  return stop.signal;
}

export async function deleteBatch(
  context: TransferContext,
  bucket: string,
  batch: { key: string; size: number }[],
): Promise<void> {
  const keys = batch.map((entry) => entry.key);
  const failed = context.dryRun ? new Map<string, never>() : await deleteKeys(context, bucket, keys);
  for (const { key, size } of batch) {
    const error = failed.get(key);
    if (error === undefined) context.report.done('delete', key, size);
    else context.report.fail('delete', key, error);
  }
}

/** Groups what comes into requests of at most 1,000 keys. */
export async function* groupIntoBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < DELETE_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* deletableObjects(context: TransferContext, place: Place, options: RemoveOptions): AsyncGenerator<ObjectEntry> {
  let empty = true;
  for await (const entry of listAllObjects(context, place)) {
    empty = false;
    if (options.filter?.(entry) === false) continue;
    context.meter.addPlanned(0);
    yield entry;
  }
  context.meter.finishPlan();
  if (empty) await rejectObjectAsPrefix(context, place, OMIT_RECURSIVE);
}

async function* deletableKeys(
  context: TransferContext,
  keys: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<{ key: string; size: number }> {
  for await (const key of keys) {
    context.meter.addPlanned(0);
    // A store would say that it is gone.
    const problem = keyProblem(key);
    if (problem === undefined) yield { key, size: 0 };
    else context.report.fail('delete', key, new S3Error('NameUnsafe', problem));
  }
  context.meter.finishPlan();
}
