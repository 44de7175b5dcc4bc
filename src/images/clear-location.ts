import { clearGps } from './clear-tiff-gps.js';
import { clearXmp } from './clear-xmp.js';
import { exifItems } from './heif-items.js';
import { blankChunk, isPackedProfile, pngChunks, updateChecksum } from './png-chunks.js';
import { WorkBudget } from './work-budget.js';

type Range = [start: number, end: number];

/** Start of a TIFF block: Intel or Motorola byte order. */
const TIFF_HEADER = /(?:II\*\0|MM\0\*)/;
const EXIF_HEADER = /Exif\0\0(?=II\*\0|MM\0\*)/g;
const WEBP_EXIF_CHUNK = /EXIF[^]{4}(?=II\*\0|MM\0\*)/g;
/** Location box of the video that some phones append to a photo, with degrees of latitude and longitude. */
const VIDEO_LOCATION = /\xa9xyz[^]{4}(?:[+-]\d{1,9}(?:\.\d{1,20})?){2}[^]{0,12}?\//g;

/**
 * Removes the place where a photo was taken, in place. Pixels, length and all other metadata stay unchanged.
 * Reads JPEG, PNG, WebP, HEIC, AVIF and TIFF, their Exif and XMP, and the videos that phones append.
 *
 * @returns whether a location was removed
 * @throws RangeError for a malformed photo whose parts overlap so often that it cannot be searched in bounded time
 */
export function clearLocation(bytes: Uint8Array): boolean {
  // Latin-1 gives one character per byte, so an index in the text is an index in the bytes.
  const text = new TextDecoder('latin1').decode(bytes);
  const format = imageFormat(text);
  if (format === undefined) return false;
  const budget = new WorkBudget(bytes.length);
  let found = false;
  for (const [start, end] of tiffBlocks(format, bytes, text)) {
    if (clearGps(bytes.subarray(start, end), budget)) found = true;
  }
  if (clearXmp(bytes, text).length > 0) found = true;
  if (clearVideoLocation(bytes, text)) found = true;
  if (format === 'png' && updatePngChunks(bytes, text)) found = true;
  return found;
}

type ImageFormat = 'jpeg' | 'png' | 'webp' | 'heif' | 'tiff';

/** @param text the file, or its first 16 bytes, one character per byte */
export function imageFormat(text: string): ImageFormat | undefined {
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('PNG\r\n\x1a\n', 1)) return 'png';
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'webp';
  if (/^[^]{4}ftyp(?:heic|heix|hevc|heim|heis|mif1|msf1|avif|avis)/.test(text)) return 'heif';
  return TIFF_HEADER.exec(text.slice(0, 4)) ? 'tiff' : undefined;
}

/** Finds the ranges of the file that are TIFF blocks. */
function* tiffBlocks(format: ImageFormat, bytes: Uint8Array, text: string): Generator<Range> {
  // JPEG and most HEIC files mark the block. Phones append further JPEG images with blocks of their own.
  for (const { index } of text.matchAll(EXIF_HEADER)) yield [index + 6, bytes.length];
  if (format === 'tiff') yield [0, bytes.length];
  if (format === 'png') yield* pngTiffBlocks(bytes);
  if (format === 'webp') for (const { index } of text.matchAll(WEBP_EXIF_CHUNK)) yield [index + 8, bytes.length];
  if (format === 'heif') yield* heifTiffBlocks(bytes, text);
}

function* pngTiffBlocks(bytes: Uint8Array): Generator<Range> {
  for (const { type, start, end } of pngChunks(bytes)) if (type === 'eXIf') yield [start, end];
}

function* heifTiffBlocks(bytes: Uint8Array, text: string): Generator<Range> {
  for (const [start, end] of exifItems(bytes)) {
    const header = TIFF_HEADER.exec(text.slice(start, Math.min(end, start + 64)));
    if (header) yield [start + header.index, end];
  }
}

/** Turns location boxes into boxes named `free`, which every reader skips. */
function clearVideoLocation(bytes: Uint8Array, text: string): boolean {
  let found = false;
  for (const { 0: box, index } of text.matchAll(VIDEO_LOCATION)) {
    bytes.set(new TextEncoder().encode('free'), index);
    bytes.fill(0, index + 4, index + box.length);
    found = true;
  }
  return found;
}

/**
 * Blanks packed profiles and updates the checksums of all chunks that may have changed.
 *
 * @returns whether a packed profile was found
 */
function updatePngChunks(bytes: Uint8Array, text: string): boolean {
  let found = false;
  for (const chunk of pngChunks(bytes)) {
    const isPacked = isPackedProfile(chunk, text);
    if (isPacked) blankChunk(bytes, chunk);
    if (isPacked || chunk.type === 'eXIf' || chunk.type === 'iTXt') updateChecksum(bytes, chunk);
    found ||= isPacked;
  }
  return found;
}
