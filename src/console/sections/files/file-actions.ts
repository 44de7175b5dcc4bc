import type { Api } from '../../api/api.js';
import { ApiError } from '../../api/api-error.js';
import { errorLine } from '../../components/describe-error.js';
import type { MenuItem } from '../../components/menu.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import type { Entry } from './entries.js';
import { chooseFolder } from './folder-dialog.js';
import { runJobs } from './job-dialog.js';
import { MAX_IDS } from './jobs.js';
import type { JobSpec } from './jobs.js';
import { openNameDialog } from './name-dialog.js';
import { isNameTaken } from './name-taken.js';
import { filesTexts } from './texts/texts.js';

/** A deletion of more entries, or of a folder, asks to type a name. */
const MANY = 20;

const changed = (): void => void dispatchEvent(new Event('files-changed'));

/** Entries of the list, or all matches of a search, which may be more than are loaded. */
export type Selection = { entries: readonly Entry[] } | { search: Readonly<Record<string, unknown>> };

/** Lists the actions on one entry of the list, for its menu. */
export function entryMenu(
  context: ConsoleContext,
  entry: Entry,
  prefix: string,
  showDetails: (entry: Entry) => void,
): MenuItem[] {
  const { actions } = filesTexts;
  const disabledReason = context.mayWrite ? undefined : texts.workspace.readOnlyReason;
  return [
    ...(entry.kind === 'file' ? [{ label: actions.details, icon: 'info' as const, run: () => showDetails(entry) }] : []),
    { label: actions.download, icon: 'download', run: () => void download(context, entry) },
    { label: filesTexts.s3.action, icon: 'code', run: () => void showS3(context, [entry], prefix) },
    { label: actions.share, icon: 'share', disabledReason, run: () => void share(context, entry) },
    { label: actions.rename, icon: 'edit', disabledReason, startsGroup: true, run: () => void rename(context, entry, prefix) },
    {
      label: actions.move,
      icon: 'move',
      disabledReason,
      run: () => void transfer(context, 'move', { entries: [entry] }, prefix),
    },
    {
      label: actions.copy,
      icon: 'copy',
      disabledReason,
      run: () => void transfer(context, 'copy', { entries: [entry] }, prefix),
    },
    {
      label: actions.delete,
      icon: 'trash',
      isDangerous: true,
      startsGroup: true,
      disabledReason,
      run: () => void deleteEntries(context, { entries: [entry] }),
    },
  ];
}

const share = async (context: ConsoleContext, entry: Entry): Promise<void> =>
  (await import('./share-dialog.js')).openShare(context, entry);

/** Shows the S3 addresses of entries. @param entries none: the folder itself */
export const showS3 = async (context: ConsoleContext, entries: readonly Entry[], prefix: string): Promise<void> =>
  (await import('./s3-dialog.js')).openS3(context, entries, prefix);

/** Downloads a file, or a folder as a ZIP archive. */
export async function download(context: ConsoleContext, entry: Entry): Promise<void> {
  const { storage } = context;
  if (entry.kind === 'file') save(storage.url(`/v1/files/${entry.file.id}/content`), entry.name);
  else await saveArchive(storage, zipAddress(storage, [entry.prefix], []), `${entry.name}.zip`);
}

/** Downloads a selection: one file as it is, several files and folders as one ZIP archive. */
export async function downloadAll(context: ConsoleContext, selection: Selection): Promise<void> {
  const { storage } = context;
  if ('search' in selection) {
    const { prefix, ...fields } = selection.search;
    // An archive of search results would need all their ids.
    if (Object.keys(fields).length > 0) showToast({ kind: 'problem', text: filesTexts.zip.tooMany });
    else await saveArchive(storage, zipAddress(storage, [String(prefix)], []), 'files.zip');
    return;
  }
  const { entries } = selection;
  if (entries.length === 1) return download(context, entries[0]!);
  const address = zipAddress(
    storage,
    foldersOf(entries).map(({ prefix }) => prefix),
    entries.flatMap((entry) => (entry.kind === 'file' ? [entry.file.id] : [])),
  );
  if (address.length > MAX_ADDRESS) showToast({ kind: 'problem', text: filesTexts.zip.tooMany });
  else await saveArchive(storage, address, 'files.zip');
}

/** Longer addresses are refused by many servers and proxies. About 200 files fit. */
const MAX_ADDRESS = 7500;

function zipAddress(storage: Api, prefixes: readonly string[], ids: readonly string[]): string {
  const parameters = new URLSearchParams([
    ...prefixes.map((prefix) => ['prefix', prefix.slice(0, -1)]),
    ...ids.map((id) => ['id', id]),
    ...(storage.workspaceId === undefined ? [] : [['workspace_id', storage.workspaceId]]),
  ]);
  return `/v1/files/zip?${parameters}`;
}

/** Saves an archive. A download cannot show an error of the service, so the start of the response is checked first. */
async function saveArchive(storage: Api, address: string, name: string): Promise<void> {
  const stop = new AbortController();
  try {
    const response = await fetch(address, { signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]) });
    if (!response.ok) {
      const { code = '', message = '', details } = (await response.json().catch(() => ({}))) as ErrorBody;
      const isTooLarge = code === 'VALIDATION_ERROR' && details?.limit !== undefined;
      const error = new ApiError(code, message, response.status, details);
      if (response.status === 401) storage.events.signedOut();
      showToast({ kind: 'problem', text: isTooLarge ? filesTexts.zip.tooMany : errorLine(error) });
      return;
    }
  } catch (error) {
    showToast({ kind: 'problem', text: errorLine(new ApiError('NETWORK_ERROR', String(error), 0)) });
    return;
  } finally {
    stop.abort();
  }
  save(address, name);
}

interface ErrorBody {
  code?: string;
  message?: string;
  details?: { limit?: number; retry_after?: number };
}

function save(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

export async function createFolder({ storage }: ConsoleContext, prefix: string): Promise<void> {
  const { newFolder, create } = filesTexts.actions;
  const { label } = filesTexts.name;
  const apply = async (name: string) => {
    if (await isNameTaken(storage, prefix + name)) return 'taken';
    await storage.post('/v1/folders', { body: { path: prefix + name }, signal: AbortSignal.timeout(30_000) });
    return undefined;
  };
  if (await openNameDialog({ heading: newFolder, label, value: '', submit: create, apply })) changed();
}

async function rename({ storage }: ConsoleContext, entry: Entry, prefix: string): Promise<void> {
  let newName = entry.name;
  const apply = async (name: string) => {
    newName = name;
    if (name === entry.name) return undefined;
    // A move into an existing folder would merge both.
    if (entry.kind === 'folder') return (await isNameTaken(storage, prefix + name)) ? 'taken' : undefined;
    await storage.post(`/v1/files/${entry.file.id}/move`, {
      // A search also finds files in folders below.
      body: { path: entry.file.path.slice(0, -entry.name.length) + name },
      signal: AbortSignal.timeout(60_000),
    });
    return undefined;
  };
  const { rename: heading } = filesTexts.actions;
  const isDone = await openNameDialog({ heading, label: filesTexts.name.label, value: entry.name, submit: heading, apply });
  if (!isDone || newName === entry.name) return;
  if (entry.kind === 'file') changed();
  else
    await runJobs(
      storage,
      filesTexts.actions.rename,
      [{ type: 'move', prefix: entry.prefix, to: prefix + newName }],
      filesTexts.job.renamed(newName),
    );
}

/** Moves or copies entries into a folder that the person chooses. */
export async function transfer(
  { storage }: ConsoleContext,
  type: 'move' | 'copy',
  selection: Selection,
  prefix: string,
): Promise<void> {
  const action = filesTexts.actions[type];
  const chosen = await chooseFolder(storage, filesTexts.target.heading(action, shortNameOf(selection)), action, prefix);
  if (chosen === undefined) return;
  const { prefix: target, overwrite } = chosen;
  if ('entries' in selection && selection.entries.every((entry) => parentOf(entry) === target)) {
    showToast({ kind: 'problem', text: filesTexts.target.same });
    return;
  }
  const specs: JobSpec[] =
    'search' in selection
      ? [{ type, search: selection.search, to: target.slice(0, -1), overwrite }]
      : [
          ...foldersOf(selection.entries).map(({ name, prefix: source }): JobSpec => ({
            type,
            prefix: source,
            to: target + name,
            overwrite,
          })),
          ...idChunks(selection.entries).map((ids): JobSpec => ({ type, ids, to: target.slice(0, -1), overwrite })),
        ];
  await runJobs(storage, action, specs, filesTexts.job[type === 'move' ? 'moved' : 'copied'](countText(selection)));
}

/** Deletes entries. Many of them, and folders, ask to type a name first. */
export async function deleteEntries({ storage }: ConsoleContext, selection: Selection): Promise<boolean> {
  const entries = 'entries' in selection ? selection.entries : [];
  const isSearch = 'search' in selection;
  const folders = foldersOf(entries);
  const [first] = entries;
  const isLarge = isSearch || folders.length > 0 || entries.length > MANY;
  // Several entries are in one folder, whose name stands for them. In the root it is a word.
  const name =
    entries.length === 1 ? first!.name : nameOfFolder(isSearch ? String(selection.search['prefix'] ?? '') : parentOf(first!));
  const typedName = !isLarge ? undefined : isTypable(name) ? name : filesTexts.remove.word;
  const isConfirmed = await confirmDialog({
    heading: entries.length === 1 ? filesTexts.remove.one(first!.name) : filesTexts.remove.many(countText(selection)),
    text: isSearch || folders.length > 0 ? filesTexts.remove.withFolders : filesTexts.remove.text,
    confirm: filesTexts.actions.delete,
    isDangerous: true,
    ...(typedName !== undefined && { typedName }),
  });
  if (!isConfirmed) return false;
  const specs: JobSpec[] = [
    ...(isSearch ? [{ type: 'delete' as const, search: selection.search }] : []),
    ...folders.map(({ prefix }): JobSpec => ({ type: 'delete', prefix })),
    ...idChunks(entries).map((ids): JobSpec => ({ type: 'delete', ids })),
  ];
  await runJobs(storage, filesTexts.actions.delete, specs, filesTexts.job.deleted(countText(selection)));
  return true;
}

/** Returns whether a person can type a name as it appears. Keys that were stored over S3 may be empty, or have control characters and outer spaces. */
const isTypable = (name: string): boolean =>
  name !== '' && name === name.trim() && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}| {2}/u.test(name);

const nameOfFolder = (prefix: string): string => prefix.slice(0, -1).replace(/^.*\//s, '');

/** Returns the folder that contains an entry. */
function parentOf(entry: Entry): string {
  const path = entry.kind === 'file' ? entry.file.path : entry.prefix.slice(0, -1);
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Names the selection in a heading. */
function shortNameOf(selection: Selection): string {
  const { one, many, all } = filesTexts.target;
  if (!('entries' in selection)) return all;
  const { entries } = selection;
  return entries.length === 1 ? one(entries[0]!.name) : many(formatNumber(entries.length));
}

const countText = (selection: Selection): string =>
  'entries' in selection ? formatNumber(selection.entries.length) : filesTexts.selection.allShort;

const foldersOf = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind === 'folder');

function idChunks(entries: readonly Entry[]): string[][] {
  const ids = entries.flatMap((entry) => (entry.kind === 'file' ? [entry.file.id] : []));
  return Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, index) => ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS));
}
