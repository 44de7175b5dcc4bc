import { html } from 'lit';
import '../../components/copy-button.js';
import { openFormDialog } from '../../components/form-dialog.js';
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
  const created = await openFormDialog<CreatedInvite>({
    heading: invites.create,
    fields: (update) => {
      const choose = (value: boolean) => () => {
        isLink = value;
        update();
      };
      return html`<fieldset class="choices">
          <legend>${invites.for}</legend>
          <label class="choice"
            ><input
              type="radio"
              name="kind"
              value="email"
              ?checked=${!isLink}
              @change=${choose(false)}
            />${invites.onePerson}</label
          >
          <label class="choice"
            ><input
              type="radio"
              name="kind"
              value="link"
              ?checked=${isLink}
              @change=${choose(true)}
            />${invites.severalPeople}</label
          >
        </fieldset>
        ${isLink ? usesField() : emailField()}
        ${roleField({ details: view.details, mayGrant: (role) => view.mayGrant(role.permissions) })}
        <div class="field">
          <label for="field-days">${invites.days}</label>
          <input id="field-days" name="days" type="number" required min="1" max="30" .defaultValue=${'7'} />
        </div>`;
    },
    submit: invites.submit,
    save: (form, signal) => {
      const email = String(form.get('email') ?? '').trim();
      const body = {
        role_id: form.get('role_id'),
        expires_in_days: Number(form.get('days')),
        ...(isLink ? { max_uses: Number(form.get('uses')) } : { email }),
      };
      return view.context.account.post<CreatedInvite>(view.path('/invites'), { signal, body });
    },
    problems,
  });
  if (!created) return false;
  await showLink(created);
  return true;
}

const emailField = () =>
  html`<div class="field">
    <label for="field-email">${workspacesTexts.invites.email}</label>
    <input id="field-email" name="email" type="email" required maxlength="254" autocomplete="off" />
  </div>`;

const usesField = () =>
  html`<div class="field">
    <label for="field-uses">${workspacesTexts.invites.maxUses}</label>
    <input id="field-uses" name="uses" type="number" required min="1" max="100" .defaultValue=${'10'} />
  </div>`;

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
