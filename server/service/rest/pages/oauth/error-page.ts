import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OauthError } from '../../../identity/oauth/oauth-error.js';
import { html } from '../html.js';
import { sendOauthPage } from './document.js';
import { OAUTH_TEXTS } from './texts.js';
import type { Language } from './texts.js';

const LANGUAGES: Record<string, Language> = { pt: 'pt-br', es: 'es-es', en: 'en-us' };

/** Returns the first language of a browser that the pages have. The user may be unknown, so the profile does not decide. */
function languageOf({ headers }: FastifyRequest): Language {
  for (const tag of (headers['accept-language'] ?? '').split(',')) {
    const language = LANGUAGES[tag.trim().slice(0, 2).toLowerCase()];
    if (language) return language;
  }
  return 'en-us';
}

/** Sends an error that a person must see, because no client can be trusted to receive it. The status is set already. */
export function oauthErrorPage(request: FastifyRequest, reply: FastifyReply, error: OauthError): FastifyReply {
  const language = languageOf(request);
  const texts = OAUTH_TEXTS[language];
  const { error: code, error_description } = error.toBody();
  const body = html`<h1>${texts.errorTitle}</h1>
    <p>${texts.errorText}</p>
    <details>
      <summary>${texts.details}</summary>
      <p><code>${code}</code> <span lang="en">${error_description}</span></p>
    </details>`;
  return sendOauthPage(reply, language, texts.errorTitle, body);
}
