import { Sha256 } from '../../protocol/checksums/sha256.js';

/** Bytes that are hashed at a time. They take a few milliseconds, so the page stays responsive. */
const SLICE_BYTES = 512 * 1024;

/** Computes the SHA-256 of a file slice by slice. @throws DOMException if it cannot be read */
export async function hashFile(file: Blob, signal?: AbortSignal): Promise<string> {
  const hash = new Sha256();
  for (let offset = 0; offset < file.size; offset += SLICE_BYTES) {
    signal?.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(offset, offset + SLICE_BYTES).arrayBuffer()));
  }
  return hash.digest();
}
