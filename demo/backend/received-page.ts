import { formatSize } from '../site/format-size.js';
import { escapeHtml } from './escape-html.js';
import type { ReceivedEntry, ReceivedForm } from './receive-form.js';

function describeFile({ file }: ReceivedEntry): string {
  if (file === undefined) return '';
  if (file === null) return '<p class="check bad">No file is stored at this path. The backend refuses it.</p>';
  return `<p class="check good">Stored: ${escapeHtml(formatSize(file.size))}, ${escapeHtml(file.content_type)}, ${escapeHtml(file.visibility)}</p>
          <p><code class="record-hash">sha256 ${escapeHtml(file.sha256)}</code></p>`;
}

function describeValue({ value, file }: ReceivedEntry): string {
  if (file !== undefined) return `<code class="record-path">${escapeHtml(value)}</code>`;
  return escapeHtml(value) || '<span class="muted">empty</span>';
}

/** Renders a received form. Every value comes from a visitor, so all of them are escaped. */
export function receivedPage({ encoding, entries }: ReceivedForm): string {
  const rows = entries.map(
    (entry) => `
      <div class="entry">
        <dt>${escapeHtml(entry.name)}</dt>
        <dd>
          <p>${describeValue(entry)}</p>
          ${describeFile(entry)}
        </dd>
      </div>`,
  );
  return `
    <section class="narrow">
      <h1>Received.</h1>
      <p class="lead">The browser sent these entries as <code>${escapeHtml(encoding)}</code>. The backend looked up each path in Blob Storage.</p>
      <dl class="entries card">${rows.join('')}</dl>
      <p><a class="button" href="/form">Fill in the form again</a></p>
    </section>`;
}
