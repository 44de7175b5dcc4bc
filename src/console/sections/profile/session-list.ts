import { LitElement, css, html, nothing } from 'lit';
import { property, state } from 'lit/decorators.js';
import { Resource } from '../../api/resource.js';
import { Action } from '../../components/action.js';
import { errorLine } from '../../components/describe-error.js';
import { icon } from '../../components/icon.js';
import { KeepFocus } from '../../components/keep-focus.js';
import { errorState, noticeStyles } from '../../components/notice.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { formatTime } from '../../texts/format.js';
import { deviceOf } from './device.js';
import { profileTexts } from './texts/texts.js';

const PATH = '/v1/users/me/sessions';

interface Session {
  id: string;
  current: boolean;
  ip: string;
  user_agent: string;
  last_used_at: string;
}

/** The devices on which the user is signed in. */
class SessionList extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    skeletonStyles,
    panelStyles,
    css`
      ul {
        display: grid;
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        min-block-size: 4rem;
        padding-block: 0.625rem;
        border-block-start: 1px solid var(--line);
      }
      li > div {
        display: grid;
        flex: 1;
        gap: 0.125rem;
        min-inline-size: 0;
      }
      li > svg {
        color: var(--muted);
      }
      .name {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 0.5rem;
        font-weight: 500;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  protected readonly keepFocus = new KeepFocus(this, () => this.renderRoot.querySelector('h2'));
  @state() private ending: string | undefined;
  readonly #action = new Action(this);
  readonly #sessions = new Resource(
    (signal) => this.context.account.get<Session[]>(PATH, { signal }),
    () => this.requestUpdate(),
  );

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('sessions-ended', this.#sessions.load);
    void this.updateComplete.then(this.#sessions.load);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('sessions-ended', this.#sessions.load);
    this.#sessions.stop();
  }

  async #end(path: string, done: string): Promise<void> {
    const { account } = this.context;
    const isDone = await this.#action.run((signal) => account.delete(path, { signal }));
    this.ending = undefined;
    showToast(isDone ? { text: done } : { kind: 'problem', text: errorLine(this.#action.error) });
    await this.#sessions.load();
  }

  #endOthers = async (): Promise<void> => {
    const { endOthers, endOthersText, othersEnded } = profileTexts.sessions;
    const isSure = await confirmDialog({ heading: endOthers, text: endOthersText, confirm: endOthers, isDangerous: true });
    if (isSure) await this.#end(PATH, othersEnded);
  };

  #endOne = async ({ id }: Session): Promise<void> => {
    this.ending = id;
    await this.#end(`${PATH}/${id}`, profileTexts.sessions.ended);
  };

  override render() {
    const { sessions } = profileTexts;
    const { value, error } = this.#sessions;
    const hasOthers = value?.some(({ current }) => !current) ?? false;
    return html`<section class="panel" aria-labelledby="sessions">
      <div class="bar">
        <h2 id="sessions" tabindex="-1">${sessions.title}</h2>
        ${
          hasOthers
            ? html`<button ?disabled=${this.#action.isRunning} @click=${this.#endOthers}>${sessions.endOthers}</button>`
            : nothing
        }
      </div>
      <p class="muted">${value && !hasOthers ? sessions.onlyThis : sessions.hint}</p>
      ${error === undefined ? this.#list(value) : errorState(error, this.#sessions.load)}
    </section>`;
  }

  #list(value: readonly Session[] | undefined) {
    if (!value)
      return html`<ul aria-busy="true">
        <li>
          <div aria-hidden="true">${skeleton()}${skeleton()}</div>
        </li>
      </ul>`;
    return html`<ul>
      ${value.map((session) => this.#item(session))}
    </ul>`;
  }

  #item(session: Session) {
    const { sessions } = profileTexts;
    const device = deviceOf(session.user_agent);
    return html`<li>
      ${icon('globe')}
      <div>
        <span class="name">
          <bdi title=${session.user_agent}>${device}</bdi>
          ${session.current ? html`<span class="badge good">${sessions.current}</span>` : nothing}
        </span>
        <span class="hint">${sessions.from(session.ip)} · ${sessions.lastUsed(formatTime(session.last_used_at))}</span>
      </div>
      ${
        session.current
          ? nothing
          : html`<button
              aria-label=${sessions.endOf(device)}
              ?disabled=${this.ending === session.id}
              @click=${() => this.#endOne(session)}
            >
              ${sessions.end}
            </button>`
      }
    </li>`;
  }
}
customElements.define('session-list', SessionList);
