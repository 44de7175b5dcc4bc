import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { ListPage } from '../s3/commands/list-objects.js';
import { S3Error } from '../errors.js';
import { compareKeys } from '../s3/object-keys.js';
import type { Action, ObjectEntry } from '../types.js';
import { headObject } from './head-object.js';

/** Remembers names, so that none is taken twice. */
export interface KnownNames {
  /** @returns whether the name is new. */
  add(name: string): boolean;
}

/** Options of methods that take a list of names. */
export interface ListOptions {
  /** Remembers the names of a source that may say one twice. @default all of them, in memory */
  known?: KnownNames;
}

export function knownNames({ known }: ListOptions): KnownNames {
  const seen = new Set<string>();
  return known ?? { add: (name) => seen.size < seen.add(name).size };
}

export const duplicateKey = (key: string): S3Error =>
  new S3Error('NameUnsafe', `${key} is named twice in one context; the first one stands.`, { advice: 'Name it once.' });

/** Objects of a list of paths below a prefix, whose facts are asked for when their turn comes: their size is negative. */
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

// Each run asks once what is behind it, whatever its list names in vain.
const asked = new WeakMap<TransferContext, Promise<ListPage | undefined>>();

/** @param instead what to do where it is a prefix @throws S3Error `NoSuchKey`, or what is behind it; `InvalidOption` without a key */
export async function headExistingObject(
  context: TransferContext,
  bucket: string,
  key: string,
  instead = ': add -r',
): Promise<ObjectHead> {
  if (key === '') throw new S3Error('InvalidOption', `s3://${bucket} is a bucket: name a key in it.`);
  let refused: S3Error | undefined;
  const facts = await headObject(context, bucket, key).catch((error: S3Error) => {
    if (error.status < 400) throw error;
    refused = error;
    return undefined;
  });
  if (facts) return facts;
  // The answer to a HEAD has no body to tell a bucket that is missing, or a secret that is wrong; one listing of one key does.
  const prefix = key.replace(/\/?$/, '/');
  const asking =
    asked.get(context) ??
    listObjects(context.store, { bucket, prefix, max: 1, signal: context.signal }).catch((error: S3Error) => {
      // A key that may read may not list.
      if (context.executor.isFatal(error) || error.code === 'InvalidToken') throw error;
      return undefined;
    });
  asked.set(context, asking);
  const page = await asking;
  const is = page?.objects[0]?.key.startsWith(prefix) ? `; ${prefix} is a prefix${instead}` : '';
  throw refused ?? new S3Error('NoSuchKey', `There is no object ${key}${is}.`, { status: 404 });
}

export async function entryOfKey(context: TransferContext, bucket: string, key: string, instead?: string): Promise<ObjectEntry> {
  const facts = await headExistingObject(context, bucket, key, instead);
  const { size, etag, lastModifiedMs, properties } = facts;
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

/** The facts of one that is but named, asked for now. @throws S3Error `NoSuchKey` */
export async function withHead(context: TransferContext, bucket: string, entry: ObjectEntry): Promise<ObjectEntry> {
  if (entry.size >= 0) return entry;
  const told = await entryOfKey(context, bucket, entry.key, '');
  context.meter.addPlanned(told.size);
  return told;
}

/** Whether a list names a path. List and questions both come in the order of keys: neither is held. */
export function sortedMembership(list: Iterable<string>): (path: string) => boolean {
  const names = list[Symbol.iterator]();
  let head = names.next();
  return (path) => {
    while (!head.done && compareKeys(head.value, path) < 0) head = names.next();
    return head.value === path;
  };
}
