import { BLOCK_BYTES, compressBlock, finishHash, INITIAL_STATE } from '../../protocol/checksums/sha256.js';

/**
 * SHA-256 for signatures, in pages and in Node. A signature hashes less than a kilobyte, which costs less here than a call into
 * the platform's hash. Bodies are hashed by the platform (see `Digests`).
 * @see RFC 2104
 */

const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Ends a hash. @returns its 32 bytes. */
function digestOf(state: Int32Array, bytes: Uint8Array, before: number): Uint8Array {
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  finishHash(state, bytes, before);
  for (let i = 0; i < 8; i++) out.setInt32(i * 4, state[i]!);
  return digest;
}

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const scratch = new Uint8Array(16 * 1024);

/** One byte for each character, as headers go over the wire, for the moment: the next call overwrites it. */
export function headerBytes(text: string): Uint8Array {
  const bytes = text.length * 3 > scratch.length ? new Uint8Array(text.length * 3) : scratch;
  // Nearly all is ASCII, which is the same in UTF-8.
  if (encoder.encodeInto(text, bytes).written > text.length) for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.subarray(0, text.length);
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte]!;
  return text;
}

export const sha256 = (bytes: Uint8Array): Uint8Array => digestOf(INITIAL_STATE.slice(), bytes, 0);

/** A key with its two first blocks already hashed, so that each use costs two blocks fewer. */
export interface HmacKey {
  inner: Int32Array;
  outer: Int32Array;
}

export function hmacKey(key: Uint8Array): HmacKey {
  const short = key.length > BLOCK_BYTES ? sha256(key) : key;
  const half = (pad: number): Int32Array => {
    const block = new Uint8Array(BLOCK_BYTES).fill(pad);
    for (let i = 0; i < short.length; i++) block[i] = short[i]! ^ pad;
    const state = INITIAL_STATE.slice();
    compressBlock(state, block, 0);
    return state;
  };
  return { inner: half(0x36), outer: half(0x5c) };
}

export const hmac = (key: HmacKey, message: Uint8Array): Uint8Array =>
  digestOf(key.outer.slice(), digestOf(key.inner.slice(), message, BLOCK_BYTES), BLOCK_BYTES);
