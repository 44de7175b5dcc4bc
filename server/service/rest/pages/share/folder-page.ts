import type { FastifyReply } from 'fastify';
import { baseName } from '../../../../../src/protocol/paths.js';
import { parseMediaType } from '../../../../../src/protocol/media-type.js';
import type { Language } from '../../../identity/users/user-fields.js';
import type { Share } from '../../../sharing/shares.js';
import type { FolderSort } from '../../list-shared-folder.js';
import { html } from '../html.js';
import type { Html } from '../html.js';
import { icon, iconFor } from './icons.js';
import { formatDate, formatSize, sendSharePage } from './share-layout.js';
import { shareTextsIn } from './share-texts.js';

export interface SharedFile {
  name: string;
  size: number;
  contentType: string;
  updatedAt: number;
}

export interface SharedFolder {
  share: Share;
  /** Names of the folders from the root of the share; empty for the root. */
  path: readonly string[];
  folders: readonly string[];
  files: readonly SharedFile[];
  sort: FolderSort;
  /** Whether the order is the one that the visitor chose. */
  isSorted: boolean;
  /** The cursor of the next page. */
  cursor: string | null;
  isFirstPage: boolean;
}

/** Returns the heading of a share. */
export const shareTitle = ({ title, path, prefix }: Pick<Share, 'title' | 'path' | 'prefix'>): string =>
  title ?? baseName(path ?? prefix ?? '');

/** Links relative to the page stay inside the share. The dot keeps a name with a colon from being a scheme. */
const link = (name: string): string => `./${encodeURIComponent(name)}`;

/** Sends a page of a shared folder. */
export function folderPage(reply: FastifyReply, language: Language, folder: SharedFolder): FastifyReply {
  const texts = shareTextsIn(language);
  const { share, path, folders, files, cursor, isFirstPage, sort, isSorted } = folder;
  const title = shareTitle(share);
  const isEmpty = folders.length + files.length === 0;
  const column = (name: string, text: string, className: string): Html => {
    const isActive = sort === name || sort === `-${name}`;
    const order = sort === name ? 'ascending' : 'descending';
    return html`<th scope="col" class="${className}" ${isActive ? html`aria-sort="${order}"` : undefined}>
      <a href="?sort=${sort === name ? `-${name}` : name}">${text}</a>
    </th>`;
  };
  const body = html`<header>
      <h1>${title}</h1>
      ${isEmpty && isFirstPage ? undefined : html`<a class="button" href="?zip=1" download>${texts.downloadAll}</a>`}
    </header>
    ${path.length === 0 ? undefined : breadcrumbs(texts.path, title, path)}
    ${isSorted ? undefined : html`<p class="quiet">${texts.tooLargeToSort}</p>`}
    ${
      isEmpty
        ? html`<p class="quiet">${texts.empty}</p>`
        : html`<table>
            <thead>
              <tr>
                ${column('name', texts.name, '')} ${column('size', texts.size, 'number')}
                ${column('date', texts.date, 'number date')}
              </tr>
            </thead>
            <tbody>
              ${folders.map((name) => row(`${link(name)}/`, icon('folder'), name))}
              ${files.map(({ name, size, contentType, updatedAt }) =>
                row(
                  link(name),
                  icon(iconFor(parseMediaType(contentType)?.essence ?? '')),
                  name,
                  formatSize(size, language),
                  formatDate(updatedAt, language),
                ),
              )}
            </tbody>
          </table>`
    }
    ${
      isFirstPage && cursor === null
        ? undefined
        : html`<p class="pages">
            ${isFirstPage ? undefined : html`<a href="?sort=${sort}">${texts.firstPage}</a>`}
            ${cursor === null ? undefined : html`<a href="?sort=${sort}&amp;cursor=${cursor}">${texts.nextPage}</a>`}
          </p>`
    }`;
  return sendSharePage(reply, { language, title: path.at(-1) ?? title, accent: share.accent, body });
}

const row = (href: string, sign: Html, name: string, size = '', date = ''): Html =>
  html`<tr>
    <td>
      <a href="${href}">${sign}<span>${name}</span></a>
    </td>
    <td class="number">${size}</td>
    <td class="number date">${date}</td>
  </tr>`;

/** Builds the links to the folders above a page. @param path ends with the page itself, which may be a file */
export function breadcrumbs(label: string, root: string, path: readonly string[], isFile = false): Html {
  const depth = path.length - (isFile ? 1 : 0);
  const up = (levels: number): string => (levels === 0 ? './' : '../'.repeat(levels));
  return html`<nav class="crumbs" aria-label="${label}">
    <ol>
      <li><a href="${up(depth)}">${root}</a></li>
      ${path.map((name, index) =>
        index === path.length - 1
          ? html`<li aria-current="page">${name}</li>`
          : html`<li><a href="${up(depth - index - 1)}">${name}</a></li>`,
      )}
    </ol>
  </nav>`;
}
