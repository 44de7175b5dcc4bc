import type { FastifyReply } from 'fastify';
import type { Language } from '../../identity/users/user-fields.js';
import { FORM_STYLE } from './form-style.js';
import { Html, html, sendDocument } from './html.js';
import type { InlineElement } from './html.js';

/**
 * The script of pages whose form works once. A second click would end the first request in the browser, and the person would see an error although
 * the first one succeeded. It ignores further clicks for five seconds, so that a person who stops a slow request can send the form again.
 */
export const SEND_ONCE =
  'let sentAt=-Infinity;addEventListener("submit",(event)=>{if(event.timeStamp-sentAt<5000)event.preventDefault();else sentAt=event.timeStamp});';

/** A page with a card in the middle, usually with one form. */
export interface FormPage {
  language: Language;
  /** Heading of the page and title of its window. */
  title: string;
  /** A sentence below the heading. */
  intro?: string | undefined;
  /** A problem that concerns no single field. */
  problem?: string | undefined;
  /** Forms, fields and texts below the heading. */
  body: Html | readonly Html[];
  /** @default 200 */
  status?: number | undefined;
  /** The only script of the page. It must work without. */
  script?: InlineElement;
  /** `any` if the response to the form may redirect to another origin: Chrome applies the policy to redirects too. @default "self" */
  formTargets?: 'self' | 'any';
  /** More space for lists. @default false */
  isWide?: boolean;
  /** @default the style of the service */
  style?: InlineElement;
}

/** A field of a form with its label, hint and error. */
export interface FormField {
  name: string;
  label: string;
  /** @default "text" */
  type?: 'text' | 'email' | 'password';
  autocomplete: string;
  value?: string | undefined;
  hint?: string;
  error?: string | undefined;
  minLength?: number;
  maxLength?: number;
  /** Whether the page starts in this field. */
  hasFocus?: boolean;
  /** Class of the field. */
  className?: string;
}

/** The languages as BCP 47 tags. */
export const TAGS: Record<Language, string> = { 'pt-br': 'pt-BR', 'en-us': 'en-US', 'es-es': 'es-ES' };

const SIGN =
  '<rect width="32" height="32" rx="9" fill="#2f54eb"/><path d="M16 22V11m0 0-4.5 4.5M16 11l4.5 4.5M9.5 23.5h13" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>';

/** The sign of the service above the content of a page. */
export const BRAND = new Html(`<p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true">${SIGN}</svg>Blob Storage</p>`);

/** The sign of the service in the tab of the browser. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SIGN}</svg>`)}`;

/** Sends a page that works without scripts. Caches do not store it, and no page can frame it. */
export function sendFormPage(reply: FastifyReply, page: FormPage): FastifyReply {
  const { title, intro, problem, body, status = 200, script, isWide = false, style = FORM_STYLE } = page;
  const card = html`<body class="${isWide ? 'wide' : 'narrow'}">
    <main>
      ${BRAND}
      <h1>${title}</h1>
      ${intro === undefined ? undefined : html`<p class="intro">${intro}</p>`}
      ${problem === undefined ? undefined : html`<p class="notice" role="alert">${problem}</p>`} ${body}
    </main>
  </body>`;
  // No other origin may read a page, and old browsers know only this header against frames.
  reply.removeHeader('Access-Control-Allow-Origin');
  reply.header('X-Frame-Options', 'DENY').header('Cache-Control', 'no-store').header('X-Robots-Tag', 'noindex');
  return sendDocument(reply.code(status), {
    title: `${title} · Blob Storage`,
    body: card,
    style,
    ...(script && { script }),
    icon: ICON,
    language: TAGS[page.language],
    formTargets: page.formTargets ?? 'self',
    referrerPolicy: 'same-origin',
  });
}

/** Builds a field. Screen readers read the hint and the error with it. */
export function formField(field: FormField): Html {
  const { name, label, type = 'text', autocomplete, value, hint, error, minLength, maxLength, className = '' } = field;
  const described = [error === undefined ? '' : `${name}-error`, hint === undefined ? '' : `${name}-hint`]
    .filter(Boolean)
    .join(' ');
  const attributes = {
    id: name,
    name,
    type,
    autocomplete,
    value: type === 'password' ? undefined : value,
    minlength: minLength,
    maxlength: maxLength,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': error === undefined ? undefined : 'true',
    ...(type === 'text' && autocomplete === 'name' ? {} : { autocapitalize: 'none', spellcheck: 'false' }),
  };
  const written = Object.entries(attributes).map(([key, text]) => (text === undefined ? undefined : html` ${key}="${text}"`));
  return html`<div class="field ${className}">
    <label for="${name}">${label}</label>
    <input${written.filter((part) => part !== undefined)} required${field.hasFocus ? html` autofocus` : undefined} />
    ${error === undefined ? undefined : html`<p class="error" id="${name}-error">${error}</p>`}
    ${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

/** Builds a field that people do not see. */
export const hiddenField = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}" />`;

/** Builds a form with a button. @param action a path of this service */
export const form = (
  action: string,
  content: readonly Html[],
  button: string,
  kind: 'primary' | 'secondary' | 'plain' = 'primary',
): Html =>
  html`<form method="post" action="${action}">
    ${content}
    <button class="${kind}">${button}</button>
  </form>`;
