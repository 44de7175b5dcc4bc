import { byId } from '../by-id.js';
import { sizeInWords } from '../size.js';
import type { Connection } from './store.js';

const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** What an earlier visit left, and that choosing the same files again goes on with it. */
export function showEarlier({ transfer, place, journal }: Connection): void {
  const begun = [...(journal?.unfinished.values() ?? [])];
  const done = journal?.settledCount ?? 0;
  byId('earlier').hidden = begun.length + done === 0;
  if (journal === undefined) return;
  const sent = begun.reduce((sum, { parts, partSize }) => sum + parts.size * partSize, 0);
  const said = [
    ...(done > 0 ? [`${count(done, 'file is', 'files are')} done`] : []),
    ...(begun.length > 0 && sent === 0 ? [`${count(begun.length, 'large file was', 'large files were')} begun`] : []),
    ...(sent > 0 ? [`${count(begun.length, 'large file has', 'large files have')} ${sizeInWords(sent)} there`] : []),
  ];
  byId('earlier-text').textContent = `${said.join(', ')}. Choose the same files again, and only the rest is sent.`;
  byId('earlier-forget').onclick = async () => {
    // The focus must not vanish with the button it is on.
    byId('uploader').focus();
    byId('earlier').hidden = true;
    const session = transfer.uploadSession({ bucket: place.bucket, prefix: '' }, { journal, retry: { tries: 2 } });
    await Promise.allSettled(begun.map(({ key }) => session.abandon({ path: key })));
    journal.clear();
  };
}
