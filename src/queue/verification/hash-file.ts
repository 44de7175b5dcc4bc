import { Sha256 } from '../../protocol/checksums/sha256.js';

/** Bytes hashed without a break: a few milliseconds, so that a page that has to do it itself stays responsive. */
const SLICE = 512 * 1024;

/** Hashes a file slice by slice, with a pause for other work after each. @throws DOMException when it cannot be read */
export async function hashFile(file: Blob, signal?: AbortSignal): Promise<string> {
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += SLICE) {
    signal?.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(at, at + SLICE).arrayBuffer()));
  }
  return hash.digest();
}
