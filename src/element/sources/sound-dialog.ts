import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Device } from './device-errors.js';
import { LevelMeter } from './level-meter.js';
import type { MessageKey } from '../locales/localizer.js';
import { RecordingDialog } from './recording-dialog.js';
import type { SourceHost } from './source-host.js';

/** Records sound with a microphone, and shows its level. */
export class SoundDialog extends RecordingDialog {
  protected override readonly titleKey: MessageKey = 'sound';
  protected override readonly nameKey: MessageKey = 'soundName';
  protected override readonly device: Device = 'microphone';
  protected override readonly kind = 'sound';
  protected override readonly stageClass = 'sound-stage';
  #meter: LevelMeter | undefined;

  constructor(host: SourceHost, onClose: () => void) {
    super(host, onClose);
    void this.open();
  }

  protected override request(deviceId: string): Promise<MediaStream> {
    const audio = deviceId === '' ? true : { deviceId: { exact: deviceId } };
    return navigator.mediaDevices.getUserMedia({ audio });
  }

  protected override onReady(): void {
    this.#meter = new LevelMeter(this.stream!);
  }

  protected override renderLive(): TemplateResult {
    return html`${this.#meter?.canvas}`;
  }

  protected override closeStream(): void {
    this.#meter?.close();
    this.#meter = undefined;
    super.closeStream();
  }
}
