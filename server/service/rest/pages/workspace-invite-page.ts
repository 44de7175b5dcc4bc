import type { FastifyReply } from 'fastify';
import type { Language } from '../../identity/users/user-fields.js';
import type { ReceivedInvite } from '../../identity/workspaces/invite-links.js';
import { form, hiddenField, sendFormPage } from './form-page.js';
import { html } from './html.js';
import type { Html } from './html.js';
import { PERMISSION_TEXTS } from './permission-texts.js';
import { WORKSPACE_INVITE_TEXTS } from './workspace-invite-texts.js';
import type { WorkspaceInviteTexts } from './workspace-invite-texts.js';

/** The field with the id of the user who saw the page. */
export const READER_FIELD = 'user';

/** The signed-in user who reads a page. */
interface Reader {
  id: string;
  language: Language;
  name: string;
  email: string;
}

/** Removes characters that reverse the order of text, so that the name of a workspace cannot change the words around it. */
const withoutBidi = (name: string): string => name.replace(/\p{Bidi_Control}/gu, '');

const withNext = (path: string, next: string): string => `${path}?next=${encodeURIComponent(next)}`;

/** A form that signs out and returns to the page with another account. */
const otherAccountForm = ({ otherAccount }: WorkspaceInviteTexts, next: string, kind: 'secondary' | 'plain'): Html =>
  form('/sign-out', [hiddenField('next', next)], otherAccount, kind);

/** Renders the page of a valid invite for people who are not signed in. It reveals nothing about the workspace. @param path its own address */
export function signedOutInvitePage(reply: FastifyReply, language: Language, path: string, signIn: string): FastifyReply {
  const texts = WORKSPACE_INVITE_TEXTS[language];
  return sendFormPage(reply, {
    language,
    title: texts.signedOut,
    intro: texts.signedOutIntro,
    body: html`<a class="button" href="${withNext('/sign-in', path)}">${signIn}</a>
      <p class="more">${texts.noAccount} <a href="${withNext('/invitation', path)}">${texts.createAccount}</a>.</p>`,
  });
}

/** Renders the page on which a signed-in user accepts or declines an invite. */
export function invitePage(
  reply: FastifyReply,
  view: { reader: Reader; invite: ReceivedInvite; path: string; problem?: string; status?: number },
): FastifyReply {
  const { reader, invite, path, problem, status } = view;
  const texts = WORKSPACE_INVITE_TEXTS[reader.language];
  const { permissions } = invite.role;
  const dates = new Intl.DateTimeFormat(reader.language, { dateStyle: 'long', timeZone: 'America/Fortaleza' });
  return sendFormPage(reply, {
    language: reader.language,
    title: texts.title(withoutBidi(invite.workspace.name)),
    intro: texts.intro,
    problem,
    status,
    body: html`<dl>
        <dt>${texts.invitedBy}</dt>
        <dd><bdi>${invite.invited_by}</bdi></dd>
        <dt>${texts.role}</dt>
        <dd>
          <bdi>${invite.role.name}</bdi>
          <details>
            <summary>${texts.permissions(permissions.length)}</summary>
            <ul>
              ${permissions.map((permission) => html`<li>${PERMISSION_TEXTS[reader.language][permission]}</li>`)}
            </ul>
          </details>
        </dd>
        <dt>${texts.signedInAs}</dt>
        <dd>${reader.email}</dd>
        <dt>${texts.validUntil}</dt>
        <dd>${dates.format(new Date(invite.expires_at))}</dd>
      </dl>
      <form method="post" action="${path}">
        ${hiddenField(READER_FIELD, reader.id)}
        <div class="buttons">
          <button class="secondary" name="decision" value="decline">${texts.decline}</button>
          <button name="decision" value="accept">${texts.accept}</button>
        </div>
      </form>
      ${otherAccountForm(texts, path, 'plain')}`,
  });
}

/**
 * Renders the page of an invite that has ended for people who are not signed in. It is the same for used and unknown invites, and leads a member
 * who accepted it to the workspace.
 * @param path its own address
 */
export function endedInvitePage(reply: FastifyReply, language: Language, path: string, signIn: string): FastifyReply {
  const texts = WORKSPACE_INVITE_TEXTS[language];
  return sendFormPage(reply, {
    language,
    title: texts.ended,
    intro: texts.endedIntro,
    status: 404,
    body: html`<a class="button" href="${withNext('/sign-in', path)}">${signIn}</a>`,
  });
}

/** Renders the page of an invite that has ended, or that is for another user, for a signed-in user. */
export function invalidInvitePage(reply: FastifyReply, reader: Reader, path: string): FastifyReply {
  const texts = WORKSPACE_INVITE_TEXTS[reader.language];
  return sendFormPage(reply, {
    language: reader.language,
    title: texts.invalid,
    intro: texts.invalidIntro,
    status: 404,
    body: html`<dl>
        <dt>${texts.signedInAs}</dt>
        <dd>${reader.email}</dd>
      </dl>
      ${otherAccountForm(texts, path, 'secondary')}`,
  });
}

/**
 * Renders the page after an invite was accepted, and of an invite for a member.
 * @param workspace `role` is undefined for the owner, who has none. `path` is its address in the console
 */
export function joinedPage(
  reply: FastifyReply,
  language: Language,
  { name, role, path }: { name: string; role: string | undefined; path: string },
): FastifyReply {
  const texts = WORKSPACE_INVITE_TEXTS[language];
  return sendFormPage(reply, {
    language,
    title: texts.joined(withoutBidi(name)),
    intro: texts.joinedIntro,
    body: html`${
        role === undefined
          ? []
          : html`<dl>
              <dt>${texts.role}</dt>
              <dd><bdi>${role}</bdi></dd>
            </dl>`
      } <a class="button" href="${path}">${texts.openWorkspace}</a>`,
  });
}

/** Renders the page after an invite was declined. */
export function declinedPage(reply: FastifyReply, language: Language): FastifyReply {
  const texts = WORKSPACE_INVITE_TEXTS[language];
  return sendFormPage(reply, { language, title: texts.declined, intro: texts.declinedIntro, body: [] });
}
