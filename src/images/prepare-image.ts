import { BlobError } from '../protocol/errors.js';
import { clearLocation, imageFormat } from './clear-location.js';
import { resizeImage } from './resize-image.js';
import type { ResizeOptions } from './resize-image.js';

/** Changes that are made to an image before it is uploaded. */
export interface ImageOptions {
  /** Removes the place where the photo was taken. */
  stripLocation: boolean;
  /** Null keeps the size. */
  resize: ResizeOptions | null;
}

/** Reason to refuse an image whose location cannot be removed. */
export interface ImageRejection {
  code: 'BLOB_FILE_TOO_LARGE' | 'CONTENT_MISMATCH';
  details: Readonly<Record<string, unknown>>;
}

/** Result of `prepareImage`. */
export interface PreparedImage {
  /** The file to upload: the original if nothing had to be changed. */
  file: File;
  /** Set if the file must not be uploaded, because it may still contain a location. */
  rejection?: ImageRejection;
  /** Set if the file could not be read now. A second attempt may succeed. */
  error?: BlobError;
}

/** Largest image, in bytes, that is held in memory as a whole. No camera writes larger ones. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Removes the location from an image and makes it fit, as the options say. Files that are not images come back unchanged.
 *
 * @returns the file to upload, or the reason why it must not be uploaded
 */
export async function prepareImage(file: File, options: ImageOptions): Promise<PreparedImage> {
  try {
    if (!(await isImage(file))) return { file };
  } catch (cause) {
    return unreadable(file, options, cause);
  }
  if (file.size > MAX_BYTES) return tooLarge(file, options);
  const resized = await resizeIfPossible(file, options);
  return options.stripLocation ? stripLocation(file, resized, options) : { file: resized };
}

/** If no location has to be removed, an unreadable file passes. The upload reports the error when it reads the file. */
function unreadable(file: File, { stripLocation }: ImageOptions, cause: unknown): PreparedImage {
  if (!stripLocation) return { file };
  return { file, error: new BlobError('FILE_UNREADABLE', 'The file cannot be read.', { cause }) };
}

function tooLarge(file: File, { stripLocation }: ImageOptions): PreparedImage {
  if (!stripLocation) return { file };
  return { file, rejection: { code: 'BLOB_FILE_TOO_LARGE', details: { max_size: MAX_BYTES } } };
}

async function resizeIfPossible(file: File, { resize }: ImageOptions): Promise<File> {
  return resize === null ? file : resizeImage(file, resize).catch(() => file);
}

async function stripLocation(original: File, resized: File, options: ImageOptions): Promise<PreparedImage> {
  let buffer: ArrayBuffer;
  try {
    buffer = await resized.arrayBuffer();
  } catch (cause) {
    return unreadable(original, options, cause);
  }
  try {
    const bytes = new Uint8Array(buffer);
    if (!clearLocation(bytes)) return { file: resized };
    const { name, type, lastModified } = resized;
    return { file: new File([bytes], name, { type, lastModified }) };
  } catch {
    return { file: original, rejection: { code: 'CONTENT_MISMATCH', details: {} } };
  }
}

/** Looks at type, extension and first bytes, because some systems state no type and names can be wrong. */
async function isImage(file: File): Promise<boolean> {
  if (file.type.startsWith('image/') || /\.(jpe?g|jfif|a?png|webp|heic|heif|avif|tiff?|dng)$/i.test(file.name)) return true;
  const head = await file.slice(0, 16).arrayBuffer();
  return imageFormat(new TextDecoder('latin1').decode(head)) !== undefined;
}
