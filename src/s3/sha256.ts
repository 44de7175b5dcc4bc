/**
 * SHA-256 and HMAC that answer at once, in a page and in Node alike. A signature hashes under a kilobyte: here that costs
 * less than a call into the platform's own hash, and Web Crypto would make every signature asynchronous.
 * Source: FIPS 180-4, RFC 2104. Bodies are hashed by the platform (see `Digests`), not here.
 */

// prettier-ignore
const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
// prettier-ignore
const INITIAL = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

const BLOCK = 64;
const words = new Int32Array(BLOCK);
const padding = new Uint8Array(2 * BLOCK);
const paddingView = new DataView(padding.buffer);
const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function compress(state: Int32Array, bytes: Uint8Array, offset: number): void {
  const w = words;
  for (let i = 0, at = offset; i < 16; i++, at += 4)
    w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const S1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + S1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const S0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (S0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** Goes on from `state`, which has seen `before` bytes (whole blocks), over `bytes` to the end. */
function finish(state: Int32Array, bytes: Uint8Array, before: number): Uint8Array {
  let offset = 0;
  for (; offset + BLOCK <= bytes.length; offset += BLOCK) compress(state, bytes, offset);
  const rest = bytes.length - offset;
  const tail = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  padding.fill(0);
  padding.set(bytes.subarray(offset));
  padding[rest] = 0x80;
  const bits = (before + bytes.length) * 8;
  paddingView.setUint32(tail - 8, Math.floor(bits / 2 ** 32));
  paddingView.setUint32(tail - 4, bits >>> 0);
  compress(state, padding, 0);
  if (tail > BLOCK) compress(state, padding, BLOCK);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setInt32(i * 4, state[i]!);
  return digest;
}

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const scratch = new Uint8Array(16 * 1024);

/** UTF-8 for the moment: the next call overwrites it. */
export function passingUtf8(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return utf8(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte]!;
  return text;
}

/** SHA-256 fed piece by piece. */
export function runningSha256(): { update(bytes: Uint8Array): void; hex(): string } {
  const state = INITIAL.slice();
  const held = new Uint8Array(BLOCK);
  let [size, whole] = [0, 0];
  return {
    update(bytes) {
      let at = 0;
      if (size > 0) {
        at = Math.min(BLOCK - size, bytes.length);
        held.set(bytes.subarray(0, at), size);
        size += at;
        if (size < BLOCK) return;
        compress(state, held, 0);
        whole += BLOCK;
        size = 0;
      }
      for (; at + BLOCK <= bytes.length; at += BLOCK, whole += BLOCK) compress(state, bytes, at);
      held.set(bytes.subarray(at));
      size = bytes.length - at;
    },
    hex: () => toHex(finish(state, held.subarray(0, size), whole)),
  };
}

export const sha256 = (bytes: Uint8Array): Uint8Array => finish(INITIAL.slice(), bytes, 0);

/** A key with its two first blocks already hashed, so that each use costs two blocks fewer. */
export interface HmacKey {
  inner: Int32Array;
  outer: Int32Array;
}

export function hmacKey(key: Uint8Array): HmacKey {
  const short = key.length > BLOCK ? sha256(key) : key;
  const half = (pad: number): Int32Array => {
    const block = new Uint8Array(BLOCK).fill(pad);
    for (let i = 0; i < short.length; i++) block[i] = short[i]! ^ pad;
    const state = INITIAL.slice();
    compress(state, block, 0);
    return state;
  };
  return { inner: half(0x36), outer: half(0x5c) };
}

export const hmac = (key: HmacKey, message: Uint8Array): Uint8Array =>
  finish(key.outer.slice(), finish(key.inner.slice(), message, BLOCK), BLOCK);
