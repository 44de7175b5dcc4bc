import type { FastifyReply } from 'fastify';
import { PASSWORD_LENGTH } from '../../identity/users/passwords.js';
import { MAX_EMAIL, MAX_NAME } from '../../identity/users/user-fields.js';
import type { Language } from '../../identity/users/user-fields.js';
import type { FormProblem } from './form-problems.js';
import { form, formField, hiddenField, SEND_ONCE, sendFormPage } from './form-page.js';
import { html, inlineElement } from './html.js';
import type { Html } from './html.js';
import { textsIn } from './texts.js';

/** Fields that a page shows again after a problem. The password is not among them. */
export interface SentForm {
  language: Language;
  problem?: FormProblem | undefined;
  email?: string;
  name?: string;
  code?: string;
  /** The path where the person continues. */
  next?: string | undefined;
}

/**
 * Sends the form once. Copies the code of a one-time link from the address into its field, and removes it from the address. Without scripts, people
 * copy it. A link that is opened while the page is open already changes only the part after #.
 */
const LINK_SCRIPT = inlineElement(
  'script',
  SEND_ONCE +
    "const copy=()=>{const field=document.getElementById('code'),code=location.hash.slice(1);if(field&&code){field.value=code;field.removeAttribute('autofocus');document.documentElement.classList.add('linked');history.replaceState(null,'',location.pathname);document.querySelector('.field:not(.code) input').focus()}};copy();addEventListener('hashchange',copy)",
);

/** Renders the page for the first administrator. */
export const setupPage = (reply: FastifyReply, sent: SentForm): FastifyReply => oneTimeLinkPage(reply, 'setup', sent);

/** Renders the page for an invited user. */
export const invitationPage = (reply: FastifyReply, sent: SentForm): FastifyReply => oneTimeLinkPage(reply, 'invitation', sent);

function oneTimeLinkPage(reply: FastifyReply, kind: 'setup' | 'invitation', sent: SentForm): FastifyReply {
  const { language, problem, email, name, code = '', next } = sent;
  const texts = textsIn(language);
  const errorOf = (field: FormProblem['field']) => (problem?.field === field ? problem?.text : undefined);
  const focused = problem?.field ?? (code === '' ? 'code' : 'name');
  const isCodeKnown = code !== '' && problem?.field !== 'code';
  const fields: Html[] = [
    isCodeKnown
      ? hiddenField('code', code)
      : formField({
          name: 'code',
          label: texts.code,
          autocomplete: 'off',
          value: code,
          hint: texts.codeHint,
          error: errorOf('code'),
          hasFocus: focused === 'code',
          maxLength: 1024,
          className: 'code',
        }),
    formField({
      name: 'name',
      label: texts.name,
      autocomplete: 'name',
      value: name,
      error: errorOf('name'),
      maxLength: MAX_NAME,
      hasFocus: focused === 'name',
    }),
    ...(kind === 'setup' ? [emailField(texts.email, email, errorOf('email'), focused === 'email')] : []),
    formField({
      name: 'password',
      label: texts.password,
      type: 'password',
      autocomplete: 'new-password',
      // The error states what the hint would.
      ...(errorOf('password') === undefined && { hint: texts.passwordHint }),
      error: errorOf('password'),
      minLength: PASSWORD_LENGTH.min,
      maxLength: PASSWORD_LENGTH.max,
      hasFocus: focused === 'password',
    }),
    ...(next === undefined ? [] : [hiddenField('next', next)]),
  ];
  return sendFormPage(reply, {
    language,
    title: kind === 'setup' ? texts.setup : texts.invitation,
    intro: kind === 'setup' ? texts.setupIntro : texts.invitationIntro,
    problem: problem?.field === undefined || (kind === 'invitation' && problem.field === 'email') ? problem?.text : undefined,
    body: form(`/${kind}`, fields, texts.createAccount),
    status: problem?.status,
    script: LINK_SCRIPT,
    formTargets: targetsBefore(next),
  });
}

const emailField = (label: string, value: string | undefined, error: string | undefined, hasFocus: boolean): Html =>
  formField({ name: 'email', label, type: 'email', autocomplete: 'username', value, error, hasFocus, maxLength: MAX_EMAIL });

/** The next page may redirect to the program that asked for access. */
const targetsBefore = (next: string | undefined): 'self' | 'any' => (next === undefined ? 'self' : 'any');

/** Renders the page for the sign-in. @param options.isRefused whether the connection is not safe for a password */
export function signInPage(
  reply: FastifyReply,
  { language, problem, email, next, isRefused = false }: SentForm & { isRefused?: boolean },
): FastifyReply {
  const texts = textsIn(language);
  const hasFailed = problem?.field === 'password';
  const body = html`${form(
      '/sign-in',
      [
        emailField(texts.email, email, undefined, !hasFailed),
        formField({
          name: 'password',
          label: texts.password,
          type: 'password',
          autocomplete: 'current-password',
          error: hasFailed ? problem?.text : undefined,
          maxLength: PASSWORD_LENGTH.max,
          hasFocus: hasFailed,
        }),
        ...(next === undefined ? [] : [hiddenField('next', next)]),
      ],
      texts.signIn,
    )}
    <p class="more">${texts.forgotPassword}</p>`;
  return sendFormPage(reply, {
    language,
    title: texts.signIn,
    intro: isRefused ? undefined : texts.signInIntro,
    problem: hasFailed ? undefined : problem?.text,
    body: isRefused ? [] : body,
    status: problem?.status,
    formTargets: targetsBefore(next),
  });
}

/** Renders the page for people who are signed in. */
export function signedInPage(
  reply: FastifyReply,
  { language, user, next }: { language: Language; user: { name: string; email: string }; next?: string | undefined },
): FastifyReply {
  const texts = textsIn(language);
  return sendFormPage(reply, {
    language,
    title: texts.signedIn,
    // Names may contain characters that reverse the text after them.
    body: html`<p class="intro"><bdi>${user.name}</bdi><br /><bdi>${user.email}</bdi></p>
      <a class="button" href="${next ?? '/console'}">${next === undefined ? texts.openConsole : texts.continueTo}</a>
      ${form('/sign-out', next === undefined ? [] : [hiddenField('next', next)], texts.signOut, 'secondary')}`,
  });
}
