import { crc32 } from '../protocol/checksums/crc32.js';

/** Chunks of a PNG file. https://www.w3.org/TR/png-3/ */

/** Position of a chunk in the file. */
export interface PngChunk {
  type: string;
  /** First byte of the data. */
  start: number;
  /** End of the data. The checksum follows. */
  end: number;
}

/** Yields the complete chunks in order. */
export function* pngChunks(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 8;
  while (offset + 12 <= bytes.length) {
    const start = offset + 8;
    const end = start + view.getUint32(offset);
    if (end + 4 > bytes.length) return;
    yield { type: String.fromCharCode(...bytes.subarray(offset + 4, start)), start, end };
    offset = end + 4;
  }
}

/** Finds the packed text in which ImageMagick keeps Exif and XMP. Nothing inside it can be changed in place. */
export const isPackedProfile = ({ type, start, end }: PngChunk, text: string): boolean =>
  (type === 'zTXt' || type === 'iTXt' || type === 'tEXt') &&
  /^Raw profile type (?:exif|APP1|xmp|iptc)\0/.test(text.slice(start, end));

/** Turns a chunk into an empty comment of the same length. */
export function blankChunk(bytes: Uint8Array, { start, end }: PngChunk): void {
  const comment = new TextEncoder().encode('tEXtComment\0');
  bytes.set(comment, start - 4);
  bytes.fill(0x20, start - 4 + comment.length, end);
}

/** Writes the CRC-32 of the chunk's type and data. */
export function updateChecksum(bytes: Uint8Array, { start, end }: PngChunk): void {
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(end, crc32(bytes.subarray(start - 4, end)));
}
