import { Sha256 } from './sha256.js';

/** Bytes read at the beginning, in the middle and at the end of a file. */
const PIECE_BYTES = 64 * 1024;

/**
 * Takes a sample of a file's bytes: all of a file of up to three pieces. In a page it tells two files of one path, size and date apart.
 * @returns its SHA-256 in hex; undefined if there are fewer bytes than `size`, as Firefox reads a file that was cut short without an error
 * @throws DOMException when the file cannot be read
 */
export async function hashSample(file: Blob, size: number): Promise<string | undefined> {
  const middle = Math.floor((size - PIECE_BYTES) / 2);
  const starts = size <= 3 * PIECE_BYTES ? [0] : [0, middle, size - PIECE_BYTES];
  const length = size <= 3 * PIECE_BYTES ? size : PIECE_BYTES;
  const hash = new Sha256();
  for (const start of starts) {
    const bytes = new Uint8Array(await file.slice(start, start + length).arrayBuffer());
    if (bytes.length !== length) return undefined;
    hash.update(bytes);
  }
  return hash.digest();
}
