import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import type { FileRecord } from '../../../protocol/types.js';
import type { Api } from '../../api/api.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatSize } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';
import { ACCEPTED_PICTURES } from './thumbnails.js';

/** Bytes of a text that are shown. */
const TEXT_BYTES = 64 * 1024;
/** Larger images are not shown whole, because a browser may not have the memory. */
const MAX_IMAGE_BYTES = 30_000_000;
/** Pixels of the picture of a PDF. */
const PDF_WIDTH = 640;
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon)$/;
const TEXTS = /^(?:text\/|application\/(?:json|xml|javascript|x-yaml|toml|x-sh|sql)\b|image\/svg)/;

/**
 * Shows the content of a file. HTML, SVG and scripts appear as text: nothing of a stored file ever runs in the console. A PDF file may have
 * scripts, so the service makes a picture of its first page, if it has the program. It opens in a tab of its own, where the service isolates
 * it. Call it once for each dialog.
 */
export function preview({ storage }: ConsoleContext, file: FileRecord, signal: AbortSignal): TemplateResult | typeof nothing {
  const url = storage.url(`/v1/files/${file.id}/content`);
  const type = file.content_type;
  if (IMAGES.test(type) && file.size <= MAX_IMAGE_BYTES)
    return html`<div class="preview"><img src=${url} alt=${file.name} decoding="async" @error=${replaceFailed} /></div>`;
  if (type.startsWith('video/'))
    return html`<div class="preview">
      <video src=${url} controls preload="metadata" aria-label=${file.name} @error=${replaceFailed}></video>
    </div>`;
  if (type.startsWith('audio/'))
    return html`<div class="preview">
      <audio src=${url} controls preload="metadata" aria-label=${file.name} @error=${replaceFailed}></audio>
    </div>`;
  if (TEXTS.test(type))
    return html`<pre class="preview" tabindex="0" aria-label=${file.name}>
${until(readText(url, file, signal), texts.loading)}</pre>`;
  if (type === 'application/pdf')
    return html`${until(
        pictureOfPdf(storage, file, signal).catch(() => nothing),
        nothing,
      )}
      <p><a class="button" href=${url} target="_blank" rel="noopener">${filesTexts.details.openPdf}</a></p>`;
  return nothing;
}

/** Returns the picture of the first page. A response without one is not shown as a broken image. */
async function pictureOfPdf(
  storage: Api,
  { id, name }: FileRecord,
  signal: AbortSignal,
): Promise<TemplateResult | typeof nothing> {
  const url = storage.url(`/v1/files/${id}/content`, { w: PDF_WIDTH });
  const { ok } = await fetch(url, { method: 'HEAD', headers: { Accept: ACCEPTED_PICTURES }, signal });
  return ok ? html`<div class="preview"><img src=${url} alt=${name} decoding="async" @error=${replaceFailed} /></div>` : nothing;
}

/** Reads the start of a text. */
async function readText(url: string, { size }: FileRecord, signal: AbortSignal): Promise<string> {
  if (size === 0) return '';
  try {
    const response = await fetch(url, { headers: { Range: `bytes=0-${TEXT_BYTES - 1}` }, signal });
    if (!response.ok) return filesTexts.details.noPreview;
    const isCut = size > TEXT_BYTES;
    // The cut may lie within a character, which `stream` leaves out.
    const text = new TextDecoder().decode(await response.arrayBuffer(), { stream: isCut });
    return isCut ? `${text}\n\n${filesTexts.details.cut(formatSize(TEXT_BYTES), formatSize(size))}` : text;
  } catch {
    return filesTexts.details.noPreview;
  }
}

/** Shows a text instead of an image or a video that the browser cannot show. */
function replaceFailed({ currentTarget }: Event): void {
  const text = document.createElement('p');
  text.className = 'hint';
  text.textContent = filesTexts.details.noPreview;
  // Lit keeps the markers of its template around the element.
  (currentTarget as Element).after(text);
  (currentTarget as HTMLElement).hidden = true;
}
