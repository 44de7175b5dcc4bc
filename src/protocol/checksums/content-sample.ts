import { Sha256 } from './sha256.js';

/** Bytes read at the beginning, in the middle and at the end of a file. */
const PIECE = 64 * 1024;

/**
 * Takes a sample of a file's bytes: all of a file of up to three pieces. In a page it tells two files of one path, size and date apart.
 * @returns its SHA-256 in hex; undefined if there are fewer bytes than `size`, as Firefox reads a file that was cut short without an error
 * @throws DOMException when the file cannot be read
 */
export async function sampleOf(file: Blob, size: number): Promise<string | undefined> {
  const middle = Math.floor((size - PIECE) / 2);
  const starts = size <= 3 * PIECE ? [0] : [0, middle, size - PIECE];
  const length = size <= 3 * PIECE ? size : PIECE;
  const hash = new Sha256();
  for (const start of starts) {
    const bytes = new Uint8Array(await file.slice(start, start + length).arrayBuffer());
    if (bytes.length !== length) return undefined;
    hash.update(bytes);
  }
  return hash.digest();
}
