import { LitElement, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { Action } from '../../components/action.js';
import { problemLine } from '../../components/describe-error.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { profileTexts } from './texts/texts.js';

/** Changes the password. Fires `sessions-ended` on the window if the other sessions ended with it. */
class PasswordForm extends LitElement {
  static override styles = [base, panelStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @state() private isShown = false;
  @query('form') private readonly form!: HTMLFormElement;
  readonly #action = new Action(this);

  #save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const fields = new FormData(this.form);
    const body = {
      current_password: String(fields.get('current')),
      password: String(fields.get('next')),
      end_other_sessions: fields.has('others'),
    };
    if (!(await this.#action.run((signal) => this.context.account.post('/v1/users/me/password', { signal, body })))) return;
    this.form.reset();
    this.isShown = false;
    showToast({ text: profileTexts.password.saved });
    if (body.end_other_sessions) this.dispatchEvent(new Event('sessions-ended', { bubbles: true, composed: true }));
  };

  override render() {
    const { password, problems } = profileTexts;
    const { isRunning, error } = this.#action;
    const type = this.isShown ? 'text' : 'password';
    return html`<section class="panel" aria-labelledby="password">
      <h2 id="password">${password.title}</h2>
      <p class="muted">${password.hint}</p>
      <form @submit=${this.#save}>
        <input hidden autocomplete="username" .value=${this.context.user.email} />
        <div class="field">
          <label for="current">${password.current}</label>
          <input id="current" name="current" type=${type} required maxlength="256" autocomplete="current-password" />
        </div>
        <div class="field">
          <label for="next">${password.next}</label>
          <input
            id="next"
            name="next"
            type=${type}
            required
            minlength="8"
            maxlength="256"
            autocomplete="new-password"
            aria-describedby="rules"
          />
          <p class="hint" id="rules">${password.rules}</p>
        </div>
        <label class="choice">
          <input
            type="checkbox"
            .checked=${this.isShown}
            @change=${(event: Event) => (this.isShown = (event.target as HTMLInputElement).checked)}
          />${password.show}
        </label>
        <label class="choice"><input type="checkbox" name="others" checked />${password.endOthers}</label>
        ${error === undefined ? nothing : html`<p class="error" role="alert">${problemLine(error, problems)}</p>`}
        <button class="primary" ?disabled=${isRunning}>${password.save}</button>
      </form>
    </section>`;
  }
}
customElements.define('password-form', PasswordForm);
