import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { CaptureDialog } from './capture-dialog.js';
import { captureName, formatDuration } from './capture-name.js';
import type { MessageKey } from '../locales/localizer.js';
import { revealDuration } from './reveal-duration.js';
import { Recorder } from './recorder.js';
import type { Recording } from './recorder.js';
import { findFormat } from './recording-formats.js';
import type { RecordingFormat, RecordingKind } from './recording-formats.js';

/** Milliseconds between two updates of the timer. */
const TIMER_MS = 250;

/** A dialog that records: shows the time, and plays the recording before it is used. */
export abstract class RecordingDialog extends CaptureDialog {
  /** Kind of the recorded file. */
  protected abstract readonly kind: Exclude<RecordingKind, 'photo'>;
  /** First word of the file's name. */
  protected abstract readonly nameKey: MessageKey;
  /** A sentence about the recording. */
  protected note = '';
  #recorder: Recorder | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #recording: { file: File; url: string } | undefined;
  #asksDiscard = false;

  /** Renders what is shown before and during the recording. */
  protected abstract renderLive(): TemplateResult;

  protected override get statusText(): string {
    if (this.phase === 'recording') return this.text('recording');
    if (this.#asksDiscard) return this.text('discardQuestion');
    return this.note || super.statusText;
  }

  protected get isRecording(): boolean {
    return this.#recorder !== undefined;
  }

  protected override renderStage(): TemplateResult {
    const note = this.note === '' ? nothing : html`<p class="source-note">${this.note}</p>`;
    if (this.#recording) return html`${this.#renderPlayer(this.#recording.url)}${note}`;
    if (this.phase === 'opening') return html`<p class="stage-text">${this.text('opening')}</p>`;
    return html`${this.renderLive()}${this.isRecording ? this.renderTimer() : note}`;
  }

  protected renderTimer(): TemplateResult {
    return html`<span class="source-timer"
      ><span class="source-dot"></span>${formatDuration(this.#recorder?.seconds ?? 0)}</span
    >`;
  }

  #renderPlayer(url: string): TemplateResult {
    const label = this.text('preview');
    return this.kind === 'sound'
      ? html`<audio
          controls
          aria-label=${label}
          src=${url}
          @error=${this.#onPlayerError}
          @loadedmetadata=${revealDuration}
        ></audio>`
      : html`<video
          controls
          playsinline
          aria-label=${label}
          src=${url}
          @error=${this.#onPlayerError}
          @loadedmetadata=${revealDuration}
        ></video>`;
  }

  /** A Content-Security-Policy may forbid it. */
  readonly #onPlayerError = (): void => {
    this.note = this.text('previewBlocked');
    this.update();
  };

  protected override renderActions(): TemplateResult {
    if (this.#asksDiscard)
      return html`<p class="source-question">${this.text('discardQuestion')}</p>
        ${this.button(this.text('discard'), () => this.close())} ${this.button(this.text('keep'), this.#keep, { isMain: true })}`;
    switch (this.phase) {
      case 'review':
        return html`${this.button(this.text('recordAgain'), () => this.#recordAgain())}
        ${this.button(this.text('useRecording'), () => this.add(this.#recording!.file), { isMain: true })}`;
      case 'recording':
        return this.renderStopButton();
      case 'ready':
        return this.button(this.text('record'), () => this.record(), {
          isMain: true,
          icon: html`<span class="source-dot"></span>`,
        });
      default:
        return html``;
    }
  }

  protected renderStopButton(): TemplateResult {
    return this.button(this.text('stop'), () => this.stop(), { isMain: true, icon: html`<span class="source-square"></span>` });
  }

  /** Starts to record the open stream. */
  protected record(): void {
    const format = findFormat(this.kind, this.host.limits);
    try {
      this.#recorder = new Recorder(this.stream!, format!, this.#maxBytes, (recording) => this.#onEnd(recording, format!));
    } catch {
      this.fail('recordingFailed');
      return;
    }
    this.note = '';
    this.phase = 'recording';
    this.#timer = setInterval(() => this.update(), TIMER_MS);
    this.update({ movesFocus: true });
  }

  protected stop(): void {
    this.#recorder?.stop();
  }

  /** The element refuses larger files. */
  get #maxBytes(): number {
    const { limits, totals, acceptsMultiple } = this.host;
    const rest = (limits.maxTotalSize ?? Infinity) - (acceptsMultiple ? totals.bytes : 0);
    return Math.min(limits.maxSize ?? Infinity, rest);
  }

  #onEnd({ blob, end }: Recording, format: RecordingFormat): void {
    this.#endTimer();
    this.closeStream();
    if (this.isClosed) return;
    if (blob.size === 0) {
      this.fail('recordingFailed');
      return;
    }
    const name = captureName(this.text(this.nameKey), format.extension, new Date());
    this.#recording = { file: new File([blob], name, { type: format.type }), url: URL.createObjectURL(blob) };
    if (end === 'limit') this.note = this.host.localizer.text('reachedLimit', { size: this.host.localizer.size(this.#maxBytes) });
    this.phase = 'review';
    this.update({ movesFocus: true });
  }

  #endTimer(): void {
    clearInterval(this.#timer);
    this.#recorder = undefined;
  }

  /** A recording ends, and stays. Without one, the dialog shows the problem. */
  protected override onLost(): void {
    if (!this.isRecording) {
      super.onLost();
      return;
    }
    this.note = this.text(`${this.device}Lost`);
    this.stop();
  }

  #recordAgain(): void {
    this.#forgetRecording();
    this.retry();
  }

  #forgetRecording(): void {
    if (this.#recording) URL.revokeObjectURL(this.#recording.url);
    this.#recording = undefined;
    this.note = '';
  }

  readonly #keep = (): void => {
    this.#asksDiscard = false;
    this.update({ movesFocus: true });
  };

  /** Escape and the close button must not lose a recording. */
  protected override mayClose(): boolean {
    if (this.isRecording) {
      this.stop();
      return false;
    }
    if (this.#recording === undefined) return true;
    this.#asksDiscard = !this.#asksDiscard;
    this.update({ movesFocus: true });
    return false;
  }

  protected override dispose(): void {
    this.stop();
    this.#endTimer();
    super.dispose();
    this.#forgetRecording();
  }
}
