import type { FastifyReply } from 'fastify';
import type { ReplaceableKey } from '../../../identity/oauth/consents.js';
import type { RedirectTarget } from '../../../identity/oauth/redirect-uris.js';
import type { Scope } from '../../../identity/scopes.js';
import type { Language } from '../../../identity/users/user-fields.js';
import { hiddenField, SEND_ONCE, sendFormPage } from '../form-page.js';
import { html, inlineElement } from '../html.js';
import type { Html } from '../html.js';
import { groupOf, SCOPE_TEXTS } from './scope-texts.js';
import { OAUTH_TEXTS } from './texts.js';
import type { OauthTexts } from './texts.js';

/** The names of checkboxes begin with this text and end with the scope. */
export const SCOPE_FIELD = 'scope.';

/** A decision that lacked a choice. */
export interface FormerDecision {
  scopes: readonly string[];
  missing: 'scopes' | 'replacement';
}

/** Everything that the consent page shows. */
export interface ConsentView {
  language: Language;
  /** The address of the signed-in user. */
  email: string;
  clientName: string;
  target: RedirectTarget;
  scopes: readonly Scope[];
  /** Undefined if the account may have another key. */
  replaceableKeys: readonly ReplaceableKey[] | undefined;
  /** Identifies the page in its form. */
  secret: string;
  /** The selected scopes and the missing choice of a former decision. */
  former: FormerDecision | undefined;
}

const SCRIPT = inlineElement('script', SEND_ONCE);

/** Sends the page that asks a user whether a client may have a key. It works without its script. */
export function consentPage(reply: FastifyReply, view: ConsentView): FastifyReply {
  const { language, clientName } = view;
  const texts = OAUTH_TEXTS[language];
  const body = html`<dl>
      <dt>${texts.signedInAs}</dt>
      <dd>${view.email}</dd>
      <dt>${texts.returnsTo}</dt>
      <dd>${targetText(view.target, texts)}</dd>
    </dl>
    <form method="post" action="/oauth/consent" autocomplete="off">
      ${hiddenField('consent', view.secret)} ${scopeChoice(view, texts)}
      ${view.replaceableKeys && keyChoice(view.replaceableKeys, view, texts)}
      <p class="quiet">${texts.keyText}</p>
      <div class="buttons">
        <button class="secondary" name="decision" value="deny" formnovalidate>${texts.deny}</button>
        <button name="decision" value="allow">${texts.allow}</button>
      </div>
    </form>`;
  return sendFormPage(reply, {
    language,
    title: texts.title(clientName),
    intro: texts.nameIsClaimed,
    body,
    script: SCRIPT,
    status: reply.statusCode,
    // The form leads to the client, which has another origin.
    formTargets: 'any',
    isWide: true,
  });
}

function targetText({ kind, name }: RedirectTarget, texts: OauthTexts): Html {
  if (kind === 'site') return html`${name}`;
  return kind === 'application' ? html`${texts.application(name)}` : html`${name} <small>${texts.thisComputer}</small>`;
}

/** States the missing choice beside its fields. */
const errorOf = (choice: FormerDecision['missing'], { former }: ConsentView, texts: OauthTexts): Html | undefined =>
  former?.missing === choice ? html`<p class="error" role="alert">${texts.missing[choice]}</p>` : undefined;

function scopeChoice(view: ConsentView, texts: OauthTexts): Html {
  const { scopes, language, former } = view;
  const { groups, scopes: descriptions } = SCOPE_TEXTS[language];
  // A page that is shown again must not select what the user has deselected.
  const isSelected = (scope: Scope) => !former || former.scopes.includes(scope);
  return html`<fieldset>
    <legend>${texts.mayDo}</legend>
    <p class="quiet">${texts.deselect}</p>
    ${errorOf('scopes', view, texts)}
    ${[...new Set(scopes.map(groupOf))].map(
      (group) =>
        html`<h2>${groups[group]}</h2>
          ${scopes
            .filter((scope) => groupOf(scope) === group)
            .map(
              (scope) =>
                html`<label class="choice"
                  ><input type="checkbox" name="${SCOPE_FIELD}${scope}" ${isSelected(scope) ? html`checked` : undefined} /><span
                    >${descriptions[scope]}</span
                  ></label
                >`,
            )}`,
    )}
  </fieldset>`;
}

function keyChoice(keys: readonly ReplaceableKey[], view: ConsentView, texts: OauthTexts): Html {
  const dates = new Intl.DateTimeFormat(view.language, { dateStyle: 'medium', timeZone: 'America/Fortaleza' });
  return html`<fieldset>
    <legend>${texts.replaceTitle}</legend>
    <p class="quiet">${texts.replaceText(keys.length)}</p>
    ${errorOf('replacement', view, texts)}
    ${keys.map(
      ({ id, name, last4, createdAt, lastUsedAt }) =>
        html`<label class="choice"
          ><input type="radio" name="replaces" value="${id}" required /><span
            >${name} ${last4 === null ? undefined : html`<code>…${last4}</code>`}
            <small
              >${texts.created(dates.format(createdAt))} ·
              ${lastUsedAt === null ? texts.neverUsed : texts.lastUsed(dates.format(lastUsedAt))}</small
            ></span
          ></label
        >`,
    )}
  </fieldset>`;
}
