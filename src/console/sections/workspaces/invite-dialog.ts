import { html } from 'lit';
import '../../components/copy-button.js';
import { choice, numberOf, openForm, textField, textOf } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { openDialog } from '../../components/open-dialog.js';
import { formatTime } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { roleField } from './fields.js';
import type { Invite } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

type CreatedInvite = Invite & { url: string };

/** Creates an invite for an address or a link for several people, then shows its link. @returns whether one was created */
export async function inviteDialog(view: WorkspaceView): Promise<boolean> {
  const { invites, problems } = workspacesTexts;
  let isLink = false;
  const created = await openForm<CreatedInvite>(invites.create, {
    fields: (form) => {
      const kind = (value: 'email' | 'link', label: string) =>
        choice({
          name: 'kind',
          type: 'radio',
          value,
          label,
          isChecked: isLink === (value === 'link'),
          changed: () => {
            isLink = value === 'link';
            form.update();
          },
        });
      return html`<fieldset>
          <legend>${invites.for}</legend>
          ${kind('email', invites.onePerson)} ${kind('link', invites.severalPeople)}
        </fieldset>
        ${isLink ? usesField(form) : emailField(form)} ${roleField(form, view)}
        ${textField(form, {
          name: 'expires_in_days',
          label: invites.days,
          type: 'number',
          value: '7',
          isRequired: true,
          min: 1,
          max: 30,
        })}`;
    },
    submit: invites.submit,
    send: (data, signal) => {
      const body = {
        role_id: data.get('role_id'),
        expires_in_days: numberOf(data, 'expires_in_days'),
        ...(isLink ? { max_uses: numberOf(data, 'max_uses') } : { email: textOf(data, 'email') }),
      };
      return view.context.account.post<CreatedInvite>(view.path('/invites'), { signal, body });
    },
    problems,
  });
  if (!created) return false;
  await showLink(created);
  return true;
}

const emailField = (form: FormState) =>
  textField(form, { name: 'email', label: workspacesTexts.invites.email, type: 'email', isRequired: true, maxLength: 254 });

const usesField = (form: FormState) =>
  textField(form, {
    name: 'max_uses',
    label: workspacesTexts.invites.maxUses,
    type: 'number',
    value: '10',
    isRequired: true,
    min: 1,
    max: 100,
  });

/** The link is shown once, because the service stores only its hash. */
const showLink = ({ url, email, expires_at }: CreatedInvite): Promise<unknown> => {
  const { created } = workspacesTexts.invites;
  return openDialog(created.title, (dialog) => {
    return html`<p>${email === null ? created.textLink : created.textEmail(email)}</p>
      <div class="field">
        <label for="field-url">${created.link}</label>
        <input id="field-url" readonly .value=${url} @focus=${(event: Event) => (event.target as HTMLInputElement).select()} />
        <p class="hint">${created.once} ${created.until(formatTime(expires_at))}</p>
      </div>
      <copy-button slot="actions" .value=${url}></copy-button>
      <button slot="actions" class="primary" @click=${() => dialog.close()}>${texts.close}</button>`;
  });
};
