import { decodePicture } from '../../images/decode-picture.js';
import type { Picture } from '../../images/decode-picture.js';
import type { Localizer } from '../locales/localizer.js';
import type { ImageSource } from '../view/draw-thumbnail.js';

/** A picture to show. */
export interface ShownPicture {
  /** Equal for the same picture. */
  key: string;
  name: string;
  /** Undefined if the picture cannot be read. */
  source: ImageSource | undefined;
}

/** Formats that only an `<img>` shows: drawings, and pictures that move. An `<img>` runs no script of a drawing. */
const NEEDS_IMG = /^image\/(svg\+xml|gif)$/;

/** Holds the picture of the lightbox, drawn on a canvas. Unlike an image URL, a canvas needs no permission of a Content-Security-Policy. */
export class PictureStage {
  readonly element: HTMLElement = Object.assign(document.createElement('div'), { className: 'lightbox-picture' });
  #key: string | undefined;
  /** The address of the picture while it loads. */
  #url: string | undefined;

  show(picture: ShownPicture, localizer: Localizer): void {
    if (picture.key === this.#key) return;
    this.clear();
    this.#key = picture.key;
    this.element.classList.add('loading');
    void this.#show(picture, localizer);
  }

  /** Removes the picture and releases its memory. */
  clear(): void {
    this.#key = undefined;
    this.#revoke();
    const canvas = this.element.querySelector('canvas');
    if (canvas) canvas.width = canvas.height = 0;
    this.element.replaceChildren();
  }

  async #show({ key, name, source }: ShownPicture, localizer: Localizer): Promise<void> {
    const isWanted = () => this.#key === key;
    const content = await this.#load(source, isWanted).catch(() => undefined);
    if (!isWanted()) return;
    this.element.classList.remove('loading');
    if (content instanceof HTMLCanvasElement) content.role = 'img';
    content?.setAttribute(content instanceof HTMLImageElement ? 'alt' : 'aria-label', name);
    this.element.replaceChildren(content ?? localizer.text('pictureNotShown'));
  }

  async #load(source: ImageSource | undefined, isWanted: () => boolean): Promise<HTMLElement | undefined> {
    const blob = source instanceof Blob ? source : await source?.read();
    if (blob === undefined || !isWanted()) return undefined;
    return NEEDS_IMG.test(blob.type) ? this.#loadImage(blob) : drawPicture(blob);
  }

  async #loadImage(blob: Blob): Promise<HTMLImageElement> {
    const image = new Image();
    const url = URL.createObjectURL(blob);
    this.#url = url;
    image.src = url;
    try {
      await image.decode();
    } finally {
      if (this.#url === url) this.#revoke();
    }
    return image;
  }

  #revoke(): void {
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url);
    this.#url = undefined;
  }
}

/** Draws a picture as large as the screen needs it. */
async function drawPicture(blob: Blob): Promise<HTMLCanvasElement> {
  const picture = await decode(blob);
  try {
    const { source, width, height } = picture;
    const scale = Math.min(1, scaleToWindow(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext('2d')!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    canvas.classList.add('drawn');
    return canvas;
  } finally {
    picture.close();
  }
}

const scaleToWindow = (width: number, height: number): number =>
  Math.min(innerWidth / width, innerHeight / height) * devicePixelRatio;

/** Decodes a picture. Large photos are decoded smaller, because all of their pixels would take hundreds of megabytes. */
async function decode(blob: Blob): Promise<Omit<Picture, 'full'>> {
  if (blob.type === 'image/jpeg') {
    // The size may be that before a quarter turn.
    const scaleOf = ({ width, height }: Picture['full']) => Math.max(scaleToWindow(width, height), scaleToWindow(height, width));
    const picture = await decodePicture(blob, scaleOf).catch(() => undefined);
    if (picture !== undefined) return picture;
  }
  const bitmap = await createImageBitmap(blob);
  return { source: bitmap, width: bitmap.width, height: bitmap.height, close: () => bitmap.close() };
}
