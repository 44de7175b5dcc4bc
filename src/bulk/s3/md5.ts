import type { RunningHash } from './running-hash.js';
import { toHex } from './hmac.js';

/**
 * MD5 for pages. Some stores keep and compare no better checksum, and browsers have no MD5.
 * @see RFC 1321
 */

const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));
const BLOCK = 64;
/** The 16 words of the present block. */
const words = new Int32Array(16);

const rotateLeft = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** Hashes one block. Does four steps at a time, so that the words of the state need not change places. */
function compress(state: Int32Array, bytes: Uint8Array, offset: number): void {
  const m = words;
  for (let i = 0, at = offset; i < 16; i++, at += 4)
    m[i] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  const k = SINES;
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  for (let i = 0; i < 16; i += 4) {
    a = (b + rotateLeft((a + ((b & c) | (~b & d)) + k[i]! + m[i]!) | 0, 7)) | 0;
    d = (a + rotateLeft((d + ((a & b) | (~a & c)) + k[i + 1]! + m[i + 1]!) | 0, 12)) | 0;
    c = (d + rotateLeft((c + ((d & a) | (~d & b)) + k[i + 2]! + m[i + 2]!) | 0, 17)) | 0;
    b = (c + rotateLeft((b + ((c & d) | (~c & a)) + k[i + 3]! + m[i + 3]!) | 0, 22)) | 0;
  }
  for (let i = 16; i < 32; i += 4) {
    a = (b + rotateLeft((a + ((d & b) | (~d & c)) + k[i]! + m[(5 * i + 1) & 15]!) | 0, 5)) | 0;
    d = (a + rotateLeft((d + ((c & a) | (~c & b)) + k[i + 1]! + m[(5 * i + 6) & 15]!) | 0, 9)) | 0;
    c = (d + rotateLeft((c + ((b & d) | (~b & a)) + k[i + 2]! + m[(5 * i + 11) & 15]!) | 0, 14)) | 0;
    b = (c + rotateLeft((b + ((a & c) | (~a & d)) + k[i + 3]! + m[(5 * i) & 15]!) | 0, 20)) | 0;
  }
  for (let i = 32; i < 48; i += 4) {
    a = (b + rotateLeft((a + (b ^ c ^ d) + k[i]! + m[(3 * i + 5) & 15]!) | 0, 4)) | 0;
    d = (a + rotateLeft((d + (a ^ b ^ c) + k[i + 1]! + m[(3 * i + 8) & 15]!) | 0, 11)) | 0;
    c = (d + rotateLeft((c + (d ^ a ^ b) + k[i + 2]! + m[(3 * i + 11) & 15]!) | 0, 16)) | 0;
    b = (c + rotateLeft((b + (c ^ d ^ a) + k[i + 3]! + m[(3 * i + 14) & 15]!) | 0, 23)) | 0;
  }
  for (let i = 48; i < 64; i += 4) {
    a = (b + rotateLeft((a + (c ^ (b | ~d)) + k[i]! + m[(7 * i) & 15]!) | 0, 6)) | 0;
    d = (a + rotateLeft((d + (b ^ (a | ~c)) + k[i + 1]! + m[(7 * i + 7) & 15]!) | 0, 10)) | 0;
    c = (d + rotateLeft((c + (a ^ (d | ~b)) + k[i + 2]! + m[(7 * i + 14) & 15]!) | 0, 15)) | 0;
    b = (c + rotateLeft((b + (d ^ (c | ~a)) + k[i + 3]! + m[(7 * i + 21) & 15]!) | 0, 21)) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
}

/** Starts an MD5. */
export function md5(): RunningHash {
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  /** Bytes of the incomplete block. */
  const pending = new Uint8Array(BLOCK);
  let pendingBytes = 0;
  let totalBytes = 0;
  const update = (bytes: Uint8Array): void => {
    totalBytes += bytes.length;
    let offset = 0;
    if (pendingBytes > 0) {
      offset = Math.min(BLOCK - pendingBytes, bytes.length);
      pending.set(bytes.subarray(0, offset), pendingBytes);
      pendingBytes += offset;
      if (pendingBytes < BLOCK) return;
      compress(state, pending, 0);
      pendingBytes = 0;
    }
    for (; offset + BLOCK <= bytes.length; offset += BLOCK) compress(state, bytes, offset);
    pending.set(bytes.subarray(offset));
    pendingBytes = bytes.length - offset;
  };
  return {
    update,
    hex() {
      const bits = totalBytes * 8;
      const padding = new Uint8Array(pendingBytes < BLOCK - 8 ? BLOCK - pendingBytes : 2 * BLOCK - pendingBytes);
      padding[0] = 0x80;
      const view = new DataView(padding.buffer);
      view.setUint32(padding.length - 8, bits >>> 0, true);
      view.setUint32(padding.length - 4, Math.floor(bits / 2 ** 32), true);
      update(padding);
      const digest = new Uint8Array(16);
      const out = new DataView(digest.buffer);
      for (let i = 0; i < 4; i++) out.setInt32(i * 4, state[i]!, true);
      return toHex(digest);
    },
  };
}
