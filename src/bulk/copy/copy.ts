import { copyObject, copyPart } from '../s3/commands/copy-object.js';
import { getObject } from '../s3/commands/get-object.js';
import { getObjectTagging } from '../s3/commands/get-object-tagging.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { isMd5 } from '../s3/commands/protect.js';
import { isStoreFull, S3Error, toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { joinKey, keyProblem } from '../s3/object-keys.js';
import { MULTIPART, partSizeFor } from '../transfer/part-plan.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, ObjectProperties, Place, Summary } from '../types.js';
import { factsAt, isThere, unlessUntold } from '../list/head-object.js';
import { inParallel, missingParts } from '../transfer/in-parallel.js';
import { listAll } from '../list/list.js';
import type { Following } from '../transfer/progress-meter.js';
import { completeSession, giveUp, multipartEtag, openSession, PART_SIZE } from '../transfer/multipart-session.js';
import { entryOf, namedObjects, withFacts } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { nothingBelow, WITHOUT_R } from '../list/empty-prefix.js';
import { mismatch, partSizeOf } from '../verify/object-check.js';
import { withRun } from '../transfer/run.js';
import type { Run, RunOptions } from '../transfer/run.js';
import { cleanUpLeftovers } from '../upload/upload.js';

export interface CopySettings {
  /** Instead of those of the sources, each that is given; of the metadata, each name. What is not given comes along. */
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
/** What a store sets without replacing the rest. */
const BY_ITSELF = new Set<string>(['storageClass', 'acl', 'sse', 'sseKmsKeyId', 'tags'] satisfies (keyof ObjectProperties)[]);

/** Objects to other keys or buckets of the same store; no byte of them comes here. */
export function copyWithin(store: Store, from: Place, to: Place, options: CopyOptions): Promise<Summary> {
  return withRun(store, options, async (run) => {
    // An object that is copied onto itself is written by no other.
    const moves = !options.exact && from.prefix !== to.prefix;
    if (moves) apart(store, from, to, to.prefix.startsWith(from.prefix));
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
    const listing = (): AsyncGenerator<ObjectEntry> => wanted(run, from, to, options, () => (empty = false));
    await run.pump(
      'copy',
      options.paths === undefined ? listing() : namedObjects(run, 'copy', from.prefix, options.paths, options),
      ({ key }) => key,
      async (entry) => copyOne(run, from.bucket, entry, to.bucket, keyOf(entry), options),
    );
    await cleanUpLeftovers(run, to, options.exact ? {} : options);
    if (empty) await nothingBelow(run, 'copy', from, WITHOUT_R);
  });
}

/** What is written may not come to be read in turn: that would never end. @throws S3Error `InvalidOption` */
export function apart(store: Store, from: Place, to: Place, overlap: boolean): void {
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

async function* wanted(run: Run, from: Place, to: Place, options: CopyOptions, found: () => void): AsyncGenerator<ObjectEntry> {
  for await (const entry of options.exact ? [await entryOf(run, from.bucket, from.prefix)] : listAll(run, from)) {
    found();
    const path = entry.key.slice(from.prefix.length);
    // The mark of the folder itself has no place where it goes to a whole bucket.
    const isMark = !options.exact && entry.size === 0 && to.prefix + path === '';
    if (isMark || options.filter?.(path) === false) continue;
    run.meter.plan(entry.size);
    yield entry;
  }
  run.meter.planned();
}

/** One object of a run. @returns its new ETag; undefined when there is none, in a dry run or where `onlyNew` found another. */
export async function copyOne(
  run: Run,
  fromBucket: string,
  listed: ObjectEntry,
  bucket: string,
  key: string,
  settings: CopySettings,
): Promise<string | undefined> {
  const problem = keyProblem(key);
  // A source that is there may have segments like `..`, and so may its copy, where both can be asked for.
  if (problem !== undefined && !(run.store.isLiteral && problem === keyProblem(listed.key)))
    throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const { properties } = settings;
  const itself = fromBucket === bucket && listed.key === key;
  if (itself && properties === undefined)
    throw new S3Error('InvalidOption', `${key} would be copied onto itself, and nothing of it replaced.`);
  const entry = await withFacts(run, fromBucket, listed);
  const exists = async (): Promise<boolean> => {
    const is = settings.onlyNew === true && (await isThere(run, bucket, key));
    if (is) run.skip('copy', entry.key, entry.size, 'exists');
    return is;
  };
  if (await exists()) return undefined;
  if (run.dryRun) {
    partSizeFor(entry.size);
    run.done('copy', entry.key, entry.size);
    return undefined;
  }
  const from = { bucket: fromBucket, key: entry.key, etag: entry.etag };
  const following = run.meter.follow(key, entry.size);
  try {
    const small = entry.size <= Math.min(settings.multipartThreshold ?? THRESHOLD, MULTIPART.maxPart);
    // Stores replace all or nothing, but for the storage class; and a copy in parts takes nothing along by itself.
    const replace = properties !== undefined && (itself || Object.keys(properties).some((name) => !BY_ITSELF.has(name)));
    const onlyNew = settings.onlyNew && { onlyNew: true };
    let etag: string;
    if (small) {
      const copying = (given: ObjectProperties) =>
        run.request(key, entry.size, () =>
          copyObject(run.store, { from, bucket, key, replace, properties: given, ...onlyNew, signal: run.signal }),
        );
      if (replace) etag = await copying(await merged(run, from, await sourceFacts(run, from), properties, true));
      else
        etag = await copying({ ...kept(entry), ...properties }).catch((error: unknown) => {
          // Not every bucket takes each class that another tells.
          const { status } = error as S3Error;
          const isOurs = properties?.storageClass === undefined && kept(entry).storageClass !== undefined;
          if (!isOurs || (status !== 400 && status !== 501)) throw error;
          return copying({ ...properties });
        });
      following.moved(entry.size);
      if (etag !== entry.etag || !isMd5(etag)) await sameCopy(run, from, { bucket, key, etag }, entry.size);
    } else {
      const facts = await sourceFacts(run, from);
      const whole = await merged(run, from, facts, properties, false);
      etag = await inParts(run, from, facts, { bucket, key, properties: whole, ...onlyNew }, following);
    }
    run.done('copy', entry.key, entry.size, following.there);
    return etag;
  } catch (error) {
    // So is a source told that changed meanwhile.
    if ((error as S3Error).code === 'PreconditionFailed' && (await exists())) return undefined;
    throw error;
  } finally {
    following.end();
  }
}

async function inParts(
  run: Run,
  from: { bucket: string; key: string; etag: string },
  source: ObjectFacts,
  to: { bucket: string; key: string; properties: ObjectProperties; onlyNew?: boolean },
  following: Following,
): Promise<string> {
  const { store, signal } = run;
  const { bucket, key, properties, onlyNew } = to;
  const { size, checksum } = source;
  // In the parts of the source it gets the ETag of the source, which proves it at no cost.
  const isNoted = source.parts > 1 && !source.encrypted && PART_SIZE in source.metadata;
  const told = isNoted ? await partSizeOf(run, from.bucket, from.key, source) : undefined;
  const partSize = partSizeFor(size, told ?? THRESHOLD);
  // Else it was of other parts than was noted, and only its bytes tell.
  const isOf = async (etag: string): Promise<boolean> =>
    etag === source.etag || etag === (await etagInParts(run, from, size, partSize));
  const whole = { size, copied: checksum, ...(partSize === told && { isOf }), ...(onlyNew && { onlyNew }) };
  const wanted = { bucket, key, size, version: `${from.bucket}/${from.key} ${from.etag}`, partSize, properties };
  const session = await openSession(run, { ...wanted, copies: true });
  const { upload, have, finished } = session;
  const parts: JournalPart[] = [];
  const missing = () => missingParts({ size, partSize, have }, parts, following);
  try {
    if (finished !== undefined) {
      following.passed(size);
      run.journal.end(key);
      return finished;
    }
    await inParallel(run, missing, async (part) => {
      const etag = await run.request(key, part.size, () => copyPart(store, { from, ...upload, ...part, signal }));
      const copied = { number: part.number, etag, checksum: '' };
      parts[part.number - 1] = copied;
      run.journal.part(key, copied);
      following.moved(part.size);
    });
    const etag = await completeSession(run, session, parts, whole);
    run.journal.end(key);
    return etag;
  } catch (thrown) {
    const error = toS3Error(thrown);
    await giveUp(run, upload, error.code === 'PreconditionFailed' || isStoreFull(error));
    throw error;
  }
}

/** The ETag that the bytes of an object make in parts of a size: it is read. */
async function etagInParts(
  run: Run,
  { bucket, key, etag: ifMatch }: { bucket: string; key: string; etag: string },
  size: number,
  partSize: number,
): Promise<string | undefined> {
  const parts: { etag: string }[] = [];
  for (let start = 0; start < size; start += partSize) {
    const range = { start, end: Math.min(size, start + partSize) - 1 };
    const etag = await run.request(key, range.end + 1 - start, async () => {
      const hash = run.store.digests.md5();
      const onData = (piece: Uint8Array): void => hash.update(piece);
      await getObject(run.store, { bucket, key, range, ifMatch, signal: run.signal, onData });
      return hash.hex();
    });
    parts.push({ etag });
  }
  return multipartEtag(run, parts);
}

/** Of a copy whose ETag does not prove it: its size, and where the store has one of both, its checksum. @throws S3Error `ChecksumMismatch` */
async function sameCopy(
  run: Run,
  from: { bucket: string; key: string; etag: string },
  to: { bucket: string; key: string; etag: string },
  size: number,
): Promise<void> {
  // What was replaced since says nothing of the copy.
  const [source, made] = await Promise.all(
    [from, to].map(async ({ bucket, key, etag }) => {
      const facts = await factsAt(run, bucket, key).catch(unlessUntold);
      return facts?.etag === etag ? facts : undefined;
    }),
  );
  const [wanted, told] = [source?.checksum, made?.checksum];
  const comparable = wanted !== undefined && wanted.name === told?.name;
  if (made !== undefined && (made.size !== size || (comparable && wanted.value !== told.value))) throw mismatch(to.key);
  if (!comparable) run.summary.unverified++;
}

/** What a store does not take along by itself, as far as it is known of the source; `STANDARD` is what an object has by itself. */
const kept = ({ storageClass, websiteRedirect }: ObjectProperties): ObjectProperties => ({
  ...(storageClass !== undefined && storageClass !== 'STANDARD' && { storageClass }),
  ...(websiteRedirect !== undefined && { websiteRedirect }),
});

/** @throws S3Error `NoSuchKey` */
async function sourceFacts(run: Run, { bucket, key }: { bucket: string; key: string }): Promise<ObjectFacts> {
  const facts = await factsAt(run, bucket, key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${key} is gone.`);
  return facts;
}

/** The properties of the source, and over them those that are given. Tags come along by themselves, but with parts. */
async function merged(
  run: Run,
  from: { bucket: string; key: string },
  facts: ObjectFacts,
  given: ObjectProperties | undefined,
  small: boolean,
): Promise<ObjectProperties> {
  const untagged = small || facts.tags === 0 || given?.tags !== undefined;
  const tags = untagged
    ? undefined
    : await run.request(from.key, 0, () => getObjectTagging(run.store, { ...from, signal: run.signal }));
  const metadata = { ...facts.metadata, ...given?.metadata };
  return { ...facts.properties, ...(tags !== undefined && { tags }), ...given, metadata };
}
