import { S3Error, sourceError, toS3Error } from '../errors.js';
import { isAt, placeOf } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import { parseMtime, sameTime } from '../s3/file-metadata.js';
import { joinKey, keyProblem, nameOf } from '../s3/object-keys.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { Store } from '../s3/object-store.js';
import type { Action, Place, SourceFile, Summary } from '../types.js';
import { factsAt, isUntold, unlessUntold } from '../list/head-object.js';
import { cleanUp } from '../transfer/multipart-session.js';
import { knownNames, namedTwice } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { withRun } from '../transfer/run.js';
import type { Run, RunOptions } from '../transfer/run.js';
import { uploadFile } from './upload-file.js';
import type { Uploaded, UploadSettings } from './put-bytes.js';

export interface UploadOptions extends RunOptions, ListOptions, Partial<Omit<UploadSettings, 'bucket' | 'takeEqual'>> {
  /** The source once more, read ahead of the run to know how much there is: for totals and the time left. */
  survey?: Iterable<SourceFile>;
  /** Which paths below the prefix the source is all of: large files of others, left unfinished by an earlier run, stay so. @default all */
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
  return withRun(store, options, async (run) => {
    // It only tells how much there is: what it meets, the source meets as well.
    if (options.survey !== undefined) survey(run, options.survey).catch(() => {});
    const keyOf = (file: SourceFile): string => (options.exact ? to.prefix : joinKey(to.prefix, nameOf(file)));
    await run.pump('upload', onlyOnce(run, planning(run, source), keyOf, options), keyOf, (file) =>
      uploadOne(run, file, keyOf(file), settings, true),
    );
    await cleanUpLeftovers(run, to, options.exact ? {} : options);
  });
}

/** Files looked at between two turns of the transfer itself. */
const SURVEY_STEP = 500;

/** Counts what a source is going to yield. */
export async function survey(run: Run, source: Iterable<SourceFile>): Promise<void> {
  if (run.over) return;
  let count = 0;
  for (const file of source) {
    run.meter.surveyed(file.size ?? 0);
    if (++count % SURVEY_STEP === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    if (run.signal.aborted || run.over) return;
  }
  run.meter.surveyDone();
}

/**
 * One file of a run, dry or real, and counted.
 * @param resumed whether what an earlier run of this command noted as done is left alone.
 */
export async function uploadOne(
  run: Run,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
  resumed: boolean,
): Promise<Uploaded | undefined> {
  if (file.problem !== undefined) throw file.problem;
  const problem = keyProblem(key);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${key}: ${problem}`);
  const size = file.size ?? 0;
  const print = resumed ? await settledPrint(run, file, key) : undefined;
  if (
    print !== undefined &&
    run.journal.settled(print) &&
    (await stillStands(run, settings.bucket, key, file, {
      timed: settings.keepTimes !== false,
      made: run.journal.settledAs?.(print),
    }))
  ) {
    run.skip('upload', key, size, 'done by the run before');
    return undefined;
  }
  if (run.dryRun) {
    if (settings.onlyNew && (await factsAt(run, settings.bucket, key).catch(unlessUntold)) !== undefined)
      run.skip('upload', key, size, 'exists');
    else {
      partSizeFor(size);
      run.done('upload', key, size);
    }
    return undefined;
  }
  const made = await uploadFile(run, file, key, settings);
  if (made === undefined) run.skip('upload', key, size, 'exists');
  else {
    if (print !== undefined) run.journal.settle(print, made.etag);
    run.done('upload', key, made.size, made.there);
  }
  return made;
}

/**
 * What the run before noted as done is still looked for: it may have been removed or replaced since.
 * @param known `timed`: whether it was given the time of its file, so that one that tells none is somebody else's; `made`: the ETag of what
 * was made, where the journal keeps it, because another file of one name may have this one's size and date
 */
export async function stillStands(
  run: Run,
  bucket: string,
  key: string,
  file: SourceFile,
  { timed, made }: { timed: boolean; made: string | undefined },
): Promise<boolean> {
  const facts = await factsAt(run, bucket, key).catch(unlessUntold);
  if (facts === undefined || facts.size !== file.size) return false;
  // CORS rules may hide the ETag.
  if (made && facts.etag && facts.etag !== made) return false;
  const kept = parseMtime(facts.metadata['mtime']);
  return kept === undefined || file.mtimeNs === undefined ? !timed : sameTime(kept, file.mtimeNs);
}

/** What tells that a file went to a key, as it was; undefined for what has no state to compare. */
export function fingerprint(file: SourceFile, key: string): string | undefined {
  if (file.stream !== undefined || file.size == null || file.mtimeNs === undefined) return undefined;
  return `up ${file.size} ${file.mtimeNs} ${key}`;
}

/** What the journal knows a finished file by; undefined for a file that it cannot know again. */
export async function settledPrint(run: Run, file: SourceFile, key: string): Promise<string | undefined> {
  const print = run.journal.resumable && !file.derived ? fingerprint(file, key) : undefined;
  if (print === undefined || file.sample === undefined) return print;
  return `${await file.sample()} ${print}`;
}

/** Counts what there is to do as the source tells it. */
async function* planning(run: Run, source: AsyncIterable<SourceFile> | Iterable<SourceFile>): AsyncGenerator<SourceFile> {
  try {
    for await (const file of source) {
      run.meter.plan(file.size ?? 0);
      yield file;
    }
  } catch (error) {
    throw sourceError(error);
  }
  run.meter.planned();
}

/** A source that names a key twice (a list of names, a selection of files) fails the second time. */
async function* onlyOnce(
  run: Run,
  source: AsyncIterable<SourceFile>,
  keyOf: (file: SourceFile) => string,
  options: ListOptions,
): AsyncGenerator<SourceFile> {
  const known = knownNames(options);
  for await (const file of source) {
    if (!file.unique) {
      const key = keyOf(file);
      if (!known.add(key)) {
        run.fail('upload', key, namedTwice(key));
        continue;
      }
    }
    yield file;
  }
}

/**
 * Ends uploads (or whatever `end` ends) of earlier runs whose file this run did not meet, though it would have. Where something failed, it may be theirs: they
 * wait for the next run, and so do those that this one was told to leave out, and those of other places.
 */
export async function cleanUpLeftovers(
  run: Run,
  { bucket, prefix }: Place,
  { filter, paths }: { filter?: (path: string) => boolean; paths?: unknown },
  { action, end }: { action: Action; end(old: Unfinished): Promise<void> } = {
    action: 'upload',
    end: (old) => cleanUp(run, bucket, old),
  },
): Promise<void> {
  if (run.dryRun || run.summary.failed > 0) return;
  const place = placeOf(action === 'download' ? 'from' : 'to', bucket);
  for (const old of run.journal.unfinished.values()) {
    if (run.journal.touched(old.key)) continue;
    const isMet = isAt(old, place) && old.key.startsWith(prefix) && paths === undefined;
    if (!isMet || filter?.(old.key.slice(prefix.length)) === false) run.leavesMore = true;
    else
      await end(old).catch((error: unknown) => {
        if (run.signal.aborted) throw error;
        // Without an id it has no parts, if it was begun at all: a key that may not ask leaves it to one that may.
        if (old.uploadId === undefined && isUntold(error)) run.leavesMore = true;
        else run.fail(action, old.key, toS3Error(error));
      });
  }
}
