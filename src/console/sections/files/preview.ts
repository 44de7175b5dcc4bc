import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import type { FileRecord } from '../../../protocol/types.js';
import type { ConsoleContext } from '../../shell/context.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';

/** Bytes of a text that are shown. */
const TEXT_BYTES = 64 * 1024;
/** Larger images are not shown whole, because a browser may not have the memory. */
const MAX_IMAGE_BYTES = 30_000_000;
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon)$/;
const TEXTS = /^(?:text\/|application\/(?:json|xml|javascript|x-yaml|toml|x-sh|sql)\b|image\/svg)/;

/**
 * Shows the content of a file. HTML, SVG and scripts appear as text: nothing of a stored file ever runs in the console. PDF files open in a
 * tab of their own, where the service isolates them.
 */
export function preview({ storage }: ConsoleContext, file: FileRecord): TemplateResult | typeof nothing {
  const url = storage.url(`/v1/files/${file.id}/content`);
  const type = file.content_type;
  if (IMAGES.test(type) && file.size <= MAX_IMAGE_BYTES)
    return html`<div class="preview"><img src=${url} alt=${file.name} decoding="async" /></div>`;
  if (type.startsWith('video/'))
    return html`<div class="preview"><video src=${url} controls preload="metadata" aria-label=${file.name}></video></div>`;
  if (type.startsWith('audio/'))
    return html`<div class="preview"><audio src=${url} controls preload="metadata" aria-label=${file.name}></audio></div>`;
  if (TEXTS.test(type))
    return html`<pre class="preview" tabindex="0" aria-label=${file.name}>${until(readText(url, file), texts.loading)}</pre>`;
  if (type === 'application/pdf')
    return html`<p><a class="button" href=${url} target="_blank" rel="noopener">${filesTexts.details.openPdf}</a></p>`;
  return nothing;
}

const TEXT_CACHE = new Map<string, Promise<string>>();

/** Reads the start of a text once for each version of the file. */
function readText(url: string, file: FileRecord): Promise<string> {
  const key = `${url} ${file.etag}`;
  let text = TEXT_CACHE.get(key);
  if (!text) TEXT_CACHE.set(key, (text = fetchText(url, file)));
  return text;
}

async function fetchText(url: string, { size }: FileRecord): Promise<string> {
  if (size === 0) return '';
  const response = await fetch(url, { headers: { Range: `bytes=0-${TEXT_BYTES - 1}` } });
  if (!response.ok) return filesTexts.details.noPreview;
  const text = new TextDecoder().decode(await response.arrayBuffer());
  return size > TEXT_BYTES ? `${text}\n…` : text;
}
