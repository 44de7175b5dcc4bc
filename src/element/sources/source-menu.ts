import { html, nothing } from 'lit';
import type { ReactiveController, TemplateResult } from 'lit';
import { loadChunk } from '../../queue/load-chunk.js';
import type { Settings } from '../settings/read-settings.js';
import { linkDialogStyles } from '../styles/link-dialog.js';
import { sourceDialogStyles } from '../styles/source-dialog.js';
import { sourceMenuStyles } from '../styles/sources.js';
import { renderMessageLine } from '../view/message-line.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import { linkErrors } from '../locales/error-messages.js';
import { enUsSources } from '../locales/en-us-sources.js';
import { addEnglishTexts } from '../locales/load-localizer.js';
import { placeMenu } from './menu-position.js';
import { findLinkError } from './link-errors.js';
import { hasCameraProgram, offeredChoices } from './offered-choices.js';
import type { Choice } from './offered-choices.js';
import { readSources } from './read-sources.js';
import type { SourceDialog } from './source-dialog.js';
import type { SourceHost } from './source-host.js';
import { choiceIcons } from './source-icons.js';

type DialogClass = new (host: SourceHost, onClose: () => void) => SourceDialog;

/** The button that chooses files. */
export interface SourceButton {
  /** Its text; '' for the text of the element. */
  text: string;
  isMenu: boolean;
  isExpanded: boolean;
}

/** The dialogs, each in a chunk that loads when the menu opens. */
const DIALOGS: Readonly<Partial<Record<Choice, () => Promise<DialogClass>>>> = {
  photo: () => loadChunk('PhotoDialog', () => import('./photo-dialog.js')),
  video: () => loadChunk('VideoDialog', () => import('./video-dialog.js')),
  screen: () => loadChunk('ScreenDialog', () => import('./screen-dialog.js')),
  sound: () => loadChunk('SoundDialog', () => import('./sound-dialog.js')),
  link: () => loadChunk('LinkDialog', () => import('./link-dialog.js')),
};

/** Offers the sources of the attribute `sources` in a menu, and shows their dialogs. Pages with the attribute load it. */
export class SourceMenu implements ReactiveController {
  /** The element adds these styles to its own. */
  readonly styles = [sourceMenuStyles, sourceDialogStyles, linkDialogStyles];
  #dialog: SourceDialog | undefined;
  #isMenuOpen = false;
  /** The menu was open when the pointer was pressed. The browser then closes it, and the click must not open it again. */
  #wasOpenOnPress = false;
  #hasLoadFailed = false;

  constructor(private readonly host: SourceHost) {
    addFileTexts();
    addEnglishTexts(enUsSources);
    linkErrors.find = findLinkError;
    host.addController(this);
    host.addEventListener('pointerdown', () => (this.#wasOpenOnPress = this.#isMenuShown));
  }

  /** Adds an invalid value of the attribute to the problems of the other settings. */
  apply(settings: Settings): Settings {
    const { problem } = readSources(this.host.sources);
    return problem ? { ...settings, problems: [...settings.problems, problem] } : settings;
  }

  /** The button that chooses files; undefined if it only opens the picker. */
  get button(): SourceButton | undefined {
    const { choices } = this;
    const [only] = choices;
    if (only === undefined || (choices.length === 1 && only === 'device')) return undefined;
    const isMenu = choices.length > 1;
    return { text: isMenu ? '' : this.host.localizer.text(only), isMenu, isExpanded: this.#isMenuOpen };
  }

  /** The sources that are offered now. */
  get choices(): readonly Choice[] {
    return 'popover' in HTMLElement.prototype ? offeredChoices(this.host) : [];
  }

  /** The person pressed the button, or clicked the drop zone. @returns false if the picker shall open */
  activate(): boolean {
    const { choices } = this;
    const [only] = choices;
    if (only === undefined) return false;
    if (choices.length > 1) this.#toggleMenu();
    else this.#choose(only);
    return true;
  }

  hostUpdate(): void {
    const { host } = this;
    const isUsable = host.canAddFiles && host.sources !== '';
    // An open menu that is removed by the render would not report that it closed.
    if (!isUsable || this.choices.length < 2) this.#menu?.hidePopover();
    // Its devices turn off.
    if (!isUsable) this.#dialog?.close();
  }

  hostUpdated(): void {
    this.#dialog?.updated();
  }

  hostDisconnected(): void {
    this.#setMenuOpen(false);
    this.#dialog?.close();
  }

  /** Renders what is open: the menu or a dialog. */
  render(): TemplateResult {
    const { host, choices } = this;
    return html`${choices.length > 1 ? this.#renderMenu(choices) : nothing}
      <input
        type="file"
        class="camera-input"
        hidden
        tabindex="-1"
        aria-hidden="true"
        @click=${stopPropagation}
        @input=${stopPropagation}
        @change=${this.#onCameraChange}
      />
      ${this.#dialog?.render() ?? nothing}
      ${this.#hasLoadFailed ? renderMessageLine(host.localizer.text('scriptNotLoaded'), true) : nothing}`;
  }

  #renderMenu(choices: readonly Choice[]): TemplateResult {
    const { localizer } = this.host;
    return html`<div
      part="source-menu"
      class="source-menu"
      role="menu"
      popover
      aria-label=${localizer.text('sources')}
      @keydown=${this.#onMenuKeyDown}
      @beforetoggle=${this.#onBeforeToggle}
      @toggle=${this.#onMenuToggle}
    >
      ${choices.map(
        (choice) =>
          html`<button
            part="source"
            class="source"
            type="button"
            role="menuitem"
            tabindex="-1"
            @click=${() => this.#onChoice(choice)}
          >
            ${choiceIcons[choice]}<span>${localizer.text(choice)}</span>
          </button>`,
      )}
    </div>`;
  }

  get #menu(): HTMLElement | null {
    return this.host.renderRoot.querySelector('.source-menu');
  }

  get #isMenuShown(): boolean {
    return this.#menu?.matches(':popover-open') ?? false;
  }

  get #items(): HTMLElement[] {
    return [...(this.#menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  }

  #toggleMenu(): void {
    const menu = this.#menu;
    if (menu === null || this.#wasOpenOnPress) {
      this.#wasOpenOnPress = false;
      return;
    }
    menu.showPopover();
    placeMenu(menu, this.host.pickButton ?? this.host);
    this.#items[0]?.focus();
    // The dialog opens at once then. A failure shows when the person chooses.
    for (const choice of this.choices) DIALOGS[choice]?.().catch(() => {});
  }

  /** Not all browsers return the focus from a popover in a shadow tree. */
  readonly #onBeforeToggle = ({ newState }: ToggleEvent): void => {
    if (newState === 'closed' && this.#menu?.matches(':focus-within')) this.host.pickButton?.focus();
  };

  /** The event comes later. The menu may be closed or removed again by then. */
  readonly #onMenuToggle = (): void => {
    this.#setMenuOpen(this.#isMenuShown);
    this.host.requestUpdate();
  };

  #setMenuOpen(isOpen: boolean): void {
    this.#isMenuOpen = isOpen;
    const change = isOpen ? 'addEventListener' : 'removeEventListener';
    window[change]('scroll', this.#hideMenu, true);
    window[change]('resize', this.#hideMenu);
  }

  /** The menu would stay where its button was. Its own scrolling does not leave the shadow tree. */
  readonly #hideMenu = (): void => this.#menu?.hidePopover();

  readonly #onMenuKeyDown = (event: KeyboardEvent): void => {
    const items = this.#items;
    const index = items.indexOf(event.target as HTMLElement);
    const targets: Readonly<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 };
    const target = targets[event.key];
    if (event.key === 'Tab') this.#menu?.hidePopover();
    if (target === undefined) return;
    event.preventDefault();
    items.at(target % items.length)?.focus();
  };

  #onChoice(choice: Choice): void {
    // The focus returns to the button, so that it returns there from a dialog as well.
    this.#menu?.hidePopover();
    this.#choose(choice);
  }

  #choose(choice: Choice): void {
    const { host } = this;
    this.#hasLoadFailed = false;
    if (!host.canAddFiles) return;
    if (choice === 'device') host.pickFromDevice();
    else if ((choice === 'photo' || choice === 'video') && hasCameraProgram()) this.#openCameraProgram(choice);
    else void this.#openDialog(choice);
  }

  get #cameraInput(): HTMLInputElement | null {
    return this.host.renderRoot.querySelector('.camera-input');
  }

  #openCameraProgram(choice: 'photo' | 'video'): void {
    const input = this.#cameraInput!;
    input.accept = choice === 'photo' ? 'image/*' : 'video/*';
    input.capture = this.host.capture || 'environment';
    input.click();
  }

  readonly #onCameraChange = (): void => {
    const input = this.#cameraInput!;
    void this.host.addFiles([...input.files!]);
    // Otherwise the same photo would fire no event.
    input.value = '';
  };

  async #openDialog(choice: Choice): Promise<void> {
    const { host } = this;
    try {
      const Dialog = await DIALOGS[choice]!();
      if (!host.isConnected || !host.canAddFiles || this.#dialog) return;
      this.#dialog = new Dialog(host, () => {
        this.#dialog = undefined;
        host.requestUpdate();
      });
    } catch {
      this.#hasLoadFailed = true;
    }
    host.requestUpdate();
  }
}

const stopPropagation = (event: Event): void => event.stopPropagation();
