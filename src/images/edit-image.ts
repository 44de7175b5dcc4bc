import { decodePicture } from './decode-picture.js';
import type { Picture } from './decode-picture.js';
import type { ImageSize } from './image-size.js';
import { needsBackground, renameForType, writtenType } from './picture-types.js';
import type { ResizeOptions } from './resize-image.js';

/**
 * Changes that a person made to a picture, in this order: mirrored, turned, cropped. Coordinates are pixels of the picture in the file,
 * and start in its center.
 */
export interface ImageEdit {
  /** The picture is mirrored from left to right. */
  isMirrored: boolean;
  /** Quarter turns clockwise, from 0 to 3. */
  turns: number;
  /** Degrees clockwise, in addition to the quarter turns, from -45 to 45. */
  angle: number;
  crop: CropArea;
}

/** The part of the turned picture that is kept. */
export interface CropArea {
  /** Center of the area. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Each attempt to make a canvas has this share of the sides of the last one. */
const SHRINK = 0.75;
const MAX_ATTEMPTS = 6;
/** Profiles of screens and cameras with more colors than sRGB. Their names are ASCII or UTF-16. */
const WIDE_PROFILE =
  /D\0?i\0?s\0?p\0?l\0?a\0?y\0? \0?P\0?3|A\0?d\0?o\0?b\0?e\0? \0?R\0?G\0?B|P\0?r\0?o\0?P\0?h\0?o\0?t\0?o|2\0?0\0?2\0?0/;
/** A profile stands before the pixels, after a preview of up to 64 KiB. */
const PROFILE_BYTES = 256 * 1024;

/**
 * Draws the edited picture. The result is upright and has no metadata (Exif, XMP), so it has no location.
 *
 * @param format size, quality and type of the result
 * @throws PictureError if the file cannot be decoded
 * @throws Error if the browser cannot draw a picture of this size
 */
export async function editImage(file: File, edit: ImageEdit, format: ResizeOptions): Promise<File> {
  const { width, height } = edit.crop;
  const fit = Math.min(1, (format.maxWidth ?? Infinity) / width, (format.maxHeight ?? Infinity) / height);
  const colorSpace = (await hasWideProfile(file)) ? 'display-p3' : 'srgb';
  const type = writtenType(file, format.type);
  const canvas = await decodeAndDraw(file, edit, { fit, colorSpace, isOpaque: needsBackground(type) });
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, format.quality));
  if (blob === null) throw new Error('The browser cannot encode the picture.');
  return new File([blob], renameForType(file, blob.type), { type: blob.type });
}

interface DrawOptions {
  /** Share of the size of the picture, up to 1. */
  fit: number;
  colorSpace: PredefinedColorSpace;
  /** The type has no transparency. */
  isOpaque: boolean;
}

/** Frees the memory of the decoded picture before the result is encoded. */
async function decodeAndDraw(file: File, edit: ImageEdit, options: DrawOptions): Promise<HTMLCanvasElement> {
  const picture = await decodePicture(file, () => options.fit);
  try {
    return drawEdited(picture, edit, options);
  } finally {
    picture.close();
  }
}

/** Draws a picture as it is edited, with its center at the origin. */
export function drawTurned(context: CanvasRenderingContext2D, picture: Picture, { isMirrored, turns, angle }: ImageEdit): void {
  const { width, height } = picture.full;
  context.rotate(((turns * 90 + angle) * Math.PI) / 180);
  if (isMirrored) context.scale(-1, 1);
  context.drawImage(picture.source, -width / 2, -height / 2, width, height);
}

function drawEdited(picture: Picture, edit: ImageEdit, { fit, colorSpace, isOpaque }: DrawOptions): HTMLCanvasElement {
  const { crop } = edit;
  let scale = fit;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const size = {
      width: Math.max(1, Math.round(crop.width * scale)),
      height: Math.max(1, Math.round(crop.height * scale)),
    };
    const context = createContext(size, colorSpace);
    if (context !== undefined) {
      context.fillStyle = '#fff';
      if (isOpaque) context.fillRect(0, 0, size.width, size.height);
      context.translate(size.width / 2, size.height / 2);
      context.scale(size.width / crop.width, size.height / crop.height);
      context.translate(-crop.x, -crop.y);
      drawTurned(context, picture, edit);
      return context.canvas;
    }
    scale *= SHRINK;
  }
  throw new Error('The browser cannot draw a picture of this size.');
}

/** Each browser limits the size of a canvas. Beyond it, some draw nothing without saying so. */
function createContext({ width, height }: ImageSize, colorSpace: PredefinedColorSpace): CanvasRenderingContext2D | undefined {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { colorSpace });
  if (context === null) return undefined;
  context.imageSmoothingQuality = 'high';
  context.fillRect(width - 1, height - 1, 1, 1);
  const [, , , opacity] = context.getImageData(width - 1, height - 1, 1, 1).data;
  context.clearRect(width - 1, height - 1, 1, 1);
  return opacity === 255 ? context : undefined;
}

/** Without it, a picture with more colors than sRGB would lose them. */
async function hasWideProfile(file: File): Promise<boolean> {
  const head = await file.slice(0, PROFILE_BYTES).arrayBuffer();
  const text = new TextDecoder('latin1').decode(head);
  return /ICC_PROFILE|ICCP|iCCP|colrprof/.test(text) && WIDE_PROFILE.test(text);
}
