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

/** Options of `BulkTransfer.delete`. */
export interface RemoveOptions extends RunOptions {
  /** Deletes only objects for which it returns true. @default all objects */
  filter?: (entry: ObjectEntry) => boolean;
  /** Deletes only these keys. Stores do not report which of them existed. @default all keys below the prefix */
  keys?: AsyncIterable<string> | Iterable<string>;
  /** Takes the prefix as the key of one object. The summary tells whether it existed. @default false */
  exact?: boolean;
}

/** Deletes the objects below a prefix, with the keys of a list, or with one key. */
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
    const head = await headObject(context, bucket, key).catch((error: unknown) => ignoreForbidden(error) ?? UNKNOWN_OBJECT);
    if (head !== undefined) return deleteBatch(context, bucket, [{ key, size: head.size }]);
    // A response to HEAD does not tell a missing bucket from a missing object. The deletion reports a missing bucket.
    const error = context.dryRun ? undefined : (await deleteKeys(context, bucket, [key])).get(key);
    if (error !== undefined) throw error;
    return context.report.skip('delete', key, 0, 'does not exist');
  });
}

/** Stands for an object that may exist: the credentials may not read it. */
const UNKNOWN_OBJECT = { size: 0 };

/** Codes of stores that cannot parse a list of keys or do not implement the request. */
const UNSUPPORTED_LIST = new Set(['BadRequest', 'MalformedXML', 'MethodNotAllowed', 'NotImplemented']);

/**
 * Deletes keys: together if possible, one by one if the store or XML does not support it.
 * @returns errors by key; all other keys are deleted. After an abort, keys without a response have an error.
 */
async function deleteKeys(context: TransferContext, bucket: string, keys: string[]): Promise<Map<string, S3Error>> {
  const listable = keys.filter(fitsXml);
  const failed = new Map<string, S3Error>();
  const deleteSingly = (single: string[]): Promise<unknown> =>
    Promise.all(
      single.map((key) =>
        requestDeletion(
          context,
          () => [key],
          (signal) => deleteObject(context.store, { bucket, key, signal }),
        ).catch((error: unknown) => failed.set(key, notFatal(context, error))),
      ),
    );
  if (listable.length < keys.length) await deleteSingly(keys.filter((key) => !fitsXml(key)));
  if (listable.length === 0) return failed;
  let remaining = listable;
  try {
    await requestDeletion(
      context,
      () => remaining,
      async (signal) => {
        const errors = await deleteObjects(context.store, { bucket, keys: remaining, signal });
        remaining = [];
        // A response with status 200 may report errors for some keys. The next attempt sends only keys that can be retried.
        for (const [key, error] of errors)
          if (isRetryable(error)) remaining.push(key);
          else failed.set(key, error);
        if (remaining.length > 0) throw errors.get(remaining[0]!)!;
      },
    );
  } catch (thrown) {
    const error = notFatal(context, thrown);
    if (UNSUPPORTED_LIST.has(error.code)) await deleteSingly(remaining);
    else for (const key of remaining) failed.set(key, error);
  }
  return failed;
}

/**
 * Returns the error unless it is fatal. After an abort it is returned too, so that it is reported for the keys it concerns.
 * @throws S3Error the fatal error
 */
function notFatal(context: TransferContext, thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  if (context.executor.isFatal(error) && !context.signal.aborted) throw error;
  return error;
}

/**
 * Time to wait for the response to a deletion after an abort, so that the summary is correct. Less than `GRACE_MS` in
 * `run-transfer.ts`.
 */
const RESPONSE_GRACE_MS = 10_000;

/**
 * Sends one deletion with retries. If the transfer ends before the store responds, the keys are counted in `maybeDeleted`.
 * @param keys returns the keys that the next attempt deletes
 */
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

/** Signals of `deletionSignal`. All requests of a context share one, because HTTP clients add listeners to each signal. */
const deletionSignals = new WeakMap<TransferContext, AbortSignal>();

/** Returns a signal that aborts `RESPONSE_GRACE_MS` after the signal of the context. */
function deletionSignal(context: TransferContext): AbortSignal {
  const existing = deletionSignals.get(context);
  if (existing !== undefined) return existing;
  const controller = new AbortController();
  const onAbort = (): void => unrefTimer(() => controller.abort(context.signal.reason), RESPONSE_GRACE_MS);
  context.signal.addEventListener('abort', onAbort, { once: true });
  deletionSignals.set(context, controller.signal);
  return controller.signal;
}

/** Deletes the keys of one request and reports each of them. In a dry run, only reports. */
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

/** Groups items into batches of at most 1,000, the limit of one request. */
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
  let isEmpty = true;
  for await (const entry of listAllObjects(context, place)) {
    isEmpty = false;
    if (options.filter?.(entry) === false) continue;
    context.meter.addPlanned(0);
    yield entry;
  }
  context.meter.finishPlan();
  if (isEmpty) await rejectObjectAsPrefix(context, place, OMIT_RECURSIVE);
}

async function* deletableKeys(
  context: TransferContext,
  keys: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<{ key: string; size: number }> {
  for await (const key of keys) {
    context.meter.addPlanned(0);
    // For an invalid key, a store would respond that it is deleted.
    const problem = keyProblem(key);
    if (problem === undefined) yield { key, size: 0 };
    else context.report.fail('delete', key, new S3Error('NameUnsafe', problem));
  }
  context.meter.finishPlan();
}
