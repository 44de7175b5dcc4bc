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
import { escapeControls } from './format.js';
import type { Session } from './session.js';
import { stateFolder } from './state-folder.js';
import { objectPropertiesOf } from './upload-options.js';

/** Hash digits in the folder name of a journal. */
const JOURNAL_NAME_LENGTH = 32;

/**
 * Opens a journal whose only purpose is to remove what a killed run left in the store. If it cannot be opened, or another run
 * holds it, the command continues without it.
 */
export function openCleanupJournal(...[flags, verb, local, place]: Parameters<typeof openResumeJournal>): Journal {
  try {
    return openResumeJournal(flags, verb, local, place);
  } catch (error) {
    if (error instanceof S3Error && ['JournalLocked', 'JournalUnwritable'].includes(error.code)) return new EmptyJournal();
    throw error;
  }
}

/**
 * Opens the journal of a transfer. If the default folder is not writable, as in a container without a home directory, the transfer
 * continues without a journal.
 * @throws S3Error `JournalLocked`; `JournalUnwritable` if `--state-dir` is given
 */
export function openJournal(
  { reporter }: Pick<Session, 'reporter'>,
  ...[flags, verb, local, place]: Parameters<typeof openResumeJournal>
): Journal {
  try {
    const journal = openResumeJournal(flags, verb, local, place);
    reporter.isResumable = journal.resumable;
    return journal;
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'JournalUnwritable' || flags.stateDir !== undefined) throw error;
    const why = `${escapeControls(error.message)}\nAn interrupted run will start over. Use --state-dir to choose a folder for journals.`;
    if (!flags.quiet) process.stderr.write(`svc-blob: continuing without a journal: ${why}\n`);
    return new EmptyJournal();
  }
}

/** Opens the journal of this command for these two locations. The same command finds it again. @throws S3Error */
function openResumeJournal(flags: TransferFlags, verb: string, local: string, place: Place): Journal {
  if (!flags.resume) return new EmptyJournal();
  const endpoint = flags.endpoint ?? process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'] ?? '';
  // A copy with other properties is another transfer. A sync does not compare properties.
  const properties = verb === 'cp' ? objectPropertiesOf(flags) : {};
  const identity = JSON.stringify([
    verb,
    endpoint,
    flags.profile ?? process.env['AWS_PROFILE'] ?? process.env['AWS_DEFAULT_PROFILE'] ?? '',
    local,
    place.bucket,
    place.prefix,
    properties,
  ]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, JOURNAL_NAME_LENGTH);
  const folder = join(stateFolder(flags), name);
  // A dry run uses what earlier runs completed, but records nothing.
  return flags.dryRun ? new SettledOnly(folder) : new DiskJournal(folder, { keepSettled: verb.startsWith('sync') });
}

export interface TreeFilter extends PathFilter {
  /** Tells whether the path belongs to a journal. */
  isJournal(path: string): boolean;
}

/**
 * Returns the filter of a local tree. It excludes journals, which may lie in the tree if it is a home directory: they change
 * during the run, and a download would overwrite them.
 */
export function makeTreeFilter(root: string, flags: FilterFlags & { stateDir?: string }): TreeFilter {
  const filter = makeFilter(flags.filter ?? []);
  const states = pathsWithin(root, findStateFolder(flags));
  const isJournal = (path: string): boolean =>
    states.some((state) => path.startsWith(state) && JOURNAL.test(path.slice(state.length)));
  return Object.assign((path: string) => !isJournal(path) && filter(path), {
    isJournal,
    coversAll: (folder: string) => isJournal(folder) || filter.coversAll?.(folder) === true,
  });
}

const JOURNAL = new RegExp(`^[0-9a-f]{${JOURNAL_NAME_LENGTH}}(?:/|$)`);

/** Returns the folder of journals, if there is one. */
function findStateFolder(flags: { stateDir?: string }): string | undefined {
  try {
    return stateFolder(flags);
  } catch {
    return undefined;
  }
}

/** Returns the paths of a folder within a tree, as written and with links resolved. They end in a slash. */
function pathsWithin(root: string, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return [relative(root, folder), relative(realPath(root), realPath(resolve(folder)))]
    .filter((path) => !path.startsWith('..') && !isAbsolute(path))
    .map((path) => (path === '' ? '' : `${path.split(sep).join('/')}/`));
}

/** Resolves links, also for a path that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}

/** Returns the filter for names of a list. It reports journals as skipped. */
export const skipJournals =
  (filter: TreeFilter, action: Action, { run }: Pick<Session, 'run'>) =>
  (path: string): boolean => {
    if (filter.isJournal(path)) run.onEvent?.({ type: 'skipped', action, name: path, reason: 'a journal of svc-blob' });
    return filter(path);
  };
