import type { TemplateResult } from 'lit';
import { cameraConstraints } from './camera-request.js';
import { isForbiddenByPage } from './device-errors.js';
import type { Device } from './device-errors.js';
import type { MessageKey } from '../locales/localizer.js';
import { renderLivePicture } from './live-picture.js';
import { RecordingDialog } from './recording-dialog.js';
import type { SourceHost } from './source-host.js';

/** Records a video with a camera and a microphone. Without a microphone, the video has no sound. */
export class VideoDialog extends RecordingDialog {
  protected override readonly titleKey: MessageKey = 'video';
  protected override readonly nameKey: MessageKey = 'videoName';
  protected override readonly device: Device = 'camera';
  protected override readonly kind = 'video';

  constructor(host: SourceHost, onClose: () => void) {
    super(host, onClose);
    void this.open();
  }

  protected override async request(deviceId: string): Promise<MediaStream> {
    const video = cameraConstraints(deviceId, this.host.capture);
    const { mediaDevices } = navigator;
    try {
      if (!isForbiddenByPage('microphone')) return await mediaDevices.getUserMedia({ video, audio: true });
    } catch (cause) {
      if (!(await canRecordWithoutSound(cause))) throw cause;
    }
    return mediaDevices.getUserMedia({ video });
  }

  protected override onReady(): void {
    this.note = this.stream!.getAudioTracks().length === 0 ? this.text('withoutSound') : '';
  }

  protected override renderLive(): TemplateResult {
    return renderLivePicture(this.stream, this.text('livePicture'));
  }
}

/** There is no microphone, or only the microphone was refused before. */
async function canRecordWithoutSound(cause: unknown): Promise<boolean> {
  const { name } = Object(cause) as { name?: string };
  if (name === 'NotFoundError') return true;
  return name === 'NotAllowedError' && (await isDenied('microphone')) && !(await isDenied('camera'));
}

async function isDenied(name: Device): Promise<boolean> {
  try {
    // Some browsers do not know these names.
    return (await navigator.permissions.query({ name: name as PermissionName })).state === 'denied';
  } catch {
    return false;
  }
}
