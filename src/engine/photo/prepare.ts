import { clearLocation } from './location.js';
import { resize } from './resize.js';
import type { ResizeWish } from './resize.js';

/** What is done to photos before they are uploaded. */
export interface PhotoWish {
  stripLocation: boolean;
  resize: ResizeWish | null;
}

/** Beyond this a picture is not held in memory as a whole, hence goes as it is; no camera writes such. */
const MOST_BYTES = 256 * 1024 * 1024;

/** @returns the file as it is to be uploaded: the same one when nothing had to be done, or it cannot be read. */
export async function preparePhoto(file: File, wish: PhotoWish): Promise<File> {
  if (file.size > MOST_BYTES || !isPhoto(file)) return file;
  const resized = wish.resize === null ? file : await resize(file, wish.resize);
  return wish.stripLocation ? stripped(resized).catch(() => resized) : resized;
}

/** Systems that do not know a type leave it empty. */
const isPhoto = ({ type, name }: File): boolean => type.startsWith('image/') || /\.(heic|heif|avif|tiff?|dng)$/i.test(name);

async function stripped(file: File): Promise<File> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!clearLocation(bytes)) return file;
  return new File([bytes], file.name, { type: file.type, lastModified: file.lastModified });
}
