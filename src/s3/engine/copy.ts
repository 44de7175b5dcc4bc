import { copyObject, copyPart } from '../commands/copy-object.js';
import { getObjectTagging } from '../commands/get-object-tagging.js';
import { completeMultipartUpload } from '../commands/multipart.js';
import { S3Error, toS3Error } from '../errors.js';
import { joinKey, keyProblem } from '../names.js';
import { MULTIPART, partAt, partCount, partSizeFor } from '../plan.js';
import type { Store } from '../store.js';
import type { ObjectEntry, ObjectProperties, Place, Summary } from '../types.js';
import { factsAt, isThere } from './facts-at.js';
import { listAll } from './list.js';
import type { Following } from './meter.js';
import { giveUp, openSession } from './multipart-session.js';
import { entryOf, namedObjects, withFacts } from './named.js';
import type { ListOptions } from './named.js';
import { withRun } from './run.js';
import type { Run, RunOptions } from './run.js';
import { cleanUpLeftovers } from './upload.js';

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
    if (!options.exact && from.prefix !== to.prefix) apart(from, to, to.prefix.startsWith(from.prefix));
    const keyOf = (entry: ObjectEntry): string =>
      options.exact ? to.prefix : joinKey(to.prefix, entry.key.slice(from.prefix.length));
    await run.pump(
      'copy',
      options.paths === undefined ? wanted(run, from, options) : namedObjects(run, 'copy', from.prefix, options.paths, options),
      ({ key }) => key,
      (entry) => copyOne(run, from.bucket, entry, to.bucket, keyOf(entry), options),
    );
    await cleanUpLeftovers(run, to, options.exact ? {} : options);
  });
}

/** What is written may not come to be read in turn: that would never end. @throws S3Error `InvalidOption` */
export function apart(from: Place, to: Place, overlap: boolean): void {
  if (from.bucket !== to.bucket || !overlap) return;
  const [source, target] = [from, to].map(({ bucket, prefix }) => `s3://${bucket}/${prefix}`);
  throw new S3Error('InvalidOption', `${source} and ${target} overlap: one lies in the other.`);
}

async function* wanted(run: Run, from: Place, options: CopyOptions): AsyncGenerator<ObjectEntry> {
  for await (const entry of options.exact ? [await entryOf(run, from.bucket, from.prefix)] : listAll(run, from)) {
    if (options.filter?.(entry.key.slice(from.prefix.length)) === false) continue;
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
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const { properties } = settings;
  const itself = fromBucket === bucket && listed.key === key;
  if (itself && properties === undefined) throw new S3Error('NameUnsafe', `${key} would be copied onto itself.`);
  const entry = await withFacts(run, fromBucket, listed);
  const exists = async (): Promise<boolean> => {
    const is = settings.onlyNew === true && (await isThere(run, bucket, key));
    if (is) run.skip('copy', entry.key, entry.size, 'exists');
    return is;
  };
  if (await exists()) return undefined;
  if (run.dryRun) {
    run.done('copy', entry.key, entry.size);
    return undefined;
  }
  const from = { bucket: fromBucket, key: entry.key, etag: entry.etag };
  const following = run.meter.follow(key, entry.size);
  try {
    const small = entry.size <= Math.min(settings.multipartThreshold ?? THRESHOLD, MULTIPART.maxPart);
    // Stores replace all or nothing, but for the storage class; and a copy in parts takes nothing along by itself.
    const replace = properties !== undefined && (itself || Object.keys(properties).some((name) => !BY_ITSELF.has(name)));
    const whole = replace || !small ? await merged(run, from, properties, small) : properties;
    const more = { ...(settings.onlyNew && { onlyNew: true }), ...(whole && { properties: whole }) };
    const etag = small
      ? await run.request(key, entry.size, () =>
          copyObject(run.store, { from, bucket, key, replace, ...more, signal: run.signal }),
        )
      : await inParts(run, from, entry.size, { bucket, key, properties: {}, ...more }, following);
    if (small) following.moved(entry.size);
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
  size: number,
  to: { bucket: string; key: string; properties: ObjectProperties; onlyNew?: boolean },
  following: Following,
): Promise<string> {
  const { store, signal } = run;
  const { bucket, key, properties, onlyNew } = to;
  const partSize = partSizeFor(size, THRESHOLD);
  const wanted = { bucket, key, size, version: `${from.bucket}/${from.key} ${from.etag}`, partSize, properties };
  const { upload, have, finished } = await openSession(run, { ...wanted, copies: true });
  const { uploadId } = upload;
  try {
    if (finished !== undefined) {
      following.passed(size);
      run.journal.end(key);
      return finished;
    }
    const numbers = Array.from({ length: partCount(size, partSize) }, (_, index) => index + 1);
    const copied = await Promise.allSettled(
      numbers.map(async (number) => {
        const { start, size: length } = partAt(number, size, partSize);
        const known = have.get(number)?.etag;
        const etag =
          known ??
          (await run.request(key, length, () =>
            copyPart(store, { from, bucket, key, uploadId, number, start, size: length, signal }),
          ));
        if (known === undefined) {
          run.journal.part(key, { number, etag, checksum: '' });
          following.moved(length);
        } else following.passed(length);
        return { number, etag };
      }),
    );
    // Only now does nothing more come to be noted of this upload.
    const parts = copied.map((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
    const complete = { bucket, key, uploadId, parts, size, ...(onlyNew && { onlyNew }), signal };
    const made = await run.request(key, 0, () => completeMultipartUpload(store, complete));
    const head = await factsAt(run, bucket, key);
    if (head?.size !== size) throw new S3Error('ChecksumMismatch', `${key}: the copy is not as long as its source.`);
    run.journal.end(key);
    return made.etag;
  } catch (thrown) {
    const error = toS3Error(thrown);
    await giveUp(run, upload, error.code === 'PreconditionFailed');
    throw error;
  }
}

/** The properties of the source, and over them those that are given. Tags come along by themselves, but with parts. */
async function merged(
  run: Run,
  from: { bucket: string; key: string },
  given: ObjectProperties | undefined,
  small: boolean,
): Promise<ObjectProperties> {
  const facts = await factsAt(run, from.bucket, from.key);
  if (facts === undefined) throw new S3Error('NoSuchKey', `${from.key} is gone.`);
  const untagged = small || facts.tags === 0 || given?.tags !== undefined;
  const tags = untagged
    ? undefined
    : await run.request(from.key, 0, () => getObjectTagging(run.store, { ...from, signal: run.signal }));
  const metadata = { ...facts.metadata, ...given?.metadata };
  return { ...facts.properties, ...(tags !== undefined && { tags }), ...given, metadata };
}
