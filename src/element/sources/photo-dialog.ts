import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { cameraConstraints } from './camera-request.js';
import { CaptureDialog } from './capture-dialog.js';
import { captureName } from './capture-name.js';
import type { Device } from './device-errors.js';
import type { MessageKey } from '../locales/localizer.js';
import { renderLivePicture } from './live-picture.js';
import { findFormat } from './recording-formats.js';
import type { SourceHost } from './source-host.js';
import { choiceIcons } from './source-icons.js';

/** Qualities of a lossy format, from the first one to that of a photo which would be too large. */
const QUALITIES = [0.92, 0.8, 0.6, 0.4];

/** Takes a photo with a camera of the device. */
export class PhotoDialog extends CaptureDialog {
  protected override readonly titleKey: MessageKey = 'photo';
  protected override readonly device: Device = 'camera';
  #photo: HTMLCanvasElement | undefined;
  /** The first picture of the camera has arrived. */
  #hasPicture = false;

  constructor(host: SourceHost, onClose: () => void) {
    super(host, onClose);
    void this.open();
  }

  protected override request(deviceId: string): Promise<MediaStream> {
    this.#hasPicture = false;
    return navigator.mediaDevices.getUserMedia({ video: cameraConstraints(deviceId, this.host.capture) });
  }

  protected override renderStage(): TemplateResult {
    if (this.#photo) return html`${this.#photo}`;
    if (this.phase !== 'ready') return html`<p class="stage-text">${this.text('opening')}</p>`;
    return renderLivePicture(this.stream, this.text('livePicture'), this.#onPicture);
  }

  protected override renderActions(): TemplateResult {
    if (this.phase === 'review')
      return html`${this.button(this.text('takeAnother'), () => this.#takeAnother())}
      ${this.button(this.text('usePhoto'), () => void this.#use(), { isMain: true })}`;
    if (this.phase !== 'ready') return html``;
    return this.button(this.text('takePhoto'), () => this.#take(), {
      isMain: true,
      icon: choiceIcons.photo,
      isInactive: !this.#hasPicture,
    });
  }

  /** Some browsers load a stream before its first picture, whose size then changes that of the video. */
  readonly #onPicture = ({ target }: Event): void => {
    this.#hasPicture = (target as HTMLVideoElement).videoWidth > 0;
    this.update();
  };

  #take(): void {
    const video = this.element!.querySelector('video')!;
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', this.text('preview'));
    canvas.getContext('2d')!.drawImage(video, 0, 0);
    this.#photo = canvas;
    this.closeStream();
    this.phase = 'review';
    this.update({ movesFocus: true });
  }

  #takeAnother(): void {
    this.#photo = undefined;
    void this.open();
  }

  async #use(): Promise<void> {
    const photo = this.#photo!;
    const { limits } = this.host;
    const format = findFormat('photo', limits);
    const blob = format && (await encode(photo, format.type, limits.maxSize ?? Infinity));
    // The person decided to take another one meanwhile.
    if (photo !== this.#photo) return;
    if (!format || !blob) {
      this.#photo = undefined;
      this.fail('recordingFailed');
      return;
    }
    const name = captureName(this.text('photoName'), format.extension, new Date());
    this.add(new File([blob], name, { type: format.type }));
  }
}

/** Encodes a photo. If it is too large, it gets a lower quality. @returns null if the browser cannot encode it */
async function encode(canvas: HTMLCanvasElement, type: string, maxSize: number): Promise<Blob | null> {
  let blob: Blob | null = null;
  for (const quality of type === 'image/png' ? QUALITIES.slice(0, 1) : QUALITIES) {
    blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
    if (blob === null || blob.size <= maxSize) return blob;
  }
  return blob;
}
