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
/** The contents of a page, and the permissions of its policy. */
export interface PageOptions {
  title: string;
  body: Html;
  style: InlineElement;
  /** The only script of the page. */
  script?: InlineElement;
  /** Further directives of the policy, such as `img-src 'self'`. */
  sources?: readonly string[];
  /** @default "en" */
  language?: string;
  /** Targets of forms: none, this origin, or any, because Chrome applies the policy to redirects after a form too. @default "none" */
  formTargets?: 'none' | 'self' | 'any';
  /** `same-origin` for pages with forms: with `no-referrer`, browsers send their forms with `Origin: null`. @default "no-referrer" */
  referrerPolicy?: 'no-referrer' | 'same-origin';
}

/** A style or script within a page, which the policy allows by its hash. */
export interface InlineElement {
  element: Html;
  source: string;
}

/** Builds a style or script. Its text is not part of a template, because a formatter may change its white space and so the hash. */
export const inlineElement = (name: 'style' | 'script', text: string): InlineElement => ({
  element: new Html(`<${name}>${text}</${name}>`),
  source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
});

const PAGE_STYLE = inlineElement('style', STYLE);

/** Sends a page without scripts and forms. */
export const sendPage = (reply: FastifyReply, title: string, body: Html): FastifyReply =>
  sendDocument(reply, { title, body, style: PAGE_STYLE });

/** Sends a page. Its policy allows only its own style and script, by their hashes, and forbids framing. */
export function sendDocument(reply: FastifyReply, options: PageOptions): FastifyReply {
  const {
    title,
    body,
    style,
    script,
    sources = [],
    language = 'en',
    formTargets = 'none',
    referrerPolicy = 'no-referrer',
  } = options;
  const page = html`<!doctype html>
    <html lang="${language}">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      ${style.element} ${body} ${script?.element}
    </html> `;
  const policy = [
    "default-src 'none'",
    `style-src ${style.source}`,
    ...(script ? [`script-src ${script.source}`] : []),
    ...sources,
    "base-uri 'none'",
    ...(formTargets === 'any' ? [] : [`form-action '${formTargets}'`]),
    "frame-ancestors 'none'",
  ];
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy.join('; '))
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', referrerPolicy)
    .send(page.text);
}
