import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { problemIcon } from '../view/icons.js';
import { deviceErrorText } from './device-errors.js';
import type { Device } from './device-errors.js';
import { DeviceStream, StreamClosedError } from './device-stream.js';
import type { MessageKey } from '../locales/localizer.js';
import { SourceDialog } from './source-dialog.js';
import type { SourceHost } from './source-host.js';

/**
 * The states of a capture. `setup`: the person presses a button first. `opening`: the browser asks for permission. `ready`: the devices
 * are on. `review`: the result is shown, and the devices are off.
 */
export type Phase = 'setup' | 'opening' | 'ready' | 'recording' | 'review' | 'failed';

export interface ButtonOptions {
  /** It gets the focus. */
  isMain?: boolean;
  icon?: TemplateResult | typeof nothing;
  /** It can be focused, and does nothing yet. */
  isInactive?: boolean;
}

/** A dialog that captures with devices: shows their picture, and the result before it is used. */
export abstract class CaptureDialog extends SourceDialog {
  protected phase: Phase = 'opening';
  /** The problem that the dialog shows. */
  protected problem: MessageKey | undefined;
  protected stream: MediaStream | undefined;
  #devices: MediaDeviceInfo[] = [];
  #deviceId = '';
  readonly #deviceStream = new DeviceStream(
    () => this.onLost(),
    () => this.close(),
  );

  constructor(host: SourceHost, onClose: () => void) {
    super(host, onClose);
    navigator.mediaDevices.addEventListener('devicechange', this.#listDevices);
  }

  /** The device whose errors are shown, and that the person can choose. */
  protected abstract readonly device: Device;
  /** Opens the devices. */
  protected abstract request(deviceId: string): Promise<MediaStream>;
  protected abstract renderStage(): TemplateResult;
  protected abstract renderActions(): TemplateResult;
  /** The devices are on. */
  protected onReady(): void {}
  /** Starts over after a failure or a result. */
  protected retry(): void {
    void this.open();
  }
  /** Class of the area that shows the picture. */
  protected readonly stageClass: string = '';

  protected override get statusText(): string {
    return this.phase === 'opening' ? this.text('opening') : '';
  }

  protected text(key: MessageKey): string {
    return this.host.localizer.text(key);
  }

  protected override renderBody(): TemplateResult {
    return html`<div class="stage ${this.stageClass}">
        ${this.phase === 'failed' ? nothing : this.renderStage()}${this.#renderProblem()}
      </div>
      <div class="source-foot">${this.#renderDevices()}${this.#renderButtons()}</div>`;
  }

  #renderProblem(): TemplateResult {
    return html`<div class="source-problem" role="alert" ?hidden=${this.problem === undefined}>
      ${this.problem === undefined ? nothing : html`${problemIcon}<span>${this.text(this.problem)}</span>`}
    </div>`;
  }

  #renderButtons(): TemplateResult {
    return html`<div class="source-actions">${this.phase === 'failed' ? this.#renderWaysOut() : this.renderActions()}</div>`;
  }

  #renderWaysOut(): TemplateResult {
    const canRetry = this.problem !== 'recordingBlocked';
    return html`${this.button(this.text('device'), this.#pickFromDevice, { isMain: !canRetry })}
    ${canRetry ? this.button(this.host.localizer.text('retryAll'), () => this.retry(), { isMain: true }) : nothing}`;
  }

  readonly #pickFromDevice = (): void => {
    this.close();
    this.host.pickFromDevice();
  };

  protected button(
    text: string,
    act: () => void,
    { isMain = false, icon = nothing, isInactive = false }: ButtonOptions = {},
  ): TemplateResult {
    return html`<button
      part="source-button"
      class="act ${isMain ? 'main' : ''}"
      type="button"
      ?data-main=${isMain}
      aria-disabled=${isInactive ? 'true' : nothing}
      @click=${isInactive ? nothing : act}
    >
      ${icon}${text}
    </button>`;
  }

  #renderDevices(): TemplateResult | typeof nothing {
    if (this.#devices.length < 2 || this.phase !== 'ready') return nothing;
    const label = this.text(this.device);
    const current = this.#currentDeviceId;
    return html`<select class="source-device" aria-label=${label} @change=${this.#onDeviceChange}>
      ${this.#devices.map(
        ({ deviceId, label: name }, index) =>
          html`<option value=${deviceId} ?selected=${deviceId === current}>${name || `${label} ${index + 1}`}</option>`,
      )}
    </select>`;
  }

  get #currentDeviceId(): string {
    const tracks = this.stream?.getTracks() ?? [];
    return tracks.find(({ kind }) => kind === this.#trackKind)?.getSettings().deviceId ?? this.#deviceId;
  }

  get #trackKind(): 'video' | 'audio' {
    return this.device === 'camera' ? 'video' : 'audio';
  }

  readonly #onDeviceChange = (event: Event): void => {
    this.#deviceId = (event.target as HTMLSelectElement).value;
    void this.open();
  };

  readonly #listDevices = async (): Promise<void> => {
    const all = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    this.#devices = all.filter(({ kind }) => kind === `${this.#trackKind}input`);
    this.update();
  };

  /** Opens the devices, also again. */
  protected async open(): Promise<void> {
    this.closeStream();
    this.phase = 'opening';
    this.problem = undefined;
    this.update();
    try {
      this.stream = await this.#deviceStream.open(() => this.request(this.#deviceId));
    } catch (cause) {
      if (cause instanceof StreamClosedError) return;
      this.onRefused(cause);
      return;
    }
    this.phase = 'ready';
    this.update({ movesFocus: true });
    this.onReady();
    void this.#listDevices();
  }

  protected onRefused(cause: unknown): void {
    this.fail(deviceErrorText(this.device, cause));
  }

  protected fail(problem: MessageKey): void {
    this.closeStream();
    // The chosen device may be gone, and another one may work.
    this.#deviceId = '';
    this.phase = 'failed';
    this.problem = problem;
    this.update({ movesFocus: true });
  }

  protected closeStream(): void {
    this.#deviceStream.close();
    this.stream = undefined;
  }

  /** A device is gone, or the person ended its use in the browser. */
  protected onLost(): void {
    this.fail(`${this.device}Lost`);
  }

  protected override dispose(): void {
    this.closeStream();
    navigator.mediaDevices.removeEventListener('devicechange', this.#listDevices);
  }
}
