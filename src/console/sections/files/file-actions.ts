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
import { filesTexts } from './texts/texts.js';

/** A deletion of more entries, or of a folder, asks to type a name. */
const MANY = 20;

const changed = (): void => void dispatchEvent(new Event('files-changed'));

/** Actions on one entry of the list, for its menu. */
export function entryMenu(
  context: ConsoleContext,
  entry: Entry,
  prefix: string,
  showDetails: (entry: Entry) => void,
): MenuItem[] {
  const { actions } = filesTexts;
  const disabledReason = context.mayWrite ? undefined : texts.workspace.readOnly;
  return [
    ...(entry.kind === 'file' ? [{ label: actions.details, icon: 'info' as const, run: () => showDetails(entry) }] : []),
    { label: actions.download, icon: 'download', run: () => download(context, entry) },
    { label: actions.rename, icon: 'edit', disabledReason, startsGroup: true, run: () => void rename(context, entry, prefix) },
    { label: actions.move, icon: 'move', disabledReason, run: () => void transfer(context, 'move', [entry], prefix) },
    { label: actions.copy, icon: 'copy', disabledReason, run: () => void transfer(context, 'copy', [entry], prefix) },
    {
      label: actions.delete,
      icon: 'trash',
      isDangerous: true,
      startsGroup: true,
      disabledReason,
      run: () => void deleteEntries(context, [entry]),
    },
  ];
}

/** Downloads a file, or a folder as a ZIP archive. */
export function download({ storage }: ConsoleContext, entry: Entry): void {
  const link = document.createElement('a');
  link.href =
    entry.kind === 'file'
      ? storage.url(`/v1/files/${entry.file.id}/content`)
      : storage.url('/v1/files/zip', { prefix: entry.prefix.slice(0, -1) });
  link.download = entry.kind === 'file' ? entry.name : `${entry.name}.zip`;
  link.click();
}

export async function createFolder({ storage }: ConsoleContext, prefix: string): Promise<void> {
  const { newFolder, create } = filesTexts.actions;
  const { label } = filesTexts.name;
  const apply = (name: string) =>
    storage.post('/v1/folders', { body: { path: prefix + name }, signal: AbortSignal.timeout(30_000) });
  if (await openNameDialog({ heading: newFolder, label, value: '', submit: create, apply })) changed();
}

async function rename({ storage }: ConsoleContext, entry: Entry, prefix: string): Promise<void> {
  let newName = entry.name;
  const apply = async (name: string): Promise<void> => {
    newName = name;
    if (entry.kind === 'file' && name !== entry.name)
      await storage.post(`/v1/files/${entry.file.id}/move`, {
        body: { path: prefix + name },
        signal: AbortSignal.timeout(60_000),
      });
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
  entries: readonly Entry[],
  prefix: string,
): Promise<void> {
  const action = filesTexts.actions[type];
  const target = await chooseFolder(storage, filesTexts.target.heading(action, formatNumber(entries.length)), action, prefix);
  if (target === undefined) return;
  if (target === prefix) {
    showToast({ kind: 'problem', text: filesTexts.target.same });
    return;
  }
  const specs = [
    ...foldersOf(entries).map(({ name, prefix: source }): JobSpec => ({ type, prefix: source, to: target + name })),
    ...idChunks(entries).map((ids): JobSpec => ({ type, ids, to: target })),
  ];
  await runJobs(storage, action, specs, filesTexts.job[type === 'move' ? 'moved' : 'copied'](formatNumber(entries.length)));
}

/** Deletes entries. Many of them, and folders, ask to type a name first. */
export async function deleteEntries({ storage }: ConsoleContext, entries: readonly Entry[]): Promise<boolean> {
  const folders = foldersOf(entries);
  const [first] = entries;
  const isLarge = folders.length > 0 || entries.length > MANY;
  const typedName = !isLarge ? undefined : entries.length === 1 ? first!.name : filesTexts.remove.word;
  const isConfirmed = await confirmDialog({
    heading: entries.length === 1 ? filesTexts.remove.one(first!.name) : filesTexts.remove.many(formatNumber(entries.length)),
    text: folders.length > 0 ? filesTexts.remove.withFolders : filesTexts.remove.text,
    confirm: filesTexts.actions.delete,
    isDangerous: true,
    ...(typedName !== undefined && { typedName }),
  });
  if (!isConfirmed) return false;
  const specs = [
    ...folders.map(({ prefix }): JobSpec => ({ type: 'delete', prefix })),
    ...idChunks(entries).map((ids): JobSpec => ({ type: 'delete', ids })),
  ];
  await runJobs(storage, filesTexts.actions.delete, specs, filesTexts.job.deleted(formatNumber(entries.length)));
  return true;
}

const foldersOf = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind === 'folder');

function idChunks(entries: readonly Entry[]): string[][] {
  const ids = entries.flatMap((entry) => (entry.kind === 'file' ? [entry.file.id] : []));
  return Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, index) => ids.slice(index * MAX_IDS, (index + 1) * MAX_IDS));
}
