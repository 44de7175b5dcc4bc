import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Column } from '../../components/data-table.js';
import { icon } from '../../components/icon.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatSize, formatTime } from '../../texts/format.js';
import { folderHref, iconOf, shownName } from './entries.js';
import type { Entry } from './entries.js';
import { scanBadge } from './scan-note.js';
import { filesTexts } from './texts/texts.js';

/**
 * Returns the columns of the list of files.
 * @param searched the folder of a search. Names then include the path below it.
 */
export function fileColumns({ router }: ConsoleContext, open: (entry: Entry) => void, searched?: string): Column<Entry>[] {
  const { columns, visibility } = filesTexts;
  const name = (entry: Entry): TemplateResult =>
    html`<span class="main">
      ${icon(iconOf(entry))}
      ${
        entry.kind === 'folder'
          ? html`<a tabindex="-1" href=${folderHref(router, entry.prefix)}><bdi>${shownName(entry)}</bdi></a>`
          : html`<button class="link" tabindex="-1" @click=${() => open(entry)}><bdi>${shownName(entry, searched)}</bdi></button>`
      }
      ${entry.kind === 'file' && entry.file.visibility === 'public' ? html`<span class="badge good">${visibility.public}</span>` : nothing}
      ${entry.kind === 'file' ? scanBadge(entry.file) : nothing}
    </span>`;
  return [
    { id: 'name', title: columns.name, cell: name, isSortable: true },
    {
      id: 'size',
      title: columns.size,
      cell: (entry) => (entry.kind === 'file' ? formatSize(entry.file.size) : ''),
      isSortable: true,
      isNumber: true,
      width: '6.5rem',
    },
    { id: 'type', title: columns.type, cell: typeOf, width: '11rem' },
    {
      id: 'updated',
      title: columns.updated,
      cell: (entry) => (entry.kind === 'file' ? formatTime(entry.file.updated_at) : ''),
      isSortable: true,
      width: '12rem',
    },
  ];
}

const typeOf = (entry: Entry): string => (entry.kind === 'file' ? entry.file.content_type : filesTexts.folder);

/** Renders the second line of a row on a narrow screen. */
export const fileSecondLine = (entry: Entry): string =>
  entry.kind === 'file' ? `${formatSize(entry.file.size)} · ${formatTime(entry.file.updated_at)}` : filesTexts.folder;
