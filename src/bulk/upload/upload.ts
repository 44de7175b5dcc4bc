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
import { headObject } from '../list/head-object.js';
import { knownNames, duplicateKey } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { uploadFile } from './upload-file.js';

export interface UploadOptions extends RunOptions, ListOptions, Partial<Omit<UploadSettings, 'bucket' | 'takeEqual'>> {
  /** The source once more, read ahead of the run to know how much there is: for totals and the time left. */
  survey?: Iterable<SourceFile>;
  /** Which paths below the prefix the source is all of: large files of others, left unfinished by an earlier context, stay so. @default all */
  filter?: (path: string) => boolean;
}

/** Everything a source yields, under a prefix; or one file to the very key, when `exact`. */
export function upload(
  store: Store,
  source: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  to: Place,
  options: UploadOptions & { exact?: boolean },
): Promise<Summary> {
  const settings = { properties: {}, ...options, bucket: to.bucket };
  return runTransfer(store, options, async (context) => {
    // It only tells how much there is: what it meets, the source meets as well.
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

/** Files looked at between two turns of the transfer itself. */
const SURVEY_STEP = 500;

/** Counts what a source is going to yield. */
export async function survey(context: TransferContext, source: Iterable<SourceFile>): Promise<void> {
  if (context.report.isFinished) return;
  let count = 0;
  for (const file of source) {
    context.meter.addSurveyed(file.size ?? 0);
    if (++count % SURVEY_STEP === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    if (context.signal.aborted || context.report.isFinished) return;
  }
  context.meter.finishSurvey();
}

/**
 * One file of a context, dry or real, and counted.
 * @param resumed whether what an earlier run of this command noted as done is left alone.
 */
export async function uploadSourceFile(
  context: TransferContext,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
  resumed: boolean,
): Promise<UploadedFile | undefined> {
  if (file.problem !== undefined) throw file.problem;
  const problem = keyProblem(key);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const size = file.size ?? 0;
  const print = resumed ? await completedFingerprint(context, file, key) : undefined;
  if (
    print !== undefined &&
    context.journal.isCompleted(print) &&
    (await isStillStored(context, settings.bucket, key, file, {
      timed: settings.keepTimes !== false,
      made: context.journal.completedEtag?.(print),
    }))
  ) {
    context.report.skip('upload', key, size, 'done by the run before');
    return undefined;
  }
  if (context.dryRun) {
    if (settings.onlyNew && (await headObject(context, settings.bucket, key).catch(ignoreForbidden)) !== undefined)
      context.report.skip('upload', key, size, 'exists');
    else {
      partSizeFor(size);
      context.report.done('upload', key, size);
    }
    return undefined;
  }
  const made = await uploadFile(context, file, key, settings);
  if (made === undefined) context.report.skip('upload', key, size, 'exists');
  else {
    if (print !== undefined) context.journal.complete(print, made.etag);
    context.report.done('upload', key, made.size, made.resumedBytes);
  }
  return made;
}

/**
 * Whether an object that an earlier run completed is still stored: it may have been deleted or replaced.
 * @param known `timed`: the object was given the time of its file, so an object without a time is another one; `made`: the ETag
 * of the object, if the journal keeps it, since two files may have the same name, size and date
 */
export async function isStillStored(
  context: TransferContext,
  bucket: string,
  key: string,
  file: SourceFile,
  { timed, made }: { timed: boolean; made: string | undefined },
): Promise<boolean> {
  const facts = await headObject(context, bucket, key).catch(ignoreForbidden);
  if (facts === undefined || facts.size !== file.size) return false;
  // CORS rules may hide the ETag.
  if (made && facts.etag && facts.etag !== made) return false;
  const kept = parseMtime(facts.metadata['mtime']);
  return kept === undefined || file.mtimeNs === undefined ? !timed : sameTime(kept, file.mtimeNs);
}

/** Returns a fingerprint of a file as it was when it went to a key; undefined if it has no state to compare. */
export function fingerprint(file: SourceFile, key: string): string | undefined {
  if (file.stream !== undefined || file.size == null || file.mtimeNs === undefined) return undefined;
  return `up ${file.size} ${file.mtimeNs} ${key}`;
}

/** Returns the fingerprint by which the journal knows a completed file; undefined if it cannot recognize the file. */
export async function completedFingerprint(context: TransferContext, file: SourceFile, key: string): Promise<string | undefined> {
  const print = context.journal.resumable && !file.derived ? fingerprint(file, key) : undefined;
  if (print === undefined || file.sample === undefined) return print;
  return `${await file.sample()} ${print}`;
}

/** Counts what there is to do as the source tells it. */
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

/** A source that names a key twice (a list of names, a selection of files) fails the second time. */
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
