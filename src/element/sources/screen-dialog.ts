import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { isForbiddenByPage } from './device-errors.js';
import type { Device } from './device-errors.js';
import type { MessageKey } from '../locales/localizer.js';
import { AudioMixer } from './audio-mixer.js';
import { stopTracks } from './device-stream.js';
import { RecordingDialog } from './recording-dialog.js';
import type { SourceHost } from './source-host.js';
import { choiceIcons } from './source-icons.js';

/** The microphone could not be opened, although the screen could. */
class MicrophoneError extends Error {}

/**
 * Records a screen, a window or a tab, with its sound and the microphone if the person wants it. The browser asks what to record,
 * after the person has pressed a button. During the recording only a small bar is shown, so that the person can use the page.
 */
export class ScreenDialog extends RecordingDialog {
  protected override readonly titleKey: MessageKey = 'screen';
  protected override readonly nameKey: MessageKey = 'screenName';
  protected override readonly device: Device = 'microphone';
  protected override readonly kind = 'video';
  #withMicrophone = false;
  #mixer: AudioMixer | undefined;
  /** The screen while the browser asks for the microphone. */
  #screen: MediaStream | undefined;

  constructor(host: SourceHost, onClose: () => void) {
    super(host, onClose);
    this.retry();
  }

  /** Shows the button again, because the browser asks only after a press. */
  protected override retry(): void {
    this.problem = undefined;
    this.phase = 'setup';
    this.update({ movesFocus: true });
  }

  protected override async request(): Promise<MediaStream> {
    const { mediaDevices } = navigator;
    const screen = await mediaDevices.getDisplayMedia({ video: true, audio: true });
    // The dialog may be closed meanwhile. Its stream then stops the screen.
    if (!this.#withMicrophone || this.isClosed) return screen;
    this.#screen = screen;
    let microphone: MediaStream | undefined;
    try {
      microphone = await mediaDevices.getUserMedia({ audio: true });
      this.#mixer = new AudioMixer(screen, microphone);
      if (this.isClosed) this.#mixer.close();
      return this.#mixer.stream;
    } catch (cause) {
      stopTracks(screen);
      stopTracks(microphone);
      throw new MicrophoneError('', { cause });
    }
  }

  protected override onRefused(cause: unknown): void {
    if (cause instanceof MicrophoneError) super.onRefused(cause.cause);
    else if (isForbiddenByPage('display-capture')) this.fail('recordingBlocked');
    // The person closed the question of the browser.
    else if (Object(cause).name === 'NotAllowedError') this.retry();
    else this.fail('recordingFailed');
  }

  protected override onReady(): void {
    this.record();
  }

  /** The person ended it in the browser, or closed the window. */
  protected override onLost(): void {
    this.stop();
  }

  protected override get isMinimized(): boolean {
    return this.phase === 'recording';
  }

  protected override renderBar(): TemplateResult {
    return html`${this.renderTimer()}${this.renderStopButton()}`;
  }

  protected override renderLive(): TemplateResult {
    return html`<div class="stage-text">
      <p>${this.text('screenHint')}</p>
      <label class="source-check">
        <input type="checkbox" .checked=${this.#withMicrophone} @change=${this.#onMicrophoneChange} />
        ${this.text('withMicrophone')}
      </label>
    </div>`;
  }

  protected override renderActions(): TemplateResult {
    if (this.phase !== 'setup') return super.renderActions();
    return this.button(this.text('chooseScreen'), () => void this.open(), { isMain: true, icon: choiceIcons.screen });
  }

  readonly #onMicrophoneChange = (event: Event): void => {
    this.#withMicrophone = (event.target as HTMLInputElement).checked;
  };

  protected override closeStream(): void {
    stopTracks(this.#screen);
    this.#mixer?.close();
    this.#screen = this.#mixer = undefined;
    super.closeStream();
  }
}
