import { exifItems } from './heif-items.js';
import { blankChunk, isPackedProfile, pngChunks, updateChecksum } from './png-chunks.js';
import { clearGps } from './clear-tiff-gps.js';
import { WorkBudget } from './work-budget.js';
import { clearXmp } from './clear-xmp.js';

/** Where a TIFF block begins: Intel's or Motorola's order of bytes. */
const TIFF = /(?:II\*\0|MM\0\*)/;
const EXIF = /Exif\0\0(?=II\*\0|MM\0\*)/g;
/** The place of a film that some phones append to a photo: its box, and degrees of latitude and longitude. */
const FILM = /\xa9xyz[^]{4}(?:[+-]\d{1,9}(?:\.\d{1,20})?){2}[^]{0,12}?\//g;

/**
 * Takes the place where a photo was made out of it, in place: pixels, length and everything else stay as they are.
 * Knows JPEG, PNG, WebP, HEIC, AVIF and TIFF, the Exif and XMP in them, and the films that phones append.
 * @returns whether there was anything to take out
 * @throws RangeError for a photo whose parts overlap so often that it cannot be searched in bounded time
 */
export function clearLocation(bytes: Uint8Array): boolean {
  // One character a byte, so that an index in the text is one in the bytes.
  const text = new TextDecoder('latin1').decode(bytes);
  const kind = imageFormat(text);
  if (kind === undefined) return false;
  let found = false;
  const budget = new WorkBudget(bytes.length);
  for (const [start, end] of tiffBlocks(kind, bytes, text)) if (clearGps(bytes.subarray(start, end), budget)) found = true;
  if (clearXmp(bytes, text).length > 0) found = true;
  for (const { 0: box, index } of text.matchAll(FILM)) {
    // A box named `free` is skipped by every reader.
    bytes.set(new TextEncoder().encode('free'), index);
    bytes.fill(0, index + 4, index + box.length);
    found = true;
  }
  return kind === 'png' ? updatePngChunks(bytes, text) || found : found;
}

type ImageFormat = 'jpeg' | 'png' | 'webp' | 'heif' | 'tiff';

/** @param text the file, or its first 16 bytes, one character a byte */
export function imageFormat(text: string): ImageFormat | undefined {
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('PNG\r\n\x1a\n', 1)) return 'png';
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'webp';
  if (/^[^]{4}ftyp(?:heic|heix|hevc|heim|heis|mif1|msf1|avif|avis)/.test(text)) return 'heif';
  return TIFF.exec(text.slice(0, 4)) ? 'tiff' : undefined;
}

/** Ranges of the file that are TIFF blocks. */
function* tiffBlocks(kind: ImageFormat, bytes: Uint8Array, text: string): Generator<[start: number, end: number]> {
  // JPEG's segments, also those of the further pictures that phones append, and most HEIC writers mark the block.
  for (const { index } of text.matchAll(EXIF)) yield [index + 6, bytes.length];
  if (kind === 'tiff') yield [0, bytes.length];
  if (kind === 'png') for (const { type, start, end } of pngChunks(bytes)) if (type === 'eXIf') yield [start, end];
  if (kind === 'webp') for (const { index } of text.matchAll(/EXIF[^]{4}(?=II\*\0|MM\0\*)/g)) yield [index + 8, bytes.length];
  if (kind === 'heif')
    for (const [start, end] of exifItems(bytes)) {
      const at = TIFF.exec(text.slice(start, Math.min(end, start + 64)));
      if (at) yield [start + at.index, end];
    }
}

/** Packed profiles are blanked; then every chunk that was touched gets its checksum. */
function updatePngChunks(bytes: Uint8Array, text: string): boolean {
  let found = false;
  for (const chunk of pngChunks(bytes)) {
    if (isPackedProfile(chunk, text)) {
      blankChunk(bytes, chunk);
      found = true;
      updateChecksum(bytes, chunk);
    } else if (chunk.type === 'eXIf' || chunk.type === 'iTXt') updateChecksum(bytes, chunk);
  }
  return found;
}
