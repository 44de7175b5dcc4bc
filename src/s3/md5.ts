import { toHex } from './sha256.js';
import type { RunningHash } from './digests.js';

/** MD5, for the ETags of stores that keep no better checksum, where the platform has none of its own (RFC 1321). */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));
const BLOCK = 64;

function compress(state: Int32Array, bytes: Uint8Array, offset: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, BLOCK);
  let [a, b, c, d] = state as unknown as [number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const round = i >> 4;
    let mixed: number;
    let word: number;
    if (round === 0) [mixed, word] = [(b & c) | (~b & d), i];
    else if (round === 1) [mixed, word] = [(d & b) | (~d & c), (5 * i + 1) & 15];
    else if (round === 2) [mixed, word] = [b ^ c ^ d, (3 * i + 5) & 15];
    else [mixed, word] = [c ^ (b | ~d), (7 * i) & 15];
    const sum = (a + mixed + SINES[i]! + view.getInt32(word * 4, true)) | 0;
    const shift = SHIFTS[round * 4 + (i & 3)]!;
    [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
}

export function md5(): RunningHash {
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  const rest = new Uint8Array(BLOCK);
  let held = 0;
  let total = 0;
  const update = (bytes: Uint8Array): void => {
    total += bytes.length;
    let offset = 0;
    if (held > 0) {
      offset = Math.min(BLOCK - held, bytes.length);
      rest.set(bytes.subarray(0, offset), held);
      held += offset;
      if (held < BLOCK) return;
      compress(state, rest, 0);
      held = 0;
    }
    for (; offset + BLOCK <= bytes.length; offset += BLOCK) compress(state, bytes, offset);
    rest.set(bytes.subarray(offset));
    held = bytes.length - offset;
  };
  return {
    update,
    hex() {
      const bits = total * 8;
      const padding = new Uint8Array(held < BLOCK - 8 ? BLOCK - held : 2 * BLOCK - held);
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
