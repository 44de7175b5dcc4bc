import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Language } from '../../identity/users/user-fields.js';
import { ICON, TAGS } from './form-page.js';
import { Html, html } from './html.js';
import { textsIn } from './texts.js';

/** Colors before the script has loaded. The style sheets of the console replace them. */
const FIRST_STYLE =
  ':root{color-scheme:light dark;background:light-dark(#fbfbfc,#0e1015);color:light-dark(#16181f,#eceef4)}body{margin:0}noscript{display:block;padding:2rem}';

/**
 * Sends the page of the console. Stored files share its origin, so scripts need the nonce of this response, and `'self'` does not appear in
 * `script-src`.
 * @param script name of the first script below `/console/assets/`
 */
export function sendConsolePage(reply: FastifyReply, language: Language, script: string): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  const page = html`<!doctype html>
    <html lang="${TAGS[language]}" dir="ltr">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Blob Storage</title>
      <link rel="icon" href="${ICON}" />
      <style nonce="${nonce}">
        ${new Html(FIRST_STYLE)}
      </style>
      <body>
        <noscript>${textsIn(language).consoleScript}</noscript>
        <console-app></console-app>
        <script type="module" nonce="${nonce}" src="/console/assets/${script}"></script>
      </body>
    </html> `;
  reply.removeHeader('Access-Control-Allow-Origin');
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policyWith(nonce))
    .header('Cross-Origin-Opener-Policy', 'same-origin')
    .header('Cross-Origin-Resource-Policy', 'same-origin')
    .header('X-Content-Type-Options', 'nosniff')
    .header('X-Frame-Options', 'DENY')
    .header('Referrer-Policy', 'same-origin')
    .header('Cache-Control', 'no-store')
    .header('X-Robots-Tag', 'noindex')
    .send(page.text);
}

const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
