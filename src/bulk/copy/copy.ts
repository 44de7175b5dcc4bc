import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { isStoreFull, ignoreForbidden } from '../error-kinds.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { copyObject, copyPart } from '../s3/commands/copy-object.js';
import { getObject } from '../s3/commands/get-object.js';
import { getObjectTagging } from '../s3/commands/get-object-tagging.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { isMd5 } from '../s3/commands/body-checksums.js';
import { S3Error, toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { joinKey, keyProblem } from '../s3/object-keys.js';
import { MULTIPART, partSizeFor } from '../transfer/part-plan.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, ObjectProperties, Place, Summary } from '../types.js';
import { headObject, objectExists } from '../list/head-object.js';
import { processParts, missingParts } from '../transfer/parallel-parts.js';
import { listAllObjects } from '../list/list-objects.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import {
  completeMultipartSession,
  abandonUpload,
  multipartEtag,
  openMultipartSession,
  PART_SIZE_METADATA,
} from '../multipart/multipart-session.js';
import { entryOfKey, objectsOfKeyList, withHead } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { reportEmptyPrefix, OMIT_RECURSIVE } from '../list/empty-prefix.js';
import { checksumMismatch, findPartSize } from '../verify/content-digest.js';

export interface CopySettings {
  /** Properties that replace those of the sources one by one; of the metadata, name by name. @default those of the source */
  properties?: ObjectProperties;
  /** Larger objects are copied in parts, several at once. @default 256 MiB; at most 5 GiB */
  multipartThreshold?: number;
  /** Never replace an object. */
  onlyNew?: boolean;
}

export interface CopyOptions extends RunOptions, ListOptions, CopySettings {
  /** Only paths, relative to the prefix, for which it says true. */
  filter?: (path: string) => boolean;
  /** Only these paths below the prefix, instead of all. */
  paths?: AsyncIterable<string> | Iterable<string>;
  /** `from.prefix` and `to.prefix` are whole keys. */
  exact?: boolean;
}

const THRESHOLD = 256 * 1024 * 1024;
/** Properties that a store sets without replacing the others. */
const BY_ITSELF = new Set<string>(['storageClass', 'acl', 'sse', 'sseKmsKeyId', 'tags'] satisfies (keyof ObjectProperties)[]);

/** Objects to other keys or buckets of the same store; no byte of them comes here. */
export function copyWithin(store: Store, from: Place, to: Place, options: CopyOptions): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    // An object that is copied onto itself is written by no other.
    const moves = !options.exact && from.prefix !== to.prefix;
    if (moves) requireDisjoint(store, from, to, to.prefix.startsWith(from.prefix));
    const climbs = moves && isOneBucket(store, from.bucket, to.bucket);
    const keyOf = ({ key }: ObjectEntry): string => {
      if (options.exact) return to.prefix;
      const moved = joinKey(to.prefix, key.slice(from.prefix.length));
      // From a/s/ to a/, a/s/s/x would replace a/s/x, or be read again as that. Nothing is written where all of this is read.
      if (climbs && moved.startsWith(from.prefix))
        throw new S3Error('InvalidOption', `${key} would go below ${from.prefix}, which is what is copied. ${DETOUR}`);
      return moved;
    };
    let empty = options.paths === undefined;
    const listing = (): AsyncGenerator<ObjectEntry> => wanted(context, from, to, options, () => (empty = false));
    await context.workers.forEach(
      'copy',
      options.paths === undefined ? listing() : objectsOfKeyList(context, 'copy', from.prefix, options.paths, options),
      ({ key }) => key,
      async (entry) => copyOne(context, from.bucket, entry, to.bucket, keyOf(entry), options),
    );
    await endStaleTransfers(context, to, options.exact ? {} : options);
    if (empty) await reportEmptyPrefix(context, 'copy', from, OMIT_RECURSIVE);
  });
}

/** Refuses overlapping prefixes: written objects would be read in turn without end. @throws S3Error `InvalidOption` */
export function requireDisjoint(store: Store, from: Place, to: Place, overlap: boolean): void {
  if (!overlap || !isOneBucket(store, from.bucket, to.bucket)) return;
  const [source, target] = [from, to].map(({ bucket, prefix }) => `s3://${bucket}/${prefix}`);
  throw new S3Error('InvalidOption', `${source} and ${target} overlap: one lies in the other. ${DETOUR}`);
}

const DETOUR = 'Copy to another prefix first, and from there.';

/** In the name of a host, capitals are no others. */
const isOneBucket = (store: Store, a: string, b: string): boolean => {
  const name = a.toLowerCase();
  return a === b || (name === b.toLowerCase() && store.originOf(a).hostname.startsWith(`${name}.`));
};

async function* wanted(
  context: TransferContext,
  from: Place,
  to: Place,
  options: CopyOptions,
  found: () => void,
): AsyncGenerator<ObjectEntry> {
  for await (const entry of options.exact
    ? [await entryOfKey(context, from.bucket, from.prefix)]
    : listAllObjects(context, from)) {
    found();
    const path = entry.key.slice(from.prefix.length);
    // The mark of the folder itself has no place where it goes to a whole bucket.
    const isMark = !options.exact && entry.size === 0 && to.prefix + path === '';
    if (isMark || options.filter?.(path) === false) continue;
    context.meter.addPlanned(entry.size);
    yield entry;
  }
  context.meter.finishPlan();
}

/** One object of a context. @returns its new ETag; undefined when there is none, in a dry run or where `onlyNew` found another. */
export async function copyOne(
  context: TransferContext,
  fromBucket: string,
  listed: ObjectEntry,
  bucket: string,
  key: string,
  settings: CopySettings,
): Promise<string | undefined> {
  const problem = keyProblem(key);
  // A source that is there may have segments like `..`, and so may its copy, where both can be asked for.
  if (problem !== undefined && !(context.store.sendsKeysUnchanged && problem === keyProblem(listed.key)))
    throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const { properties } = settings;
  const itself = fromBucket === bucket && listed.key === key;
  if (itself && properties === undefined)
    throw new S3Error('InvalidOption', `${key} would be copied onto itself, and nothing of it replaced.`);
  const entry = await withHead(context, fromBucket, listed);
  const exists = async (): Promise<boolean> => {
    const is = settings.onlyNew === true && (await objectExists(context, bucket, key));
    if (is) context.report.skip('copy', entry.key, entry.size, 'exists');
    return is;
  };
  if (await exists()) return undefined;
  if (context.dryRun) {
    partSizeFor(entry.size);
    context.report.done('copy', entry.key, entry.size);
    return undefined;
  }
  const from = { bucket: fromBucket, key: entry.key, etag: entry.etag };
  const progress = context.meter.trackFile(key, entry.size);
  try {
    const small = entry.size <= Math.min(settings.multipartThreshold ?? THRESHOLD, MULTIPART.maxPart);
    // Stores replace all or nothing, but for the storage class; and a copy in parts takes nothing along by itself.
    const replace = properties !== undefined && (itself || Object.keys(properties).some((name) => !BY_ITSELF.has(name)));
    const onlyNew = settings.onlyNew && { onlyNew: true };
    let etag: string;
    if (small) {
      const copying = (given: ObjectProperties) =>
        context.executor.request(key, entry.size, () =>
          copyObject(context.store, { from, bucket, key, replace, properties: given, ...onlyNew, signal: context.signal }),
        );
      if (replace) etag = await copying(await mergedProperties(context, from, await headSource(context, from), properties, true));
      else
        etag = await copying({ ...unreplacedProperties(entry), ...properties }).catch((error: unknown) => {
          // Not every bucket takes each class that another tells.
          const { status } = error as S3Error;
          const isOurs = properties?.storageClass === undefined && unreplacedProperties(entry).storageClass !== undefined;
          if (!isOurs || (status !== 400 && status !== 501)) throw error;
          return copying({ ...properties });
        });
      progress.addMoved(entry.size);
      if (etag !== entry.etag || !isMd5(etag)) await verifyCopy(context, from, { bucket, key, etag }, entry.size);
    } else {
      const facts = await headSource(context, from);
      const whole = await mergedProperties(context, from, facts, properties, false);
      etag = await copyInParts(context, from, facts, { bucket, key, properties: whole, ...onlyNew }, progress);
    }
    context.report.done('copy', entry.key, entry.size, progress.resumedBytes);
    return etag;
  } catch (error) {
    // So is a source told that changed meanwhile.
    if ((error as S3Error).code === 'PreconditionFailed' && (await exists())) return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

async function copyInParts(
  context: TransferContext,
  from: { bucket: string; key: string; etag: string },
  source: ObjectHead,
  to: { bucket: string; key: string; properties: ObjectProperties; onlyNew?: boolean },
  progress: FileProgress,
): Promise<string> {
  const { store, signal } = context;
  const { bucket, key, properties, onlyNew } = to;
  const { size, checksum } = source;
  // In the parts of the source it gets the ETag of the source, which proves it at no cost.
  const isNoted = source.parts > 1 && !source.encrypted && PART_SIZE_METADATA in source.metadata;
  const told = isNoted ? await findPartSize(context, from.bucket, from.key, source) : undefined;
  const partSize = partSizeFor(size, told ?? THRESHOLD);
  // With another ETag the part size was noted wrongly, and only the bytes tell.
  const isOf = async (etag: string): Promise<boolean> =>
    etag === source.etag || etag === (await etagInParts(context, from, size, partSize));
  const whole = { size, copied: checksum, ...(partSize === told && { isOf }), ...(onlyNew && { onlyNew }) };
  const wanted = { bucket, key, size, version: `${from.bucket}/${from.key} ${from.etag}`, partSize, properties };
  const session = await openMultipartSession(context, { ...wanted, copies: true });
  const { upload, completed, finishedEtag } = session;
  const parts: JournalPart[] = [];
  const missing = () => missingParts({ size, partSize, completed }, parts, progress);
  try {
    if (finishedEtag !== undefined) {
      progress.addResumed(size);
      context.journal.end(key);
      return finishedEtag;
    }
    await processParts(context, missing, async (part) => {
      const etag = await context.executor.request(key, part.size, () => copyPart(store, { from, ...upload, ...part, signal }));
      const copied = { number: part.number, etag, checksum: '' };
      parts[part.number - 1] = copied;
      context.journal.addPart(key, copied);
      progress.addMoved(part.size);
    });
    const etag = await completeMultipartSession(context, session, parts, whole);
    context.journal.end(key);
    return etag;
  } catch (thrown) {
    const error = toS3Error(thrown);
    await abandonUpload(context, upload, error.code === 'PreconditionFailed' || isStoreFull(error));
    throw error;
  }
}

/** The ETag that the bytes of an object make in parts of a size: it is read. */
async function etagInParts(
  context: TransferContext,
  { bucket, key, etag: ifMatch }: { bucket: string; key: string; etag: string },
  size: number,
  partSize: number,
): Promise<string | undefined> {
  const parts: { etag: string }[] = [];
  for (let start = 0; start < size; start += partSize) {
    const range = { start, end: Math.min(size, start + partSize) - 1 };
    const etag = await context.executor.request(key, range.end + 1 - start, async () => {
      const hash = context.store.digests.md5();
      const onData = (piece: Uint8Array): void => hash.update(piece);
      await getObject(context.store, { bucket, key, range, ifMatch, signal: context.signal, onData });
      return hash.hex();
    });
    parts.push({ etag });
  }
  return multipartEtag(context, parts);
}

/**
 * Verifies a copy whose ETag does not prove it: by its size and, if both have one, by checksum.
 * @throws S3Error `ChecksumMismatch`
 */
async function verifyCopy(
  context: TransferContext,
  from: { bucket: string; key: string; etag: string },
  to: { bucket: string; key: string; etag: string },
  size: number,
): Promise<void> {
  // An object that was replaced meanwhile says nothing about the copy.
  const [source, made] = await Promise.all(
    [from, to].map(async ({ bucket, key, etag }) => {
      const facts = await headObject(context, bucket, key).catch(ignoreForbidden);
      return facts?.etag === etag ? facts : undefined;
    }),
  );
  const [wanted, told] = [source?.checksum, made?.checksum];
  const comparable = wanted !== undefined && wanted.name === told?.name;
  if (made !== undefined && (made.size !== size || (comparable && wanted.value !== told.value))) throw checksumMismatch(to.key);
  if (!comparable) context.report.summary.unverified++;
}

/** Known properties of the source that stores do not copy by themselves. `STANDARD` is the default storage class. */
const unreplacedProperties = ({ storageClass, websiteRedirect }: ObjectProperties): ObjectProperties => ({
  ...(storageClass !== undefined && storageClass !== 'STANDARD' && { storageClass }),
  ...(websiteRedirect !== undefined && { websiteRedirect }),
});

/** @throws S3Error `NoSuchKey` */
async function headSource(context: TransferContext, { bucket, key }: { bucket: string; key: string }): Promise<ObjectHead> {
  const facts = await headObject(context, bucket, key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  return facts;
}

/** The properties of the source, and over them those that are given. Tags come along by themselves, but with parts. */
async function mergedProperties(
  context: TransferContext,
  from: { bucket: string; key: string },
  facts: ObjectHead,
  given: ObjectProperties | undefined,
  small: boolean,
): Promise<ObjectProperties> {
  const untagged = small || facts.tags === 0 || given?.tags !== undefined;
  const tags = untagged
    ? undefined
    : await context.executor.request(from.key, 0, () => getObjectTagging(context.store, { ...from, signal: context.signal }));
  const metadata = { ...facts.metadata, ...given?.metadata };
  return { ...facts.properties, ...(tags !== undefined && { tags }), ...given, metadata };
}
