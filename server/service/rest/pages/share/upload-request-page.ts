import type { FastifyReply } from 'fastify';
import type { Language } from '../../../identity/users/user-fields.js';
import type { Share } from '../../../sharing/shares.js';
import { html } from '../html.js';
import type { Html } from '../html.js';
import { sendSharePage } from './share-layout.js';
import { shareTextsIn } from './share-texts.js';

/** Folder of the element's scripts, see routes/element.ts. */
const ELEMENT = '/element/svc-uploader.js';

/**
 * Sends the page of an upload request, which contains the element. It names no file and no folder.
 * @param baseUrl of this service. The policy allows scripts of its folder `/element/` only, because other addresses serve uploaded files.
 */
export function uploadRequestPage(reply: FastifyReply, language: Language, share: Share, baseUrl: string): FastifyReply {
  const texts = shareTextsIn(language);
  const title = share.title ?? texts.uploadTitle;
  const { maxSize, allowedExtensions, maxFiles, filesReceived } = share;
  const attributes: [name: string, value: string | number | undefined][] = [
    ['max-size', maxSize ?? undefined],
    ['allowed-extensions', allowedExtensions?.join(',')],
    ['max-files', maxFiles === null ? undefined : maxFiles - filesReceived],
  ];
  const written: Html[] = attributes.flatMap(([name, value]) => (value === undefined ? [] : [html` ${name}="${value}"`]));
  const body = html`<header><h1>${title}</h1></header>
    <p class="intro">${texts.uploadIntro}</p>
    <svc-uploader multiple label="${texts.uploadLabel}" token-endpoint="/s/${share.id}/upload-tokens" ${written}></svc-uploader>
    <noscript><p class="notice">${texts.uploadScript}</p></noscript>
    <script type="module" src="${baseUrl}${ELEMENT}"></script>`;
  const sources = [`script-src ${baseUrl}/element/`, `connect-src 'self' ${baseUrl}`];
  return sendSharePage(reply, { language, title, accent: share.accent, body, sources });
}
