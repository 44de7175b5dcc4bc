import { isAnimated } from './is-animated.js';
import { isWritable, needsBackground, renameForType, writtenType } from './picture-types.js';

/** The box that an image has to fit into, in pixels. Null sets no limit. */
export interface ResizeOptions {
  maxWidth: number | null;
  maxHeight: number | null;
  /** Quality of a JPEG or WebP, from 0 to 1. */
  quality: number;
  /** Type of the result, such as `image/webp`; null for that of the file. */
  type: string | null;
}

/**
 * Makes an image fit, upright. The result has no metadata (Exif, XMP).
 *
 * @returns a smaller file. Returns the same file if the image fits already, is animated, cannot be decoded, or would get larger.
 */
export async function resizeImage(file: File, { maxWidth, maxHeight, quality, type: wantedType }: ResizeOptions): Promise<File> {
  if (!isWritable(file.type) || (await isAnimated(file))) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return file;
  try {
    const scale = Math.min((maxWidth ?? Infinity) / bitmap.width, (maxHeight ?? Infinity) / bitmap.height);
    if (scale >= 1) return file;
    const type = writtenType(file, wantedType);
    const canvas = drawScaled(bitmap, scale, needsBackground(type));
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
    // A browser that cannot write the type writes PNG instead.
    if (blob?.type !== type || blob.size >= file.size) return file;
    return new File([blob], renameForType(file, type), { type, lastModified: file.lastModified });
  } finally {
    bitmap.close();
  }
}

function drawScaled(bitmap: ImageBitmap, scale: number, isOpaque: boolean): HTMLCanvasElement {
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#fff';
  if (isOpaque) context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}
