import type { FastifyReply } from 'fastify';
import { BRAND } from '../form-page.js';
import { html, inlineElement, sendDocument } from '../html.js';
import type { Html } from '../html.js';
import type { Language } from './texts.js';

const STYLE = inlineElement(
  'style',
  `:root{color-scheme:light dark;--page:#f3f4f8;--card:#fff;--text:#14161f;--quiet:#5a6072;--line:#dcdfe8;--accent:#2f54eb;--on-accent:#fff;--soft:#eaf1ff;--warn:#8a1c1c;--warn-soft:#fdeeee;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
@media (prefers-color-scheme:dark){:root{--page:#0f1117;--card:#181b24;--text:#eceef5;--quiet:#a2a8ba;--line:#343a4b;--accent:#8ea6ff;--on-accent:#0c1230;--soft:#1b2440;--warn:#ffb4ab;--warn-soft:#3a2022}}
*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--text)}
main{max-width:34rem;margin:0 auto;padding:3.5rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:2rem;overflow-wrap:anywhere}
@media (max-width:36rem){body{background:var(--card)}main{padding:0}.card{border:0;border-radius:0;padding:1.5rem 1.25rem}}
.brand{display:flex;align-items:center;gap:.6rem;margin:0 0 1.75rem;font-weight:600;font-size:.95rem}.brand svg{width:2rem;height:2rem;flex:none}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem;text-wrap:balance}h2{font-size:1rem;margin:0}p{margin:0 0 1rem}
.quiet{color:var(--quiet);font-size:.9375rem}
dl{margin:0 0 1.5rem;padding:.875rem 1rem;border:1px solid var(--line);border-radius:.625rem}
dt{color:var(--quiet);font-size:.875rem}dd{margin:0;font-weight:600}dd+dt{margin-top:.625rem}dd small{display:block;font-weight:400;color:var(--quiet)}
fieldset{border:0;margin:0 0 1.5rem;padding:0;min-width:0}legend{padding:0;font-weight:600}legend+.quiet{margin:0 0 .5rem}
h3{margin:.875rem 0 .125rem;font-size:.8125rem;font-weight:600;color:var(--quiet)}
label{display:flex;gap:.75rem;align-items:flex-start;padding:.5rem .625rem;margin:0 -.625rem;border-radius:.5rem;cursor:pointer}label:hover{background:var(--soft)}
input{flex:none;width:1.125rem;height:1.125rem;margin:.1875rem 0 0;accent-color:var(--accent)}label small{display:block;color:var(--quiet)}
.missing{padding:.75rem 1rem;border-radius:.5rem;background:var(--warn-soft);color:var(--warn);font-weight:600}
.buttons{display:flex;gap:.75rem;padding-top:1.25rem;border-top:1px solid var(--line)}
button{flex:1;min-height:2.75rem;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.625rem;background:transparent;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button:hover{background:var(--soft)}button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}button.main:hover{filter:brightness(1.08)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}code{font:.875em/1.5 ui-monospace,monospace}details summary{cursor:pointer}
@media (forced-colors:active){.card,button{border:1px solid}}`,
);

/** Languages of a browser. The second parts are written as HTML has them. */
const TAGS: Record<Language, string> = { 'en-us': 'en-US', 'pt-br': 'pt-BR', 'es-es': 'es-ES' };

/** Sends a page of the authorization server. No page may frame it, and no other origin may read it. */
export function sendOauthPage(reply: FastifyReply, language: Language, title: string, body: Html): FastifyReply {
  reply.removeHeader('Access-Control-Allow-Origin');
  reply.header('X-Frame-Options', 'DENY').header('Cache-Control', 'no-store').header('X-Robots-Tag', 'noindex');
  return sendDocument(reply, {
    title,
    body: html`<main><div class="card">${BRAND}${body}</div></main>`,
    style: STYLE,
    language: TAGS[language],
    // The form leads to the client, which has another origin.
    formTargets: 'any',
    referrerPolicy: 'same-origin',
  });
}
