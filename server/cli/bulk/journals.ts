import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { PathFilter } from '../../../src/bulk/list/path-filter.js';
import type { Journal } from '../../../src/bulk/journal/resume-journal.js';
import { EmptyJournal } from '../../../src/bulk/journal/resume-journal.js';
import { DiskJournal } from '../../../src/bulk/node/journal/disk-journal.js';
import { SettledOnly } from '../../../src/bulk/node/journal/read-only-journal.js';
import type { Action, Place } from '../../../src/bulk/types.js';
import type { FilterFlags, TransferFlags } from './flags.js';
import { printable } from './format.js';
import type { Session } from './session.js';
import { stateFolder } from './state-folder.js';
import { objectProperties } from './upload-options.js';

/** Of the folder of a journal: digits of a hash. */
const NAME_LENGTH = 32;

/**
 * A journal that is there to end, in the next run, what a killed one left in the store. Where there can be none, or another run
 * holds it, the work goes on without: unlike a copy of files, it is not what was asked for.
 */
export function clearingJournal(...[flags, verb, local, place]: Parameters<typeof journalOf>): Journal {
  try {
    return journalOf(flags, verb, local, place);
  } catch (error) {
    if (error instanceof S3Error && ['JournalLocked', 'JournalUnwritable'].includes(error.code)) return new EmptyJournal();
    throw error;
  }
}

/**
 * The journal of a copy of files. Where nobody said a place for it and none can be had, as in a container whose home is not there, the
 * copy is worth more than its journal. @throws S3Error `JournalLocked`; `JournalUnwritable` where its place was said
 */
export function openJournal(
  { reporter }: Pick<Session, 'reporter'>,
  ...[flags, verb, local, place]: Parameters<typeof journalOf>
): Journal {
  try {
    const journal = journalOf(flags, verb, local, place);
    reporter.goesOn = journal.resumable;
    return journal;
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'JournalUnwritable' || flags.stateDir !== undefined) throw error;
    const why = `${printable(error.message)}\nA run that is cut short begins anew; --state-dir names another folder for journals.`;
    if (!flags.quiet) process.stderr.write(`svc-blob: going on without a journal: ${why}\n`);
    return new EmptyJournal();
  }
}

/** The journal of this command between these two places: the same words find it again. @throws S3Error */
function journalOf(flags: TransferFlags, verb: string, local: string, place: Place): Journal {
  if (!flags.resume) return new EmptyJournal();
  const endpoint = flags.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'] ?? '';
  // What a copy gives its objects is part of it: another Cache-Control is another copy. A sync does not look at that.
  const given = verb === 'cp' ? objectProperties(flags) : {};
  const identity = JSON.stringify([
    verb,
    endpoint,
    flags.profile ?? process.env['AWS_PROFILE'] ?? process.env['AWS_DEFAULT_PROFILE'] ?? '',
    local,
    place.bucket,
    place.prefix,
    given,
  ]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, NAME_LENGTH);
  const folder = join(stateFolder(flags), name);
  // What a sync knows to be the same it need not ask for, in a dry run either.
  return flags.dryRun ? new SettledOnly(folder) : new DiskJournal(folder, { keepSettled: verb.startsWith('sync') });
}

export interface TreeFilter extends PathFilter {
  /** Whether that is why a path is not wanted. */
  isJournal(path: string): boolean;
}

/**
 * What flags want of a local tree. Journals in it, as in a home directory, and what Node compiled of this program, are no files of anybody's:
 * they change with a run, and what comes down would be written over that of the run itself.
 */
export function filterBelow(root: string, flags: FilterFlags & { stateDir?: string }): TreeFilter {
  const filter = makeFilter(flags.filter ?? []);
  const states = waysTo(root, folderOf(flags));
  const isJournal = (path: string): boolean =>
    states.some((state) => path.startsWith(state) && JOURNAL.test(path.slice(state.length)));
  return Object.assign((path: string) => !isJournal(path) && filter(path), {
    isJournal,
    coversAll: (folder: string) => isJournal(folder) || filter.coversAll?.(folder) === true,
  });
}

const JOURNAL = new RegExp(`^[0-9a-f]{${NAME_LENGTH}}(?:/|$)`);

/** Where journals lie, if they lie anywhere. */
function folderOf(flags: { stateDir?: string }): string | undefined {
  try {
    return stateFolder(flags);
  } catch {
    return undefined;
  }
}

/** Where a folder of ours lies in a tree, with a slash at the end: as it is written, and as links lead there. */
function waysTo(root: string, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return [relative(root, folder), relative(realPath(root), realPath(resolve(folder)))]
    .filter((way) => !way.startsWith('..') && !isAbsolute(way))
    .map((way) => (way === '' ? '' : `${way.split(sep).join('/')}/`));
}

/** Also of what the run is only going to make. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}

/** For names of a list, which are told when they are passed over: whether they are wanted. */
export const tellingJournals =
  (filter: TreeFilter, action: Action, { run }: Pick<Session, 'run'>) =>
  (path: string): boolean => {
    if (filter.isJournal(path)) run.onEvent?.({ type: 'skipped', action, name: path, reason: 'a journal of svc-blob' });
    return filter(path);
  };
