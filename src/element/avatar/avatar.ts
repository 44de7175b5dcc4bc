import { html, nothing, svg } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem, UploadQueue } from '../../queue/types.js';
import type { FileRecord } from '../../protocol/types.js';
import { fetchPreview } from '../request-previews.js';
import type { Shape } from '../settings/read-settings.js';
import { displayName } from '../view/display-name.js';
import type { DropzoneContext } from '../view/dropzone.js';
import { renderHint, renderPickButton } from '../view/dropzone.js';
import type { RemoteImage } from '../view/draw-thumbnail.js';
import { renderThumbnail } from '../view/file-icon.js';
import type { StoredImageOf } from '../view/file-icon.js';
import { renderRowActions, renderStatus } from '../view/row.js';
import type { RowContext } from '../view/row.js';
import { describeStatus } from '../view/row-status.js';
import type { RowStatus } from '../view/row-status.js';
import { hasUploadControls, renderUploadControls } from '../view/summary.js';
import { cameraIcon, personIcon, pictureIcon } from './avatar-icons.js';
import { avatarStyles } from './avatar-styles.js';

export interface AvatarContext {
  /** The chosen or stored picture; undefined if there is none. */
  item: UploadItem | undefined;
  queue: UploadQueue;
  manual: boolean;
  shape: Shape;
  readOnly: boolean;
  dropzone: DropzoneContext;
  row: RowContext;
}

/** Part of the ring that moves around while the size is unknown. */
const UNKNOWN_LENGTH = 0.25;

/** Side of the picture in pixels, for twice the default size. */
const PIXELS = 240;

/** Renders one picture in a circle or a square, with its actions beside it. Pages load this module with `appearance="avatar"`. */
export class Avatar {
  /** The element adds these styles to its own. */
  readonly styles = [avatarStyles];
  readonly #publicImages = new WeakMap<FileRecord, RemoteImage>();

  render(context: AvatarContext): TemplateResult {
    const { item, shape, dropzone, row } = context;
    const status = item && describeStatus(item, row);
    const isBlocked = dropzone.disabled;
    return html`<div part="dropzone" class="dropzone avatar ${shape} ${status?.tone ?? 'vacant'} ${isBlocked ? '' : 'open'}">
      <div class="portrait" @click=${dropzone.onPick}>
        ${this.#renderPicture(item, shape, row.storedImageOf)}
        ${isBlocked ? nothing : html`<span class="veil">${cameraIcon}</span>`}
        ${item && status ? renderRing(item, status, shape) : nothing}
      </div>
      <div class="beside-portrait">
        ${context.readOnly ? nothing : renderActions(context, status)} ${renderHint(dropzone)}
        <div class="portrait-status ${status?.tone ?? ''}">${status ? renderStatus(status) : nothing}</div>
      </div>
    </div>`;
  }

  #renderPicture(item: UploadItem | undefined, shape: Shape, storedImageOf: StoredImageOf | undefined): TemplateResult {
    const placeholder = shape === 'circle' ? personIcon : pictureIcon;
    if (item === undefined) return html`<span part="thumbnail" class="picture" aria-hidden="true">${placeholder}</span>`;
    const imageOf = storedImageOf ?? ((record: FileRecord) => this.#publicImageOf(record));
    return html`<span part="thumbnail" class="picture" role="img" aria-label=${displayName(item)}
      >${renderThumbnail(item, 'tile', PIXELS, imageOf)} ${placeholder}</span
    >`;
  }

  /** Returns the image at the public address of a stored file. */
  #publicImageOf(record: FileRecord): RemoteImage {
    const image = this.#publicImages.get(record) ?? {
      read: async () => (record.url && URL.canParse(record.url) ? fetchPreview(new URL(record.url)) : undefined),
    };
    this.#publicImages.set(record, image);
    return image;
  }
}

/** Renders the buttons beside the picture. Actions of a file are those of a row. */
function renderActions(context: AvatarContext, status: RowStatus | undefined): TemplateResult {
  const { item, queue, manual, dropzone, row } = context;
  const { localizer, disabled } = dropzone;
  const text = localizer.text(item ? 'changePicture' : 'choosePicture');
  return html`<div class="avatar-actions">
    ${renderPickButton(dropzone, disabled, text, dropzone.dragging ? localizer.text('dropNow') : text)}
    ${!disabled && hasUploadControls(queue, manual) ? renderUploadControls(localizer, queue, manual) : nothing}
    ${item && status ? renderRowActions(item, status, row) : nothing}
  </div>`;
}

/** Renders the progress as a line around the picture. */
function renderRing(item: UploadItem, { progress }: RowStatus, shape: Shape): TemplateResult | typeof nothing {
  if (progress === null) return nothing;
  const line = (className: string, length: number) =>
    shape === 'circle'
      ? svg`<circle class=${className} cx="50" cy="50" r="48" pathLength="1" stroke-dasharray="${length} 1" transform="rotate(-90 50 50)"/>`
      : svg`<rect class=${className} x="2" y="2" width="96" height="96" rx="11" pathLength="1" stroke-dasharray="${length} 1"/>`;
  return html`<svg
    part="progress"
    class="ring ${progress === 'unknown' ? 'ring-unknown' : ''}"
    viewBox="0 0 100 100"
    fill="none"
    stroke-width="4"
    role="progressbar"
    aria-label=${displayName(item)}
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow=${progress === 'unknown' ? nothing : Math.floor(progress * 100)}
  >
    ${line('ring-track', 1)} ${line('ring-value', progress === 'unknown' ? UNKNOWN_LENGTH : progress)}
  </svg>`;
}
