// Long because it renders every control of the dialog.
import { html, nothing, render } from 'lit';
import type { TemplateResult } from 'lit';
import { PictureError, decodePicture } from '../../images/decode-picture.js';
import type { Picture, PictureProblem } from '../../images/decode-picture.js';
import type { ImageEdit } from '../../images/edit-image.js';
import type { Localizer, MessageKey } from '../locales/localizer.js';
import { iconWithTooltip } from '../view/row-icons.js';
import * as geometry from './crop-geometry.js';
import { ratioOf } from './crop-ratios.js';
import type { CropRatio } from './crop-ratios.js';
import { CropStage } from './crop-stage.js';
import type { StageHost } from './crop-stage.js';
import { renderRatios, renderSlider } from './editor-controls.js';
import { mirrorIcon, rotateLeftIcon, rotateRightIcon } from './editor-icons.js';

export interface EditorOptions {
  /** The element in which the dialog is created. Its styles, language and direction apply. */
  parent: Element;
  /** Name of the file, for the title. */
  name: string;
  file: File;
  /** The changes to start with; undefined for none. */
  edit: ImageEdit | undefined;
  /** At least one. The first one applies at the start. */
  ratios: readonly CropRatio[];
  localizer: () => Localizer;
  /**
   * The person pressed Done. Nothing may change if the dialog is closed before the edited picture is written.
   *
   * @returns the reason why the picture cannot be used, in words; undefined if it is used
   */
  onSave(edit: ImageEdit, isUnchanged: boolean): Promise<string | undefined>;
  /** The picture cannot be edited. Without it, the dialog says why. */
  onProblem?(): void;
  /** The dialog is closed, and its element removed. */
  onClose(): void;
}

/** Range of the longest side of the decoded picture. It depends on the screen. */
const MAX_PREVIEW = 2560;
const MIN_PREVIEW = 1024;
const ZOOM_STEPS = 100;
/** Time without a key after which the new area is announced. */
const QUIET_MS = 500;

const PROBLEM_TEXTS: Readonly<Record<PictureProblem, MessageKey>> = {
  unreadable: 'pictureUnreadable',
  animated: 'pictureAnimated',
  'too-large': 'pictureTooLarge',
};

/** A dialog in which a person crops, turns and mirrors a picture. The file changes only when they press Done. */
export class PictureEditor implements StageHost {
  readonly #container = document.createElement('div');
  #status: 'opening' | 'ready' | 'saving' | 'failed' = 'opening';
  #message = '';
  #announcement = '';
  #announcementTimer: ReturnType<typeof setTimeout> | undefined;
  #picture: Picture | undefined;
  #stage: CropStage | undefined;
  #edit: ImageEdit | undefined;
  #ratio: CropRatio;
  /** The edit before the person moved the slider. It turns from there, so that its way back restores the area. */
  #beforeStraightening: ImageEdit | undefined;

  constructor(private readonly options: EditorOptions) {
    this.#ratio = options.ratios[0]!;
    // The page would take events of these controls for those of the element.
    for (const type of ['input', 'change', 'paste'] as const)
      this.#container.addEventListener(type, (event) => event.stopPropagation());
    options.parent.append(this.#container);
    this.#render();
    this.#dialog.showModal();
    void this.#open();
  }

  get edit(): ImageEdit {
    return this.#edit!;
  }

  get ratio(): number | null {
    return this.#ratio.value;
  }

  change(edit: ImageEdit, byKey = false): void {
    this.#beforeStraightening = undefined;
    this.#set(edit, false);
    if (byKey) this.#announceArea();
  }

  /** Whether the person can still press Done. The event `close` may arrive long after the dialog was closed. */
  get isOpen(): boolean {
    return this.#dialog.open;
  }

  /** Renders again, because the language changed. */
  refresh(): void {
    this.#render();
  }

  /** Closes the dialog and discards the changes. */
  close(): void {
    this.#dialog.close();
  }

  get #dialog(): HTMLDialogElement {
    return this.#container.querySelector('dialog')!;
  }

  async #open(): Promise<void> {
    const { file, edit, ratios } = this.options;
    const pixels = Math.max(screen.width, screen.height) * (globalThis.devicePixelRatio || 1);
    const longest = Math.max(MIN_PREVIEW, Math.min(MAX_PREVIEW, pixels));
    try {
      const picture = await decodePicture(file, ({ width, height }) => longest / Math.max(width, height));
      if (!this.isOpen) return picture.close();
      this.#picture = picture;
      this.#edit = edit ?? geometry.initialEdit(picture.full, this.ratio);
      this.#ratio = edit ? ratioOf(edit.crop, ratios) : this.#ratio;
      this.#status = 'ready';
      this.#render();
      this.#stage = new CropStage(this.#container.querySelector('canvas')!, picture, this);
    } catch (error) {
      if (!this.isOpen) return;
      if (this.options.onProblem) return this.options.onProblem();
      this.#status = 'failed';
      this.#message = this.#text(PROBLEM_TEXTS[error instanceof PictureError ? error.problem : 'unreadable']);
      this.#render();
      this.#container.querySelector<HTMLElement>('.cancel')!.focus();
    }
  }

  /** @param isGradual the picture moves to its new place */
  #set(edit: ImageEdit, isGradual: boolean): void {
    if (this.#status !== 'ready') return;
    this.#edit = edit;
    this.#message = '';
    this.#stage?.update(isGradual);
    this.#render();
  }

  /** Applies a button. */
  #apply(change: (edit: ImageEdit, picture: Picture['full']) => ImageEdit, isGradual = false): void {
    this.#beforeStraightening = undefined;
    this.#set(change(this.edit, this.#picture!.full), isGradual);
    this.#announceArea();
  }

  #announceArea(): void {
    clearTimeout(this.#announcementTimer);
    this.#announcementTimer = setTimeout(() => {
      this.#announcement = this.#text('cropPosition', geometry.describeArea(this.#picture!.full, this.edit));
      this.#render();
    }, QUIET_MS);
  }

  readonly #onSave = async (): Promise<void> => {
    const edit = geometry.alignToPixels(this.#picture!.full, this.edit);
    this.#status = 'saving';
    this.#render();
    const problem = await this.options
      .onSave(edit, geometry.isUnchanged(this.#picture!.full, edit))
      .catch(() => this.#text('pictureNotSaved'));
    this.#status = 'ready';
    this.#message = problem ?? '';
    this.#render();
    if (problem === undefined) this.close();
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#announcementTimer);
    this.#stage?.destroy();
    this.#picture?.close();
    this.#container.remove();
    this.options.onClose();
  };

  #reset(): void {
    this.#ratio = this.options.ratios[0]!;
    this.#apply((_edit, picture) => geometry.initialEdit(picture, this.ratio));
  }

  #chooseRatio(ratio: CropRatio): void {
    this.#ratio = ratio;
    const { value } = ratio;
    this.#apply((edit, picture) => (value === null ? edit : geometry.applyRatio(picture, edit, value)), true);
  }

  #straighten(angle: number): void {
    const before = (this.#beforeStraightening ??= this.edit);
    this.#set(geometry.straighten(this.#picture!.full, before, angle), false);
  }

  #text(key: MessageKey, values?: Readonly<Record<string, string | number>>): string {
    return this.options.localizer().text(key, values);
  }

  #render(): void {
    render(this.#template(), this.#container, { host: this });
  }

  #template(): TemplateResult {
    const isReady = this.#status === 'ready';
    const isBusy = this.#status === 'opening' || this.#status === 'saving';
    return html`<dialog part="editor" class="editor" aria-labelledby="editor-title" @close=${this.#onClose}>
      <h2 id="editor-title" class="editor-title">${this.#text('edit', { name: this.options.name })}</h2>
      <div class="stage" ?hidden=${this.#status === 'failed'}>
        <canvas
          part="editor-stage"
          class="crop"
          tabindex="0"
          autofocus
          role="application"
          aria-label=${this.#text('cropArea')}
          aria-describedby="editor-keys"
        ></canvas>
        <span class="busy" ?hidden=${!isBusy}>${this.#text('preparing')}</span>
      </div>
      <p id="editor-keys" hidden>${this.#text('cropKeys')}</p>
      <p class="editor-message" role="alert">${this.#message}</p>
      ${this.#picture === undefined ? nothing : this.#renderTools(this.#picture, !isReady)}
      <div class="editor-buttons">
        <button class="plain" type="button" ?disabled=${!isReady} @click=${() => this.#reset()}>
          ${this.#text('resetEdit')}
        </button>
        <span class="gap"></span>
        <button class="plain cancel" type="button" @click=${() => this.close()}>${this.#text('cancelAll')}</button>
        <button class="plain primary" type="button" ?disabled=${!isReady} @click=${this.#onSave}>
          ${this.#text('applyEdit')}
        </button>
      </div>
      <div class="hidden" role="status">${isBusy ? this.#text('preparing') : this.#announcement}</div>
    </dialog>`;
  }

  #renderTools({ full }: Picture, isDisabled: boolean): TemplateResult {
    const { ratio, edit } = this;
    const localizer = this.options.localizer();
    const { zoom, maxZoom } = geometry.zoomOf(full, edit);
    const { width, height } = geometry.describeArea(full, edit);
    const degrees = new Intl.NumberFormat(localizer.locale, { style: 'unit', unit: 'degree', unitDisplay: 'narrow' });
    return html`<div class="tools">
      <div class="tool-row">
        ${this.#renderButton('rotateLeft', rotateLeftIcon, isDisabled, (one, picture) => geometry.rotate(picture, one, -1, ratio))}
        ${this.#renderButton('rotateRight', rotateRightIcon, isDisabled, (one, picture) => geometry.rotate(picture, one, 1, ratio))}
        ${this.#renderButton('mirror', mirrorIcon, isDisabled, geometry.mirror)}
        <span class="gap"></span>
        <span class="crop-size" dir="auto">${this.#text('cropSize', { width, height })}</span>
      </div>
      ${renderRatios({
        ratios: this.options.ratios,
        chosen: this.#ratio,
        label: this.#text('proportions'),
        freeLabel: this.#text('freeProportions'),
        isDisabled,
        onChoose: (chosen) => this.#chooseRatio(chosen),
      })}
      <div class="sliders">
        ${renderSlider({
          label: this.#text('zoom'),
          range: [0, ZOOM_STEPS, 1],
          value: maxZoom > 1 ? Math.round((ZOOM_STEPS * Math.log(zoom)) / Math.log(maxZoom)) : 0,
          text: localizer.percent(zoom),
          isDisabled: isDisabled || maxZoom <= 1,
          onInput: (value) => this.change(geometry.zoomTo(full, edit, maxZoom ** (value / ZOOM_STEPS))),
        })}
        ${renderSlider({
          label: this.#text('straighten'),
          range: [-geometry.MAX_ANGLE, geometry.MAX_ANGLE, 0.5],
          value: edit.angle,
          text: degrees.format(edit.angle),
          isDisabled,
          onInput: (value) => this.#straighten(value),
        })}
      </div>
    </div>`;
  }

  #renderButton(
    key: MessageKey,
    icon: TemplateResult,
    isDisabled: boolean,
    change: (edit: ImageEdit, picture: Picture['full']) => ImageEdit,
  ): TemplateResult {
    const label = this.#text(key);
    return html`<button
      class="icon"
      type="button"
      aria-label=${label}
      ?disabled=${isDisabled}
      @click=${() => this.#apply(change)}
    >
      ${iconWithTooltip(label, icon)}
    </button>`;
  }
}
