import { LitElement, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { User } from '../../api/records.js';
import { Action } from '../../components/action.js';
import { problemLine } from '../../components/describe-error.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { profileTexts } from './texts/texts.js';

/** Each language in its own words. */
const LANGUAGES: Readonly<Record<User['language'], string>> = {
  'en-us': 'English',
  'pt-br': 'Português (Brasil)',
  'es-es': 'Español',
};
const TAGS: Readonly<Record<User['language'], string>> = { 'en-us': 'en', 'pt-br': 'pt-BR', 'es-es': 'es' };

/** Name, language and the choice whether others may invite the user. */
class PersonForm extends LitElement {
  static override styles = [base, panelStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @query('form') private readonly form!: HTMLFormElement;
  readonly #action = new Action(this);

  #save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { context } = this;
    const fields = new FormData(this.form);
    const body = {
      name: String(fields.get('name')),
      language: String(fields.get('language')),
      workspace_invites_enabled: fields.has('invites'),
    };
    const isSaved = await this.#action.run((signal) => context.account.patch('/v1/users/me', { signal, body }));
    if (!isSaved) return;
    // The page has the texts of one language, and the service states it in the page.
    if (body.language !== context.user.language) return location.reload();
    showToast({ text: profileTexts.person.saved });
    // If this fails, the old name stays until the next load.
    await context.refreshProfile().catch(() => {});
  };

  override render() {
    const { person, problems } = profileTexts;
    const { name, email, language, workspace_invites_enabled: invites } = this.context.user;
    const { isRunning, error } = this.#action;
    return html`<section class="panel" aria-labelledby="person">
      <h2 id="person">${person.title}</h2>
      <form @submit=${this.#save}>
        <div class="field">
          <label for="name">${person.name}</label>
          <input id="name" name="name" required maxlength="100" autocomplete="name" .value=${name} />
        </div>
        <div class="field">
          <label for="email">${person.email}</label>
          <input id="email" type="email" readonly aria-describedby="email-hint" .value=${email} />
          <p class="hint" id="email-hint">${person.emailHint}</p>
        </div>
        <div class="field">
          <label for="language">${person.language}</label>
          <select id="language" name="language">
            ${Object.entries(LANGUAGES).map(
              ([code, label]) =>
                html`<option value=${code} lang=${TAGS[code as User['language']]} ?selected=${code === language}>
                  ${label}
                </option>`,
            )}
          </select>
        </div>
        <label class="choice">
          <input type="checkbox" name="invites" .checked=${invites} />
          <span
            >${person.invites}<span class="hint"><br />${person.invitesHint}</span></span
          >
        </label>
        ${error === undefined ? nothing : html`<p class="error" role="alert">${problemLine(error, problems)}</p>`}
        <button class="primary" ?disabled=${isRunning}>${person.save}</button>
      </form>
    </section>`;
  }
}
customElements.define('person-form', PersonForm);
