import { isAnimated } from './is-animated.js';
import { readImageSize } from './image-size.js';
import type { ImageSize } from './image-size.js';

/** A decoded picture, upright. `close` frees its memory. */
export interface Picture extends ImageSize {
  source: ImageBitmap | VideoFrame;
  /** Size of the picture in the file, upright. */
  full: ImageSize;
  close(): void;
}

/** Reason why a picture cannot be edited. */
export type PictureProblem = 'unreadable' | 'animated' | 'too-large';

export class PictureError extends Error {
  constructor(
    readonly problem: PictureProblem,
    options?: ErrorOptions,
  ) {
    super(`The picture cannot be edited: ${problem}.`, options);
    this.name = 'PictureError';
  }
}

/** Most pixels of a picture that is decoded. It takes four bytes for each. */
const MAX_PIXELS = 100_000_000;

/** JPEG is decoded at an eighth of its size, or a multiple of it. */
const JPEG_STEPS = 8;

/**
 * Decodes a picture, smaller if fewer pixels suffice.
 *
 * @param scaleOf returns the share of the size of the file that suffices, up to 1
 * @throws PictureError
 */
export async function decodePicture(file: Blob, scaleOf: (size: ImageSize) => number): Promise<Picture> {
  const size = await readImageSize(file).catch((cause: unknown) => fail('unreadable', cause));
  if (size === undefined) return fail('unreadable');
  if (size.width * size.height > MAX_PIXELS) return fail('too-large');
  if (await isAnimated(file)) return fail('animated');
  const scale = Math.min(1, scaleOf(size));
  const source = await decode(file, size, scale).catch((cause: unknown) => fail('unreadable', cause));
  const [width, height] = 'displayWidth' in source ? [source.displayWidth, source.displayHeight] : [source.width, source.height];
  // The header has the size before the photo is turned. Its longer side tells whether it was turned by a quarter.
  const isTurned = size.width > size.height !== width > height && size.width !== size.height;
  const full = isTurned ? { width: size.height, height: size.width } : size;
  return { source, width, height, full, close: () => source.close() };
}

function fail(problem: PictureProblem, cause?: unknown): never {
  throw new PictureError(problem, { cause });
}

/** The browser's decoder makes a smaller JPEG without ever holding the large one in memory. Other browsers scale it down afterwards. */
async function decode(file: Blob, size: ImageSize, scale: number): Promise<ImageBitmap | VideoFrame> {
  const frame = scale < 1 ? await decodeSmallJpeg(file, size, scale) : undefined;
  if (frame !== undefined) return frame;
  const bitmap = await createImageBitmap(file);
  if (scale >= 1) return bitmap;
  try {
    const [resizeWidth, resizeHeight] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
    return await createImageBitmap(bitmap, { resizeWidth: resizeWidth!, resizeHeight: resizeHeight!, resizeQuality: 'high' });
  } finally {
    bitmap.close();
  }
}

async function decodeSmallJpeg(file: Blob, { width, height }: ImageSize, scale: number): Promise<VideoFrame | undefined> {
  const share = Math.ceil(scale * JPEG_STEPS) / JPEG_STEPS;
  if (share >= 1 || file.type !== 'image/jpeg' || !('ImageDecoder' in globalThis)) return undefined;
  const [desiredWidth, desiredHeight] = [width, height].map((side) => Math.ceil(side * share));
  const decoder = new ImageDecoder({
    type: file.type,
    data: file.stream(),
    desiredWidth: desiredWidth!,
    desiredHeight: desiredHeight!,
  });
  try {
    return (await decoder.decode()).image;
  } catch {
    return undefined;
  } finally {
    decoder.close();
  }
}
