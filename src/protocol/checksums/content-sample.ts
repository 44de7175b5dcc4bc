import { Sha256 } from './sha256.js';

/** Bytes that are read at the start, in the middle and at the end of a file. */
const PIECE_BYTES = 64 * 1024;

/**
 * Hashes a sample of a file: its start, middle and end, or all of a file of up to 192 KiB. The hash distinguishes two files of the
 * same path, size and date.
 * @param size expected size in bytes
 * @returns SHA-256 in hex; undefined if the file has fewer bytes than `size`. Firefox reads a truncated file without an error.
 * @throws DOMException if the file cannot be read
 */
export async function hashSample(file: Blob, size: number): Promise<string | undefined> {
  const isSmall = size <= 3 * PIECE_BYTES;
  const middle = Math.floor((size - PIECE_BYTES) / 2);
  const offsets = isSmall ? [0] : [0, middle, size - PIECE_BYTES];
  const length = isSmall ? size : PIECE_BYTES;
  const hash = new Sha256();
  for (const offset of offsets) {
    const bytes = new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
    if (bytes.length !== length) return undefined;
    hash.update(bytes);
  }
  return hash.digest();
}
