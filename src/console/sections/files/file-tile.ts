import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { FileRecord } from '../../../protocol/types.js';
import { icon } from '../../components/icon.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatSize } from '../../texts/format.js';
import { folderHref, iconOf, shownName } from './entries.js';
import type { Entry } from './entries.js';
import { scanBadge } from './scan-note.js';
import { filesTexts } from './texts/texts.js';
import type { Thumbnails } from './thumbnails.js';

/**
 * Returns a function that renders a file or a folder as a tile: a small picture, or the icon of its type.
 * @param searched the folder of a search. Names then include the path below it.
 */
export function fileTile(
  { router, storage }: ConsoleContext,
  thumbnails: Thumbnails,
  open: (entry: Entry) => void,
  searched?: string,
) {
  return (entry: Entry, mayLoad: boolean): TemplateResult => {
    const name = html`<bdi>${shownName(entry, searched)}</bdi>`;
    const url = entry.kind === 'file' && mayLoad ? thumbnails.urlOf(storage, entry.file) : undefined;
    return html`<div class="thumb">${icon(iconOf(entry))} ${url === undefined ? nothing : keyed(url, image(url))}</div>
      <div class="caption">
        ${
          entry.kind === 'folder'
            ? html`<a class="name" tabindex="-1" title=${shownName(entry)} href=${folderHref(router, entry.prefix)}>${name}</a>`
            : html`<button class="name" tabindex="-1" title=${entry.name} @click=${() => open(entry)}>${name}</button>`
        }
        <span>${entry.kind === 'file' ? formatSize(entry.file.size) : filesTexts.folder}</span>
      </div>
      ${entry.kind === 'file' ? badgeOf(entry.file) : nothing}`;
  };
}

/** A tile has room for one badge. An infected file is not delivered, even if it is public. */
function badgeOf(file: FileRecord): TemplateResult | typeof nothing {
  const infected = scanBadge(file);
  if (infected !== nothing || file.visibility === 'private') return infected;
  return html`<span class="badge good">${filesTexts.visibility.public}</span>`;
}

/** The image of a tile. Another file needs another element, which does not show the last picture while it loads. */
const image = (url: string): TemplateResult =>
  html`<img alt="" decoding="async" src=${url} @error=${(event: Event) => ((event.target as HTMLElement).hidden = true)} />`;
