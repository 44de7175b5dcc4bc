import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** Returns whether a browser asks for a page. Programs get bytes and JSON. */
export const acceptsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/.test(headers.accept ?? '');

/** The contents of a page, and the permissions of its policy. */
export interface PageOptions {
  title: string;
  body: Html;
  style: InlineElement;
  /** The only script of the page. */
  script?: InlineElement;
  /** A `data:` URL of the sign in the tab. */
  icon?: string;
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

/** Sends a page. Its policy allows only its own style and script, by their hashes, and forbids framing. */
export function sendDocument(reply: FastifyReply, options: PageOptions): FastifyReply {
  const {
    title,
    body,
    style,
    script,
    icon,
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
      ${icon === undefined ? undefined : html`<link rel="icon" href="${icon}" />`} ${style.element} ${body} ${script?.element}
    </html> `;
  const policy = [
    "default-src 'none'",
    `style-src ${style.source}`,
    ...(script ? [`script-src ${script.source}`] : []),
    ...(icon === undefined ? [] : ['img-src data:']),
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
