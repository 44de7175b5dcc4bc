import type { FastifyReply } from 'fastify';
import { html, sendPage } from './html.js';

export interface Folder {
  name: string;
  isTop: boolean;
  folders: string[];
  files: { name: string; size: number; updated_at: string }[];
  cursor: string | null;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size with at most three digits and decimal units, as file managers do. */
function readableSize(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`;
}

/** Sends a shared folder as a page. Its links are relative, so they stay inside the share. */
export function folderPage(reply: FastifyReply, folder: Folder): FastifyReply {
  const link = (name: string) => `./${encodeURIComponent(name)}`;
  const body = html`<h1>${folder.name}</h1>
    <table>
      ${
        folder.isTop
          ? undefined
          : html`<tr>
              <td><a href="../">Parent folder</a></td>
              <td></td>
              <td></td>
            </tr>`
      }
      ${folder.folders.map(
        (name) =>
          html`<tr>
            <td><a href="${link(name)}/">${name}/</a></td>
            <td></td>
            <td></td>
          </tr> `,
      )}
      ${folder.files.map(
        (file) =>
          html`<tr>
            <td><a href="${link(file.name)}">${file.name}</a></td>
            <td class="number">${readableSize(file.size)}</td>
            <td class="number quiet">${file.updated_at.slice(0, 10)}</td>
          </tr> `,
      )}
    </table>
    ${folder.folders.length + folder.files.length === 0 ? html`<p class="quiet">This folder is empty.</p>` : undefined}
    ${folder.cursor === null ? undefined : html`<p><a href="?cursor=${folder.cursor}">Next page</a></p>`}`;
  return sendPage(reply, folder.name, body);
}
