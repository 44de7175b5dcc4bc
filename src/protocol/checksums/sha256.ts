/**
 * SHA-256 (FIPS 180-4) that answers at once and takes bytes piece by piece: Web Crypto takes only a whole, which a big file must
 * not be in memory, and would make every signature asynchronous.
 */

export const BLOCK_BYTES = 64;

/** The first 32 bits of the fractional part of a prime's root. */
const fractionBits = (root: number): number => ((root % 1) * 2 ** 32) | 0;

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) if (found.every((prime) => number % prime)) found.push(number);
  return found;
}

const ROUND_CONSTANTS = Int32Array.from(primes(64), (prime) => fractionBits(Math.cbrt(prime)));
/** The state that has seen nothing. */
export const INITIAL_STATE: Readonly<Int32Array> = Int32Array.from(primes(8), (prime) => fractionBits(Math.sqrt(prime)));

/** The message schedule: filled anew for each block. */
const schedule = new Int32Array(64);

/** Takes one block into the state. */
export function compressBlock(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++, at += 4)
    schedule[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15]!;
    const y = schedule[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16]! + s0 + schedule[i - 7]! + s1) | 0;
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
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + schedule[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
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

const padding = new Uint8Array(2 * BLOCK_BYTES);
const paddingView = new DataView(padding.buffer);

/** Goes on from `state`, which has seen `before` bytes (whole blocks), over `bytes` to the end. @returns the state: the hash. */
export function finishHash(state: Int32Array, bytes: Uint8Array, before: number): Int32Array {
  let at = 0;
  for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) compressBlock(state, bytes, at);
  const rest = bytes.length - at;
  const tail = rest < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  padding.fill(0);
  padding.set(bytes.subarray(at));
  padding[rest] = 0x80;
  const bits = (before + bytes.length) * 8;
  paddingView.setUint32(tail - 8, Math.floor(bits / 2 ** 32));
  paddingView.setUint32(tail - 4, bits >>> 0);
  compressBlock(state, padding, 0);
  if (tail > BLOCK_BYTES) compressBlock(state, padding, BLOCK_BYTES);
  return state;
}

/** A hash fed piece by piece. */
export class Sha256 {
  readonly #state = INITIAL_STATE.slice();
  readonly #buffer = new Uint8Array(BLOCK_BYTES);
  #bufferedBytes = 0;
  #hashedBlocks = 0;

  update(bytes: Uint8Array): this {
    let at = 0;
    if (this.#bufferedBytes > 0) {
      at = Math.min(BLOCK_BYTES - this.#bufferedBytes, bytes.length);
      this.#buffer.set(bytes.subarray(0, at), this.#bufferedBytes);
      this.#bufferedBytes += at;
      if (this.#bufferedBytes < BLOCK_BYTES) return this;
      compressBlock(this.#state, this.#buffer, 0);
      this.#hashedBlocks++;
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES, this.#hashedBlocks++) compressBlock(this.#state, bytes, at);
    this.#buffer.set(bytes.subarray(at));
    this.#bufferedBytes = bytes.length - at;
    return this;
  }

  /** Ends the stream. @returns lower-case hex */
  digest(): string {
    const hash = finishHash(this.#state, this.#buffer.subarray(0, this.#bufferedBytes), this.#hashedBlocks * BLOCK_BYTES);
    return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
