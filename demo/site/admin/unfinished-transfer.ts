import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';
import type { Connection } from './connect.js';

const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** What an earlier visit left, and that choosing the same files again goes on with it. */
export function showUnfinishedTransfer({ transfer, location, journal }: Connection): void {
  const begun = [...(journal?.unfinished.values() ?? [])];
  const done = journal?.settledCount ?? 0;
  byId('unfinished').hidden = begun.length + done === 0;
  if (journal === undefined) return;
  const sent = begun.reduce((sum, { parts, partSize }) => sum + parts.size * partSize, 0);
  const said = [
    ...(done > 0 ? [`${count(done, 'file is', 'files are')} done`] : []),
    ...(begun.length > 0 && sent === 0 ? [`${count(begun.length, 'large file was', 'large files were')} begun`] : []),
    ...(sent > 0 ? [`${count(begun.length, 'large file has', 'large files have')} ${formatSize(sent)} there`] : []),
  ];
  byId('unfinished-text').textContent = `${said.join(', ')}. Choose the same files again, and only the rest is sent.`;
  byId('unfinished-discard').onclick = async () => {
    // The focus must not vanish with the button it is on.
    byId('uploader').focus();
    byId('unfinished').hidden = true;
    const session = transfer.uploadSession({ bucket: location.bucket, prefix: '' }, { journal, retry: { tries: 2 } });
    await Promise.allSettled(begun.map(({ key }) => session.abandon({ path: key })));
    journal.clear();
  };
}
