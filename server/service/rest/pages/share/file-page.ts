import type { FastifyReply } from 'fastify';
import { baseName } from '../../../../../src/protocol/paths.js';
import { parseMediaType } from '../../../../../src/protocol/media-type.js';
import { isInlineType } from '../../../http/inline-types.js';
import type { Language } from '../../../identity/users/user-fields.js';
import type { Share } from '../../../sharing/shares.js';
import type { StoredFile } from '../../../storage/blob-storage.js';
import { html } from '../html.js';
import type { Html } from '../html.js';
import { breadcrumbs, shareTitle } from './folder-page.js';
import { icon, iconFor } from './icons.js';
import { formatDate, formatSize, sendSharePage } from './share-layout.js';
import { shareTextsIn } from './share-texts.js';
import type { ShareTexts } from './share-texts.js';

/** Bytes of a text that its preview shows. */
export const MAX_TEXT_PREVIEW = 64 * 1024;

export interface SharedFilePage {
  share: Share;
  file: StoredFile;
  /** Names of the folders from the root of the share, and of the file; empty for a share of this file. */
  path: readonly string[];
  /** Start of a text. */
  text: string | undefined;
  /** Whether the service has a picture of the video or PDF. */
  hasPicture: boolean;
}

/** The picture of a video or PDF. The size is one that each share offers. */
const PICTURE = '?raw=1&w=1280&h=1280&fit=contain';

/** Returns whether the page of a file contains the start of its text. Other types that are text, such as HTML, are shown as their source. */
export const isTextPreview = ({ contentType, headers }: StoredFile): boolean => {
  const essence = parseMediaType(contentType)?.essence ?? '';
  return headers['content-encoding'] === undefined && (essence.startsWith('text/') || essence === 'application/json');
};

/**
 * Sends the page of a shared file with its preview. The browser loads media by another request, which a share with a limited number of
 * downloads would count. Previews are therefore left out of it.
 */
export function filePage(
  reply: FastifyReply,
  language: Language,
  { share, file, path, text, hasPicture }: SharedFilePage,
): FastifyReply {
  const texts = shareTextsIn(language);
  const name = path.at(-1) ?? baseName(file.key);
  const essence = parseMediaType(file.contentType)?.essence ?? '';
  const isInline = share.maxDownloads === null && isInlineType(essence);
  const left =
    share.maxDownloads === null ? undefined : html`<p class="meta">${texts.limited(share.maxDownloads - share.downloads)}</p>`;
  const body = html`<header><h1>${path.length === 0 ? shareTitle(share) : name}</h1></header>
    ${path.length === 0 ? undefined : breadcrumbs(texts.path, shareTitle(share), path, true)}
    <div class="preview">${preview(texts, { essence, name, text, isInline, hasPicture: isInline && hasPicture })}</div>
    ${text !== undefined && file.size > MAX_TEXT_PREVIEW ? html`<p class="meta">${texts.truncated}</p>` : undefined}
    <p class="meta">
      ${path.length === 0 && share.title !== null ? html`${name} · ` : undefined}${formatSize(file.size, language)} ·
      ${formatDate(file.updatedAt, language)}
    </p>
    ${left}
    <p class="actions">
      <a class="button" href="?download=1" download>${texts.download}</a>
      ${isInline ? html`<a class="button secondary" href="?raw=1" target="_blank" rel="noopener">${texts.open}</a>` : undefined}
    </p>`;
  const sources = isInline ? ["img-src 'self'", "media-src 'self'"] : [];
  return sendSharePage(reply, { language, title: name, accent: share.accent, body, sources });
}

interface Preview {
  essence: string;
  name: string;
  text: string | undefined;
  isInline: boolean;
  hasPicture: boolean;
}

function preview(texts: ShareTexts, { essence, name, text, isInline, hasPicture }: Preview): Html {
  if (text !== undefined) return html`<pre tabindex="0">${text}</pre>`;
  if (isInline && essence.startsWith('image/')) return html`<img src="?raw=1" alt="${name}" />`;
  if (isInline && essence.startsWith('video/'))
    return html`<video src="?raw=1" controls preload="metadata" ${hasPicture ? html` poster="${PICTURE}"` : undefined}></video>`;
  if (hasPicture) return html`<img src="${PICTURE}" alt="${name}" />`;
  if (isInline && essence.startsWith('audio/')) return html`<audio src="?raw=1" controls preload="metadata"></audio>`;
  return html`<p class="none">${icon(iconFor(essence))}${isInline ? name : texts.noPreview}</p>`;
}
