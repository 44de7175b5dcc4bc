import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { ListPage } from '../s3/commands/list-objects.js';
import { S3Error } from '../errors.js';
import { compareKeys } from '../s3/object-keys.js';
import type { Action, ObjectEntry } from '../types.js';
import { headObject } from './head-object.js';

/** Set of names that were taken already. */
export interface KnownNames {
  /** Adds a name. @returns whether it is new */
  add(name: string): boolean;
}

/** Options of methods that take a list of names. */
export interface ListOptions {
  /** Remembers names, for sources that may yield one twice. @default a set in memory */
  known?: KnownNames;
}

/** Returns the set of taken names of a method: the one of its options, or a new one. */
export function knownNames({ known }: ListOptions): KnownNames {
  const names = new Set<string>();
  return known ?? { add: (name) => names.size < names.add(name).size };
}

/** Creates the error for the second file with the same key. */
export const duplicateKey = (key: string): S3Error =>
  new S3Error('NameUnsafe', `${key} was given twice. The first file keeps this key.`, { advice: 'Give it only once.' });

/** Yields entries for a list of paths below a prefix. Their size is negative until `withHead` requests them. */
export async function* objectsOfKeyList(
  context: TransferContext,
  action: Action,
  prefix: string,
  paths: AsyncIterable<string> | Iterable<string>,
  options: ListOptions,
): AsyncGenerator<ObjectEntry> {
  const known = knownNames(options);
  for await (const path of paths) {
    const key = prefix + path;
    if (known.add(path)) yield { key, size: -1, etag: '', lastModifiedMs: 0 };
    else context.report.fail(action, key, duplicateKey(key));
  }
  context.meter.finishPlan();
}

/** Listings that explain missing objects. One per transfer is enough. */
const explanations = new WeakMap<TransferContext, Promise<ListPage | undefined>>();

/**
 * Requests the properties of an object that must exist.
 * @param instead advice that completes the message if the key is a prefix
 * @throws S3Error `NoSuchKey`, or its cause, such as `NoSuchBucket`; `InvalidOption` if the key is empty
 */
export async function headExistingObject(
  context: TransferContext,
  bucket: string,
  key: string,
  instead = ': add -r',
): Promise<ObjectHead> {
  if (key === '') throw new S3Error('InvalidOption', `s3://${bucket} is a bucket. Give a key in it.`);
  let refusal: S3Error | undefined;
  const head = await headObject(context, bucket, key).catch((error: S3Error) => {
    if (error.status < 400) throw error;
    refusal = error;
    return undefined;
  });
  if (head) return head;
  // A response to HEAD has no body, so it cannot report a missing bucket or a wrong secret. A listing of one key can.
  const prefix = key.replace(/\/?$/, '/');
  const listing =
    explanations.get(context) ??
    listObjects(context.store, { bucket, prefix, max: 1, signal: context.signal }).catch((error: S3Error) => {
      // Credentials that may read objects may not list them.
      if (context.executor.isFatal(error) || error.code === 'InvalidToken') throw error;
      return undefined;
    });
  explanations.set(context, listing);
  const page = await listing;
  const hint = page?.objects[0]?.key.startsWith(prefix) ? `; ${prefix} is a prefix${instead}` : '';
  throw refusal ?? new S3Error('NoSuchKey', `There is no object ${key}${hint}.`, { status: 404 });
}

/** Returns the entry of one object, as a listing would. @throws S3Error `NoSuchKey` */
export async function entryOfKey(context: TransferContext, bucket: string, key: string, instead?: string): Promise<ObjectEntry> {
  const { size, etag, lastModifiedMs, properties } = await headExistingObject(context, bucket, key, instead);
  const { storageClass, websiteRedirect } = properties;
  return {
    key,
    size,
    etag,
    lastModifiedMs,
    ...(storageClass !== undefined && { storageClass }),
    ...(websiteRedirect !== undefined && { websiteRedirect }),
  };
}

/** Completes an entry of a key list by requesting the object. Returns other entries unchanged. @throws S3Error `NoSuchKey` */
export async function withHead(context: TransferContext, bucket: string, entry: ObjectEntry): Promise<ObjectEntry> {
  if (entry.size >= 0) return entry;
  const complete = await entryOfKey(context, bucket, entry.key, '');
  context.meter.addPlanned(complete.size);
  return complete;
}

/**
 * Returns a function that tests whether a list contains a path. The list and the tested paths must be in the order of keys, so
 * that the list need not be held in memory.
 */
export function sortedMembership(list: Iterable<string>): (path: string) => boolean {
  const names = list[Symbol.iterator]();
  let next = names.next();
  return (path) => {
    while (!next.done && compareKeys(next.value, path) < 0) next = names.next();
    return next.value === path;
  };
}
