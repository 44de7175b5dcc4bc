import type { FastifyReply, FastifyRequest } from 'fastify';
import { reportError } from '../../http/errors.js';
import { sendFormPage } from './form-page.js';
import { acceptsHtml, html } from './html.js';
import { languageOf, textsIn } from './texts.js';

/** Returns whether a person opened a page of this service or an unknown address, or sent a form. Programs get errors as JSON. */
export const isPageRequest = (request: FastifyRequest): boolean =>
  (request.is404 || request.routeOptions?.config?.isPage === true) && acceptsHtml(request);

/** Sends an error that no form can show beside a field, with a way to the page of the account. */
export function sendErrorPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code } = reportError(error, request, reply);
  const language = languageOf(request);
  const texts = textsIn(language);
  const { title, text } = texts.errors[kindOf(status, code)];
  void sendFormPage(reply, {
    language,
    title,
    intro: text,
    body: html`<a class="button secondary" href="/sign-in">${texts.toAccount}</a>`,
    status,
  });
}

function kindOf(status: number, code: string): 'missing' | 'origin' | 'busy' | 'failed' {
  if (status === 404) return 'missing';
  if (code === 'ORIGIN_DENIED') return 'origin';
  return status === 429 || status === 503 ? 'busy' : 'failed';
}
