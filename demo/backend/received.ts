import { sizeInWords } from '../site/size.js';
import { escape } from './escape.js';
import type { Received } from './receive.js';

function verdict({ file }: Received): string {
  if (file === undefined) return '';
  if (file === null) return '<p class="verdict bad">No file is stored at this path. The backend does not believe it.</p>';
  return `<p class="verdict good">Stored: ${escape(sizeInWords(file.size))}, ${escape(file.content_type)}, ${escape(file.visibility)}</p>
          <p><code class="record-hash">sha256 ${escape(file.sha256)}</code></p>`;
}

/** The answer to the form, as HTML. Everything in it came from a stranger and is escaped. */
export function receivedMain({ encoding, entries }: { encoding: string; entries: Received[] }): string {
  const rows = entries.map(
    (entry) => `
      <div class="entry">
        <dt>${escape(entry.name)}</dt>
        <dd>
          <p>${entry.file === undefined ? escape(entry.value) || '<span class="muted">empty</span>' : `<code class="record-path">${escape(entry.value)}</code>`}</p>
          ${verdict(entry)}
        </dd>
      </div>`,
  );
  return `
    <section class="narrow">
      <h1>Received.</h1>
      <p class="lead">This is what the browser sent as <code>${escape(encoding)}</code>, entry by entry. Each path was looked up in Blob Storage before this page was written.</p>
      <dl class="entries card">${rows.join('')}</dl>
      <p><a class="button" href="/form">Fill it in again</a></p>
    </section>`;
}
