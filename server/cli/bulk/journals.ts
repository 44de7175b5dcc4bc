import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { PathFilter } from '../../../src/bulk/list/path-filter.js';
import type { Journal } from '../../../src/bulk/journal/resume-journal.js';
import { EmptyJournal } from '../../../src/bulk/journal/resume-journal.js';
import { DiskJournal } from '../../../src/bulk/node/journal/disk-journal.js';
import { ReadOnlyJournal } from '../../../src/bulk/node/journal/read-only-journal.js';
import type { Action, Place } from '../../../src/bulk/types.js';
import type { FilterFlags, TransferFlags } from './flags.js';
import { escapeControls } from './format.js';
import type { Session } from './session.js';
import { stateFolder } from './state-folder.js';
import { objectPropertiesOf } from './upload-options.js';

/** Hexadecimal digits in the folder name of a journal. */
const JOURNAL_NAME_LENGTH = 32;

/** The identity of a transfer. A run with the same identity resumes the journal of an earlier one. */
export interface TransferIdentity {
  kind: 'cp' | 'cp-down' | 'copy' | 'sync' | 'sync-down' | 'sync-within';
  /** The local path, or the other location if the transfer has no local path. */
  otherSide: string;
  /** The location in S3. */
  place: Place;
}

/**
 * Opens the journal of a transfer. If the default folder is not writable, as in a container without a home directory, the transfer
 * continues without a journal.
 * @throws S3Error `JournalLocked`; `JournalUnwritable` if `--state-dir` is given
 */
export function openJournal({ reporter }: Pick<Session, 'reporter'>, flags: TransferFlags, identity: TransferIdentity): Journal {
  try {
    const journal = openResumeJournal(flags, identity);
    reporter.isResumable = journal.resumable;
    return journal;
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'JournalUnwritable' || flags.stateDir !== undefined) throw error;
    const reason = escapeControls(error.message);
    const advice = 'An interrupted run will start over. Use --state-dir to choose a folder for journals.';
    if (!flags.quiet) process.stderr.write(`svc-blob: continuing without a journal: ${reason}\n${advice}\n`);
    return new EmptyJournal();
  }
}

/**
 * Opens a journal that only cleans up: it removes what a killed run left in the store. If it cannot be opened, or another run holds
 * it, the command continues without it.
 */
export function openCleanupJournal(flags: TransferFlags, identity: TransferIdentity): Journal {
  try {
    return openResumeJournal(flags, identity);
  } catch (error) {
    if (error instanceof S3Error && ['JournalLocked', 'JournalUnwritable'].includes(error.code)) return new EmptyJournal();
    throw error;
  }
}

/** @throws S3Error `JournalLocked`, `JournalUnwritable` */
function openResumeJournal(flags: TransferFlags, identity: TransferIdentity): Journal {
  if (!flags.resume) return new EmptyJournal();
  const folder = join(stateFolder(flags), journalName(flags, identity));
  // A dry run uses what earlier runs completed, but records nothing.
  return flags.dryRun ? new ReadOnlyJournal(folder) : new DiskJournal(folder, { keepSettled: identity.kind.startsWith('sync') });
}

/** Hashes the identity of a transfer, the store and the profile. Changing the order of the fields would lose all journals. */
function journalName(flags: TransferFlags, { kind, otherSide, place }: TransferIdentity): string {
  const { env } = process;
  const endpoint = flags.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? '';
  const profile = flags.profile ?? env['AWS_PROFILE'] ?? env['AWS_DEFAULT_PROFILE'] ?? '';
  // A copy with other properties is another transfer. A sync does not compare properties.
  const properties = kind === 'cp' ? objectPropertiesOf(flags) : {};
  const text = JSON.stringify([kind, endpoint, profile, otherSide, place.bucket, place.prefix, properties]);
  return createHash('sha256').update(text).digest('hex').slice(0, JOURNAL_NAME_LENGTH);
}

/** Tells which paths of a local tree take part in a transfer. */
export interface TreeFilter extends PathFilter {
  /** Returns whether the path belongs to a journal. */
  isJournal(path: string): boolean;
}

/**
 * Returns the filter of a local tree. It excludes journals, which a home directory contains: they change during the run, and a
 * download would overwrite them.
 */
export function makeTreeFilter(root: string, flags: FilterFlags & { stateDir?: string }): TreeFilter {
  const filter = makeFilter(flags.filter ?? []);
  const stateFolders = pathsWithin(root, findStateFolder(flags));
  const isJournal = (path: string): boolean =>
    stateFolders.some((folder) => path.startsWith(folder) && JOURNAL_PATH.test(path.slice(folder.length)));
  return Object.assign((path: string) => !isJournal(path) && filter(path), {
    isJournal,
    coversAll: (folder: string) => isJournal(folder) || filter.coversAll?.(folder) === true,
  });
}

/** A path of a journal below the folder of journals. */
const JOURNAL_PATH = new RegExp(`^[0-9a-f]{${JOURNAL_NAME_LENGTH}}(?:/|$)`);

/** Returns the folder of the journals, or undefined if there is no home directory. */
function findStateFolder(flags: { stateDir?: string }): string | undefined {
  try {
    return stateFolder(flags);
  } catch {
    return undefined;
  }
}

/** Returns the paths of a folder relative to a tree that contains it, as written and with links resolved. They end in a slash. */
function pathsWithin(root: string, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return [relative(root, folder), relative(realPath(root), realPath(resolve(folder)))]
    .filter((path) => path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path))
    .map((path) => (path === '' ? '' : `${path.split(sep).join('/')}/`));
}

/** Resolves links. The path need not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** Returns the filter for names of a list. It reports journals as skipped, because the list names them. */
export const skipJournals =
  (filter: TreeFilter, action: Action, { runOptions }: Pick<Session, 'runOptions'>) =>
  (path: string): boolean => {
    if (filter.isJournal(path)) runOptions.onEvent?.({ type: 'skipped', action, name: path, reason: 'a journal of svc-blob' });
    return filter(path);
  };
