import { BLOCK_BYTES, compressBlock, finishHash, INITIAL_STATE } from '../../protocol/checksums/sha256.js';

/**
 * SHA-256 for signatures, in pages and in Node. A signature hashes less than a kilobyte, which costs less here than a call into
 * the platform's hash. Bodies are hashed by the platform (see `Digests`).
 * @see RFC 2104
 */

const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Completes a hash.
 * @param hashedBytes bytes that are already in `state`
 * @returns its 32 bytes
 */
function finishDigest(state: Int32Array, bytes: Uint8Array, hashedBytes: number): Uint8Array {
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  finishHash(state, bytes, hashedBytes);
  for (let i = 0; i < 8; i++) out.setInt32(i * 4, state[i]!);
  return digest;
}

/** Encodes text as UTF-8. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const sharedBuffer = new Uint8Array(16 * 1024);

/** Encodes header text as Latin-1. The result is valid until the next call. */
export function headerBytes(text: string): Uint8Array {
  const bytes = text.length * 3 > sharedBuffer.length ? new Uint8Array(text.length * 3) : sharedBuffer;
  // Nearly all text is ASCII, which UTF-8 encodes in the same bytes.
  if (encoder.encodeInto(text, bytes).written > text.length) for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.subarray(0, text.length);
}

/** Encodes bytes as lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte]!;
  return text;
}

/** Computes a SHA-256. @returns 32 bytes */
export const sha256 = (bytes: Uint8Array): Uint8Array => finishDigest(INITIAL_STATE.slice(), bytes, 0);

/** A key whose two first blocks are already hashed. That saves two blocks at each use. */
export interface HmacKey {
  inner: Int32Array;
  outer: Int32Array;
}

/** Prepares a key for `hmac`. */
export function hmacKey(key: Uint8Array): HmacKey {
  const blockKey = key.length > BLOCK_BYTES ? sha256(key) : key;
  const hashPadded = (pad: number): Int32Array => {
    const block = new Uint8Array(BLOCK_BYTES).fill(pad);
    for (let i = 0; i < blockKey.length; i++) block[i] = blockKey[i]! ^ pad;
    const state = INITIAL_STATE.slice();
    compressBlock(state, block, 0);
    return state;
  };
  return { inner: hashPadded(0x36), outer: hashPadded(0x5c) };
}

/** Computes an HMAC-SHA-256. @returns 32 bytes */
export const hmac = (key: HmacKey, message: Uint8Array): Uint8Array =>
  finishDigest(key.outer.slice(), finishDigest(key.inner.slice(), message, BLOCK_BYTES), BLOCK_BYTES);
