import { LitElement, css, html } from 'lit';
import { property } from 'lit/decorators.js';
import { panelStyles } from '../../components/panel.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import './password-form.js';
import './person-form.js';
import './session-list.js';
import { profileTexts } from './texts/texts.js';

/** The section Profile: name and language, password, sessions. */
class ProfileSection extends LitElement {
  static override styles = [
    base,
    panelStyles,
    css`
      :host {
        max-inline-size: 48rem;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;

  override render() {
    const { context } = this;
    return html`<h1>${profileTexts.title}</h1>
      <person-form .context=${context}></person-form>
      <password-form .context=${context}></password-form>
      <session-list .context=${context}></session-list>`;
  }
}
customElements.define('profile-section', ProfileSection);
