import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Markup that needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | number | Html | readonly Html[] | undefined;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

function insert(value: Insert): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escape(String(value));
}

/** Builds markup from a template. Inserted texts are escaped. */
export const html = (strings: TemplateStringsArray, ...values: Insert[]): Html =>
  new Html(strings.reduce((text, piece, index) => text + insert(values[index - 1]) + piece));

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2.5rem}h3{font-size:1rem;margin-bottom:.25rem}a{color:LinkText}table{border-collapse:collapse;width:100%}
td,th{text-align:start;padding:.35rem .75rem .35rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent);vertical-align:top;overflow-wrap:anywhere}
td.number{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}code,pre{font:.875em/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.75rem;border-radius:.5rem;background:color-mix(in srgb,CanvasText 6%,transparent)}summary{cursor:pointer;padding:.4rem 0}
details{border-bottom:1px solid color-mix(in srgb,CanvasText 15%,transparent)}details>div{padding:0 0 1rem 1rem}.method{display:inline-block;min-width:4.5rem;font-weight:600}
.quiet{color:color-mix(in srgb,CanvasText 65%,transparent)}`;
// Not part of the template, because a formatter may change its white space and so the hash.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Sends a page without scripts. Its policy allows only the one style, by its hash, and forbids framing. */
export function sendPage(reply: FastifyReply, title: string, body: Html): FastifyReply {
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      ${STYLE_ELEMENT} ${body}
    </html> `;
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'no-referrer')
    .send(page.text);
}
