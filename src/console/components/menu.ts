import { LitElement, css, html, nothing } from 'lit';
import { property } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { deepActiveElement } from './dialog.js';
import { icon } from './icon.js';
import type { IconName } from './icon.js';

export interface MenuItem {
  label: string;
  icon?: IconName;
  run?(): void;
  /** A link instead of an action. */
  href?: string;
  /** Reason for which the action is not possible now. The item stays visible and explains it. */
  disabledReason?: string | undefined;
  isDangerous?: boolean;
  /** Whether the item is the chosen one of a group. */
  isChecked?: boolean;
  /** A line above the item. */
  startsGroup?: boolean;
  /** A title above the item. */
  groupTitle?: string;
}

class ConsoleMenu extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        inset: auto;
        margin: 0;
        padding: 0.3125rem;
        min-inline-size: 12rem;
        max-inline-size: min(20rem, calc(100vw - 1rem));
        max-block-size: calc(100dvh - 1rem);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
        color: var(--text);
        box-shadow: var(--shadow);
        font: 0.875rem/1.5 var(--font);
      }
      button,
      .button {
        display: flex;
        inline-size: 100%;
        justify-content: start;
        gap: 0.625rem;
        min-block-size: 2.125rem;
        padding-inline: 0.5rem;
        border-color: transparent;
        background: none;
        font-weight: 400;
        text-align: start;
        white-space: normal;
      }
      button:focus-visible,
      .button:focus-visible {
        outline-offset: -2px;
      }
      .dangerous {
        color: var(--danger);
      }
      small {
        display: block;
        color: var(--muted);
        font-size: 0.75rem;
      }
      hr {
        margin: 0.3125rem 0;
        border: 0;
        border-block-start: 1px solid var(--line);
      }
      .label {
        flex: 1;
      }
      .title {
        padding: 0.25rem 0.5rem;
        color: var(--muted);
        font-size: 0.8125rem;
      }
      .reason {
        display: flex;
        gap: 0.625rem;
        max-inline-size: 18rem;
        padding: 0.25rem 0.5rem 0.375rem;
        color: var(--muted);
        font-size: 0.8125rem;
      }
      @media (pointer: coarse) {
        button,
        .button {
          min-block-size: 2.75rem;
        }
      }
    `,
  ];

  @property({ attribute: false }) items: readonly MenuItem[] = [];
  opener: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('popstate', this.#onHistoryChange);
    this.popover = 'auto';
    this.setAttribute('role', 'menu');
    this.addEventListener('keydown', this.#onKeyDown);
    this.addEventListener('toggle', (event) => {
      if ((event as ToggleEvent).newState === 'closed') this.#onClose();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('popstate', this.#onHistoryChange);
  }

  #onHistoryChange = (): void => {
    this.opener = null;
    this.hidePopover();
  };

  /** Opens the menu below an element, or at a point. It moves into the window where it would leave it. */
  async open(anchor: Element | { x: number; y: number }): Promise<void> {
    await this.updateComplete;
    this.showPopover();
    const gap = 4;
    const target = anchor instanceof Element ? anchor.getBoundingClientRect() : undefined;
    const point = anchor instanceof Element ? { x: 0, y: 0 } : anchor;
    const { width, height } = this.getBoundingClientRect();
    const isRightToLeft = getComputedStyle(this).direction === 'rtl';
    const start = target ? (isRightToLeft ? target.right - width : target.left) : point.x;
    const end = target ? (isRightToLeft ? target.left : target.right - width) : point.x - width;
    const below = target ? target.bottom + gap : point.y;
    const above = target ? target.top - gap - height : point.y - height;
    const left = start + width > innerWidth - gap || start < gap ? end : start;
    const top = below + height > innerHeight - gap && above >= gap ? above : below;
    this.style.left = `${Math.min(Math.max(left, gap), Math.max(gap, innerWidth - width - gap))}px`;
    this.style.top = `${Math.min(Math.max(top, gap), Math.max(gap, innerHeight - height - gap))}px`;
    this.#entries()[0]?.focus();
  }

  #entries = (): HTMLElement[] => [...this.renderRoot.querySelectorAll<HTMLElement>('[role^=menuitem]')];

  #onKeyDown = (event: KeyboardEvent): void => {
    const entries = this.#entries();
    const current = entries.indexOf(this.shadowRoot!.activeElement as HTMLElement);
    const next: Record<string, number> = {
      ArrowDown: (current + 1) % entries.length,
      ArrowUp: (current - 1 + entries.length) % entries.length,
      Home: 0,
      End: entries.length - 1,
    };
    event.stopPropagation();
    if (event.key === 'Tab') this.hidePopover();
    const index = next[event.key] ?? this.#indexOfLetter(event, entries, current);
    if (index === undefined) return;
    event.preventDefault();
    entries[index]?.focus();
  };

  /** Finds the next entry that begins with a typed letter. */
  #indexOfLetter({ key, ctrlKey, metaKey }: KeyboardEvent, entries: HTMLElement[], current: number): number | undefined {
    if (key.length !== 1 || key === ' ' || ctrlKey || metaKey) return undefined;
    const order = [...entries.keys()].map((_, index) => (current + 1 + index) % entries.length);
    return order.find((index) => entries[index]!.textContent!.trim().toLowerCase().startsWith(key.toLowerCase()));
  }

  #onClose(): void {
    const hadFocus = this.contains(document.activeElement) || document.activeElement === document.body;
    if (hadFocus && this.opener instanceof HTMLElement) this.opener.focus();
    this.opener?.setAttribute('aria-expanded', 'false');
    this.remove();
  }

  #choose(item: MenuItem): void {
    if (item.disabledReason !== undefined) return;
    this.hidePopover();
    item.run?.();
  }

  override render() {
    const reasons = this.items.flatMap(({ disabledReason }) => disabledReason ?? []);
    const common = reasons.find((reason, index) => reasons.indexOf(reason) !== index);
    return html`${this.#renderItems(common)}
    ${
      common === undefined
        ? nothing
        : html`<hr role="separator" />
            <p class="reason" aria-hidden="true">${icon('lock')}<span>${common}</span></p>`
    }`;
  }

  /** @param common a reason that the end of the menu shows once. Screen readers read it at each item */
  #renderItems(common: string | undefined) {
    return this.items.map((item) => {
      const reason = item.disabledReason;
      const content = html`${item.icon ? icon(item.icon) : nothing}
        <span class="label"
          >${item.label}${reason ? html` <small class=${reason === common ? 'visually-hidden' : ''}>${reason}</small>` : nothing}</span
        >
        ${item.isChecked ? icon('check') : nothing}`;
      const role = item.isChecked === undefined ? 'menuitem' : 'menuitemradio';
      return html`${item.startsGroup ? html`<hr role="separator" />` : nothing}
      ${item.groupTitle === undefined ? nothing : html`<p class="title" aria-hidden="true">${item.groupTitle}</p>`}
      ${
        item.href === undefined
          ? html`<button
              role=${role}
              aria-checked=${item.isChecked ?? nothing}
              tabindex="-1"
              class=${item.isDangerous ? 'dangerous' : ''}
              aria-disabled=${item.disabledReason === undefined ? nothing : 'true'}
              @click=${() => this.#choose(item)}
            >
              ${content}
            </button>`
          : html`<a class="button" role="menuitem" tabindex="-1" href=${item.href} @click=${() => this.hidePopover()}
              >${content}</a
            >`
      }`;
    });
  }
}
customElements.define('console-menu', ConsoleMenu);

/** Opens a menu. @param anchor the button that opens it, or the point of a right click */
export function openMenu(anchor: Element | { x: number; y: number }, label: string, items: readonly MenuItem[]): void {
  const menu = new ConsoleMenu();
  menu.items = items;
  menu.ariaLabel = label;
  menu.opener = anchor instanceof Element ? anchor : deepActiveElement();
  if (anchor instanceof Element) anchor.setAttribute('aria-expanded', 'true');
  document.body.append(menu);
  void menu.open(anchor);
}
