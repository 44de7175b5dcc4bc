import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OauthError } from '../../../identity/oauth/oauth-error.js';
import { sendFormPage } from '../form-page.js';
import { html } from '../html.js';
import { languageOf } from '../texts.js';
import { OAUTH_TEXTS } from './texts.js';

/** The site that a user may return to with an error. */
export interface ErrorReceiver {
  host: string;
  location: string;
}

/** Sends an error that a person must see, because no client can be trusted to receive it. The status is set already. */
export function oauthErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: OauthError,
  receiver?: ErrorReceiver,
): FastifyReply {
  // The user may be unknown, so the profile does not decide.
  const language = languageOf(request);
  const texts = OAUTH_TEXTS[language];
  const { error: code, error_description } = error.toBody();
  return sendFormPage(reply, {
    language,
    title: texts.errorTitle,
    intro: error.reason === undefined ? texts.errorText : texts.reasons[error.reason],
    body: html`<details>
        <summary>${texts.details}</summary>
        <p><code>${code}</code> <span lang="en">${error_description}</span></p>
      </details>
      ${receiver && html`<a class="button secondary" href="${receiver.location}" rel="noreferrer">${texts.returnTo(receiver.host)}</a>`}`,
    status: reply.statusCode,
  });
}
