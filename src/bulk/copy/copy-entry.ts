import { S3Error } from '../errors.js';
import { objectExists } from '../list/head-object.js';
import { withHead } from '../list/key-list.js';
import { isMd5 } from '../s3/commands/body-checksums.js';
import { copyObject } from '../s3/commands/copy-object.js';
import { keyProblem } from '../s3/object-keys.js';
import { MULTIPART, partSizeFor } from '../transfer/part-plan.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, ObjectProperties } from '../types.js';
import { headSource, mergeProperties, mustReplaceProperties, sourceTags, uncopiedProperties } from './copied-properties.js';
import { copyInParts } from './copy-in-parts.js';
import type { CopySettings, CopySource } from './copy-settings.js';
import { verifyCopy } from './verify-copy.js';

const DEFAULT_MULTIPART_THRESHOLD = 256 * 1024 * 1024;

interface CopyTarget {
  bucket: string;
  key: string;
}

/**
 * Copies one object and verifies the copy.
 * @param listed the object, from a listing or a key list
 * @returns the ETag of the copy; undefined in a dry run, or if `onlyNew` found another object
 * @throws S3Error `NameUnsafe`, `InvalidOption`, `NoSuchKey`, `PreconditionFailed`, `ChecksumMismatch`
 */
export async function copyEntry(
  context: TransferContext,
  fromBucket: string,
  listed: ObjectEntry,
  to: CopyTarget,
  settings: CopySettings,
): Promise<string | undefined> {
  const isSameObject = fromBucket === to.bucket && listed.key === to.key;
  requireValidCopy(context, listed.key, to.key, isSameObject, settings);
  const entry = await withHead(context, fromBucket, listed);
  const skipsExisting = async (): Promise<boolean> => {
    const exists = settings.onlyNew === true && (await objectExists(context, to.bucket, to.key));
    if (exists) context.report.skip('copy', entry.key, entry.size, 'exists');
    return exists;
  };
  if (await skipsExisting()) return undefined;
  if (context.dryRun) {
    // Throws if the object is too large to be copied.
    partSizeFor(entry.size);
    context.report.done('copy', entry.key, entry.size);
    return undefined;
  }
  const from = { bucket: fromBucket, key: entry.key, etag: entry.etag };
  const progress = context.meter.trackFile(to.key, entry.size);
  try {
    const maxSingle = Math.min(settings.multipartThreshold ?? DEFAULT_MULTIPART_THRESHOLD, MULTIPART.maxPart);
    const etag =
      entry.size <= maxSingle
        ? await copyInOneRequest(context, from, entry, to, settings, progress)
        : await copyLargeObject(context, from, to, settings, progress);
    context.report.done('copy', entry.key, entry.size, progress.resumedBytes);
    return etag;
  } catch (error) {
    // The code is the same for a source that changed meanwhile.
    if ((error as S3Error).code === 'PreconditionFailed' && (await skipsExisting())) return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

/** @throws S3Error `NameUnsafe` for a key that the client cannot request, `InvalidOption` for a copy that changes nothing */
function requireValidCopy(
  { store }: TransferContext,
  fromKey: string,
  toKey: string,
  isSameObject: boolean,
  { properties }: CopySettings,
): void {
  const problem = keyProblem(toKey);
  // An existing source may have segments like `..`. Its copy may have them too if the client sends keys unchanged.
  if (problem !== undefined && !(store.sendsKeysUnchanged && problem === keyProblem(fromKey)))
    throw new S3Error('NameUnsafe', `${toKey}: ${problem}`);
  if (isSameObject && properties === undefined)
    throw new S3Error('InvalidOption', `${toKey} would be copied onto itself without a change. Give properties to replace.`);
}

/** @returns the ETag of the copy */
async function copyInOneRequest(
  context: TransferContext,
  from: CopySource,
  entry: ObjectEntry,
  to: CopyTarget,
  { properties, onlyNew }: CopySettings,
  progress: FileProgress,
): Promise<string> {
  const isSameObject = from.bucket === to.bucket && from.key === to.key;
  const replace = mustReplaceProperties(properties, isSameObject);
  const requestCopy = (stated: ObjectProperties): Promise<string> =>
    context.executor.request(to.key, entry.size, () =>
      copyObject(context.store, {
        from,
        ...to,
        replace,
        properties: stated,
        ...(onlyNew && { onlyNew }),
        signal: context.signal,
      }),
    );
  let etag: string;
  if (replace) etag = await requestCopy(mergeProperties(await headSource(context, from), properties));
  else
    etag = await requestCopy({ ...uncopiedProperties(entry), ...properties }).catch((error: unknown) => {
      // A bucket may refuse a storage class that another one reports. Then the copy gets the default class.
      const { status } = error as S3Error;
      const isFromSource = properties?.storageClass === undefined && uncopiedProperties(entry).storageClass !== undefined;
      if (!isFromSource || (status !== 400 && status !== 501)) throw error;
      return requestCopy({ ...properties });
    });
  progress.addMoved(entry.size);
  if (etag !== entry.etag || !isMd5(etag)) await verifyCopy(context, from, { ...to, etag }, entry.size);
  return etag;
}

/** @returns the ETag of the copy */
async function copyLargeObject(
  context: TransferContext,
  from: CopySource,
  to: CopyTarget,
  { properties: given, onlyNew }: CopySettings,
  progress: FileProgress,
): Promise<string> {
  const source = await headSource(context, from);
  const tags = await sourceTags(context, from, source, given);
  const properties = mergeProperties(source, given, tags);
  return copyInParts(context, from, source, { ...to, properties, ...(onlyNew && { onlyNew }) }, progress);
}
