import { BlobError } from '../protocol/errors.js';
import type { Rejection } from '../queue/types.js';
import { clearLocation, imageFormat } from './clear-location.js';
import { resizeImage } from './resize-image.js';
import type { ResizeOptions } from './resize-image.js';

/** What is done to photos before they are uploaded. */
export interface ImageOptions {
  stripLocation: boolean;
  resize: ResizeOptions | null;
}

/** Beyond this a picture is not held in memory as a whole; no camera writes such. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * @returns the file as it is to be uploaded: the same one when nothing had to be done. One that may still say where it was made comes
 * with a rejection, or, where it could not be read now, with the error: the next reading may succeed, and would send it as it is.
 */
export async function prepareImage(
  file: File,
  wish: ImageOptions,
): Promise<{ file: File; rejection?: Rejection; unready?: BlobError }> {
  const unread = (cause: unknown) =>
    wish.stripLocation ? { file, unready: new BlobError('FILE_UNREADABLE', 'The file cannot be read.', { cause }) } : { file };
  try {
    if (!(await isPhoto(file))) return { file };
  } catch (cause) {
    return unread(cause);
  }
  const isTooLarge = file.size > MOST_BYTES;
  if (isTooLarge && !wish.stripLocation) return { file };
  if (isTooLarge) return { file, rejection: { code: 'BLOB_FILE_TOO_LARGE', details: { max_size: MOST_BYTES } } };
  // Where nothing is to be taken out, what cannot be read is told when it is to be sent.
  const resized = wish.resize === null ? file : await resizeImage(file, wish.resize).catch(() => file);
  if (!wish.stripLocation) return { file: resized };
  const bytes = await resized.arrayBuffer().catch((cause: unknown) => unread(cause));
  if ('file' in bytes) return bytes;
  try {
    return { file: stripped(resized, new Uint8Array(bytes)) };
  } catch {
    return { file, rejection: { code: 'CONTENT_MISMATCH', details: {} } };
  }
}

/** Systems that do not know a type leave it empty, or call it bytes; and names are whatever they are. */
async function isPhoto(file: File): Promise<boolean> {
  if (file.type.startsWith('image/') || /\.(jpe?g|jfif|a?png|webp|heic|heif|avif|tiff?|dng)$/i.test(file.name)) return true;
  const head = await file.slice(0, 16).arrayBuffer();
  return imageFormat(new TextDecoder('latin1').decode(head)) !== undefined;
}

function stripped(file: File, bytes: Uint8Array<ArrayBuffer>): File {
  if (!clearLocation(bytes)) return file;
  return new File([bytes], file.name, { type: file.type, lastModified: file.lastModified });
}
