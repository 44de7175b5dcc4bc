import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';
import type { Connection } from './connect.js';

const count = (number: number, singular: string, plural: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;

/** Shows what an earlier visit left unfinished, with a button that discards it. */
export function showUnfinishedTransfer({ transfer, location, journal }: Connection): void {
  const unfinished = [...(journal?.unfinished.values() ?? [])];
  const finished = journal?.settledCount ?? 0;
  byId('unfinished').hidden = unfinished.length + finished === 0;
  if (journal === undefined) return;
  const stored = unfinished.reduce((sum, { parts, partSize }) => sum + parts.size * partSize, 0);
  const sentences: string[] = [];
  if (finished > 0) sentences.push(`${count(finished, 'file is', 'files are')} finished.`);
  if (unfinished.length > 0 && stored === 0)
    sentences.push(`${count(unfinished.length, 'large file was', 'large files were')} started.`);
  if (stored > 0)
    sentences.push(`${formatSize(stored)} of ${count(unfinished.length, 'large file is', 'large files are')} stored.`);
  byId('unfinished-text').textContent = `${sentences.join(' ')} Choose the same files again to send only the rest.`;
  byId('unfinished-discard').onclick = async () => {
    // Moves the focus before its button disappears.
    byId('uploader').focus();
    byId('unfinished').hidden = true;
    const session = transfer.uploadSession({ bucket: location.bucket, prefix: '' }, { journal, retry: { tries: 2 } });
    await Promise.allSettled(unfinished.map(({ key }) => session.abandon({ path: key })));
    journal.clear();
  };
}
