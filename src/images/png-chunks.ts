/** https://www.w3.org/TR/png-3/ */

export interface Chunk {
  type: string;
  /** Where its data starts and ends; the checksum follows. */
  start: number;
  end: number;
}

export function* pngChunks(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 8; at + 12 <= bytes.length;) {
    const start = at + 8;
    const end = start + view.getUint32(at);
    if (end + 4 > bytes.length) return;
    yield { type: String.fromCharCode(...bytes.subarray(at + 4, start)), start, end };
    at = end + 4;
  }
}

/** ImageMagick keeps Exif and XMP as packed text; nothing inside can be changed in place. */
export const isPackedProfile = ({ type, start, end }: Chunk, text: string): boolean =>
  (type === 'zTXt' || type === 'iTXt' || type === 'tEXt') &&
  /^Raw profile type (?:exif|APP1|xmp|iptc)\0/.test(text.slice(start, end));

/** Makes a chunk an empty comment of the same length. */
export function blankChunk(bytes: Uint8Array, { start, end }: Chunk): void {
  const comment = new TextEncoder().encode('tEXtComment\0');
  bytes.set(comment, start - 4);
  bytes.fill(0x20, start - 4 + comment.length, end);
}

/** Writes the chunk's checksum anew. */
export function updateChecksum(bytes: Uint8Array, { start, end }: Chunk): void {
  let crc = -1;
  for (const byte of bytes.subarray(start - 4, end)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(end, ~crc >>> 0);
}
