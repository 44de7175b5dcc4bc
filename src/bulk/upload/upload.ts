import { endStaleTransfers } from '../multipart/stale-transfers.js';
import type { UploadedFile, UploadSettings } from './upload-settings.js';
import { ignoreForbidden } from '../error-kinds.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { S3Error, sourceError } from '../errors.js';
import { parseMtime, sameTime } from '../s3/file-metadata.js';
import { joinKey, keyProblem, nameOf } from '../s3/object-keys.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { Store } from '../s3/object-store.js';
import type { Place, SourceFile, Summary } from '../types.js';
import { headObject, objectExists } from '../list/head-object.js';
import { knownNames, duplicateKey } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { uploadFile } from './upload-file.js';

/** Options of `BulkTransfer.upload`. */
export interface UploadOptions extends RunOptions, ListOptions, Partial<Omit<UploadSettings, 'bucket' | 'takeEqual'>> {
  /** The source again. It is read ahead of the transfer, for the totals and the time left. @default totals grow with the source */
  survey?: Iterable<SourceFile>;
  /**
   * Returns whether a path belongs to the source. Unfinished uploads of an earlier run to other paths stay unfinished.
   * @default all paths below the prefix
   */
  filter?: (path: string) => boolean;
}

/** Uploads the files of a source below a prefix, or with `exact` one file to the key `to.prefix`. */
export function upload(
  store: Store,
  source: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  to: Place,
  options: UploadOptions & { exact?: boolean },
): Promise<Summary> {
  const settings = { properties: {}, ...options, bucket: to.bucket };
  return runTransfer(store, options, async (context) => {
    // The survey only counts. The source itself reports the same errors.
    if (options.survey !== undefined) survey(context, options.survey).catch(() => {});
    const keyOf = (file: SourceFile): string => (options.exact ? to.prefix : joinKey(to.prefix, nameOf(file)));
    await context.workers.forEach(
      'upload',
      rejectDuplicates(context, countPlanned(context, source), keyOf, options),
      keyOf,
      (file) => uploadSourceFile(context, file, keyOf(file), settings, true),
    );
    await endStaleTransfers(context, to, options.exact ? {} : options);
  });
}

/** Number of files that are counted before the transfer gets its turn. */
const SURVEY_BATCH = 500;

/** Counts the files and bytes of a source. */
export async function survey(context: TransferContext, source: Iterable<SourceFile>): Promise<void> {
  if (context.report.isFinished) return;
  let count = 0;
  for (const file of source) {
    context.meter.addSurveyed(file.size ?? 0);
    if (++count % SURVEY_BATCH === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    if (context.signal.aborted || context.report.isFinished) return;
  }
  context.meter.finishSurvey();
}

/**
 * Uploads one file and reports the result. In a dry run, reports what would be done.
 * @param skipCompleted whether files are skipped that the journal lists as completed by an earlier run
 * @returns undefined if nothing was uploaded
 * @throws S3Error the problem of the file, `NameUnsafe`, `EntityTooLarge`, or an error of the upload
 */
export async function uploadSourceFile(
  context: TransferContext,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
  skipCompleted: boolean,
): Promise<UploadedFile | undefined> {
  if (file.problem !== undefined) throw file.problem;
  const problem = keyProblem(key);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const size = file.size ?? 0;
  const fingerprint = skipCompleted ? await completedFingerprint(context, file, key) : undefined;
  if (fingerprint !== undefined && (await isAlreadyUploaded(context, file, key, settings, fingerprint))) {
    context.report.skip('upload', key, size, 'completed by an earlier run');
    return undefined;
  }
  if (context.dryRun) {
    if (settings.onlyNew && (await objectExists(context, settings.bucket, key)))
      context.report.skip('upload', key, size, 'exists');
    else {
      // Throws if the file is too large for an object.
      partSizeFor(size);
      context.report.done('upload', key, size);
    }
    return undefined;
  }
  const uploaded = await uploadFile(context, file, key, settings);
  if (uploaded === undefined) context.report.skip('upload', key, size, 'exists');
  else {
    if (fingerprint !== undefined) context.journal.complete(fingerprint, uploaded.etag);
    context.report.done('upload', key, uploaded.size, uploaded.resumedBytes);
  }
  return uploaded;
}

/** Returns whether the journal lists a file as completed and its object is still stored. */
async function isAlreadyUploaded(
  context: TransferContext,
  file: SourceFile,
  key: string,
  { bucket, keepTimes }: UploadSettings,
  fingerprint: string,
): Promise<boolean> {
  if (!context.journal.isCompleted(fingerprint)) return false;
  const etag = context.journal.completedEtag?.(fingerprint);
  return isStillStored(context, bucket, key, file, { requiresTime: keepTimes !== false, etag });
}

/**
 * Returns whether an object that an earlier run completed is still stored: it may have been deleted or replaced.
 * @param known.requiresTime whether the object was stored with the time of its file, so that an object without a time is another one
 * @param known.etag ETag of the completed object, if the journal keeps it. Two files may have the same name, size and date.
 */
export async function isStillStored(
  context: TransferContext,
  bucket: string,
  key: string,
  file: SourceFile,
  known: { requiresTime: boolean; etag: string | undefined },
): Promise<boolean> {
  const head = await headObject(context, bucket, key).catch(ignoreForbidden);
  if (head === undefined || head.size !== file.size) return false;
  // CORS rules may hide the ETag.
  if (known.etag && head.etag && head.etag !== known.etag) return false;
  const storedTime = parseMtime(head.metadata['mtime']);
  if (storedTime === undefined || file.mtimeNs === undefined) return !known.requiresTime;
  return sameTime(storedTime, file.mtimeNs);
}

/** Returns a text that identifies the state of a file and its key; undefined for a stream, or if size or time are unknown. */
export function fingerprintOf(file: SourceFile, key: string): string | undefined {
  if (file.stream !== undefined || file.size == null || file.mtimeNs === undefined) return undefined;
  return `up ${file.size} ${file.mtimeNs} ${key}`;
}

/** Returns the fingerprint by which the journal knows a completed file; undefined if it cannot recognize the file. */
export async function completedFingerprint(context: TransferContext, file: SourceFile, key: string): Promise<string | undefined> {
  const fingerprint = context.journal.resumable && !file.derived ? fingerprintOf(file, key) : undefined;
  if (fingerprint === undefined || file.sample === undefined) return fingerprint;
  return `${await file.sample()} ${fingerprint}`;
}

/** Adds each file of a source to the plan. */
async function* countPlanned(
  context: TransferContext,
  source: AsyncIterable<SourceFile> | Iterable<SourceFile>,
): AsyncGenerator<SourceFile> {
  try {
    for await (const file of source) {
      context.meter.addPlanned(file.size ?? 0);
      yield file;
    }
  } catch (error) {
    throw sourceError(error);
  }
  context.meter.finishPlan();
}

/** Reports an error for the second file with the same key. Lists of names and selections of files may have such files. */
async function* rejectDuplicates(
  context: TransferContext,
  source: AsyncIterable<SourceFile>,
  keyOf: (file: SourceFile) => string,
  options: ListOptions,
): AsyncGenerator<SourceFile> {
  const known = knownNames(options);
  for await (const file of source) {
    if (!file.unique) {
      const key = keyOf(file);
      if (!known.add(key)) {
        context.report.fail('upload', key, duplicateKey(key));
        continue;
      }
    }
    yield file;
  }
}
