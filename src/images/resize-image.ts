import { isAnimated } from './is-animated.js';

/** The box that an image has to fit into, in pixels. Null sets no limit. */
export interface ResizeOptions {
  maxWidth: number | null;
  maxHeight: number | null;
  /** Quality of a JPEG or WebP, from 0 to 1. */
  quality: number;
}

/** Types that a canvas can write. */
const WRITABLE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);

/**
 * Makes an image fit, upright. The result has no metadata (Exif, XMP).
 *
 * @returns a smaller file. Returns the same file if the image fits already, is animated, cannot be decoded, or would get larger.
 */
export async function resizeImage(file: File, { maxWidth, maxHeight, quality }: ResizeOptions): Promise<File> {
  if (!WRITABLE_TYPES.has(file.type) || (await isAnimated(file))) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return file;
  try {
    const scale = Math.min((maxWidth ?? Infinity) / bitmap.width, (maxHeight ?? Infinity) / bitmap.height);
    if (scale >= 1) return file;
    const canvas = drawScaled(bitmap, scale);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, file.type, quality));
    // A browser that cannot write the type writes PNG instead.
    if (blob?.type !== file.type || blob.size >= file.size) return file;
    return new File([blob], file.name, { type: file.type, lastModified: file.lastModified });
  } finally {
    bitmap.close();
  }
}

function drawScaled(bitmap: ImageBitmap, scale: number): HTMLCanvasElement {
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}
