import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatSize } from '../../texts/format.js';
import { folderHref, iconOf, shownName } from './entries.js';
import type { Entry } from './entries.js';
import { filesTexts } from './texts/texts.js';

/** Pictures that the service resizes. */
const RESIZED = /^image\/(?:png|jpeg|gif|webp|avif)$/;
/** Sides of a thumbnail, in pixels. */
const SIDE = 320;

/**
 * Returns a function that renders a file or a folder as a tile: a small picture, or the icon of its type.
 * @param searched the folder of a search. Names then include the path below it.
 */
export function fileTile({ router, storage }: ConsoleContext, open: (entry: Entry) => void, searched?: string) {
  return (entry: Entry, mayLoad: boolean): TemplateResult => {
    const name = html`<bdi>${shownName(entry, searched)}</bdi>`;
    const isPicture = entry.kind === 'file' && RESIZED.test(entry.file.content_type);
    return html`<div class="thumb">
        ${icon(iconOf(entry))}
        ${
          isPicture && mayLoad
            ? html`<img
                alt=""
                decoding="async"
                src=${storage.url(`/v1/files/${entry.file.id}/content`, { w: SIDE, h: SIDE })}
                @error=${(event: Event) => ((event.target as HTMLElement).hidden = true)}
              />`
            : nothing
        }
      </div>
      <div class="caption">
        ${
          entry.kind === 'folder'
            ? html`<a class="name" tabindex="-1" title=${shownName(entry)} href=${folderHref(router, entry.prefix)}>${name}</a>`
            : html`<button class="name" tabindex="-1" title=${entry.name} @click=${() => open(entry)}>${name}</button>`
        }
        <span>${entry.kind === 'file' ? formatSize(entry.file.size) : filesTexts.folder}</span>
      </div>
      ${
        entry.kind === 'file' && entry.file.visibility === 'public'
          ? html`<span class="badge">${filesTexts.visibility.public}</span>`
          : nothing
      }`;
  };
}
